// The pages about repositories.

import { getJob, getRepository } from '../../../sync/operations.ts';
import { describeRepositories } from '../../../sync/describe-repositories.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { nameActor, readActorNames } from '../name-actor.ts';
import { registerAddingRepositories } from './add-repository.tsx';
import { isActive, JobPage } from './job-page.tsx';
import { RepositoryList } from './list-page.tsx';
import { parseRepositoryQuery, repositoriesPerPage, selectRepositories } from './list-query.ts';
import { registerRepositoryForms } from './repository-forms.tsx';
import { RepositoryPage } from './repository-page.tsx';
import { repositoryName } from './repository-words.tsx';
import { packagesOf, readWithJobs, readAllWithJobs, repositoriesFor, type RepositoryPageServices } from './services.ts';

const notices = {
  removed: 'The repository is removed. Its versions are being withdrawn.',
  'removed-empty': 'The repository is removed. It had no published version.',
};

const noticesOfOne = {
  added: 'The repository is added. Too many syncs are waiting now: start its first sync later.',
  saved: 'The changes are saved. They apply with the next sync.',
  same: 'Nothing was changed.',
  credentials: 'The credentials are saved. The next sync uses them.',
};

const noticesOfJob = {
  added: 'The repository is added, and its first sync has started.',
  'added-mirror': 'The repository is added. Its packages are mirrored when clients ask for them.',
};

/** Seconds between two looks of a browser without JavaScript. */
const refreshSeconds = 3;

export function registerRepositoryPages(pages: Pages, services: RepositoryPageServices): void {
  pages.page({
    path: '/repositories',
    operation: 'listRepositories',
    notices,
    show: (request) => showList(services, request),
  });
  registerAddingRepositories(pages, services);
  pages.page({
    path: '/repositories/:id',
    operation: 'getRepository',
    notices: noticesOfOne,
    show: (request) => showOne(services, request),
  });
  pages.page({
    path: '/repositories/:id/jobs/:job',
    operation: 'getJob',
    notices: noticesOfJob,
    show: (request) => showJob(services, request),
  });
  registerRepositoryForms(pages, services);
}

async function showList(services: RepositoryPageServices, request: SignedInRequest): Promise<PageView> {
  const query = parseRepositoryQuery(request.query);
  const repositories = repositoriesFor(services, request);
  const all = await repositories.list();
  const documents = await describeRepositories({ repositories, jobs: services.jobs }, all, all);
  const found = selectRepositories(documents, query);
  const from = (query.page - 1) * repositoriesPerPage;
  const byId = new Map<string, (typeof all)[number]>(all.map((record) => [record.id, record]));
  const records = found.slice(from, from + repositoriesPerPage).flatMap(({ id }) => byId.get(id) ?? []);
  return {
    title: 'Repositories',
    section: 'repositories',
    content: (
      <RepositoryList
        query={query}
        rows={await readAllWithJobs(services, request, records, all)}
        found={found.length}
        total={all.length}
        mayAdd={request.may('createRepository')}
        hasBuilder={request.hasBuilder}
        hasPackages={(await services.catalogue.read(request.nowMs, request.caller.view)).all.size > 0}
        nowMs={request.nowMs}
      />
    ),
  };
}

async function showOne(services: RepositoryPageServices, request: SignedInRequest): Promise<PageView> {
  const repository = await readWithJobs(services, request);
  const packages = await packagesOf(services, request, repository);
  const authors = [repository.record, ...repository.jobs].map((one) => one.created_by);
  const authorOf = await readActorNames(services.state, authors, request);
  return {
    title: repositoryName(repository.record),
    section: 'repositories',
    ...(repository.document.status === 'syncing' ? { refreshSeconds } : {}),
    content: (
      <RepositoryPage
        {...{ repository, packages }}
        authorOf={authorOf}
        maySync={request.may('syncRepository')}
        mayChange={request.may('updateRepository')}
        nowMs={request.nowMs}
      />
    ),
  };
}

async function showJob(services: RepositoryPageServices, request: SignedInRequest): Promise<PageView> {
  const id = request.param('id');
  const repository = await callFor(services, request, getRepository, { id });
  const job = await callFor(services, request, getJob, { id, job: request.param('job') });
  const author = await nameActor(services.state, job.created_by, request);
  return {
    title: `Sync of ${repositoryName(repository)}`,
    section: 'repositories',
    ...(isActive(job) ? { refreshSeconds } : {}),
    content: <JobPage {...{ repository, job, author }} nowMs={request.nowMs} />,
  };
}
