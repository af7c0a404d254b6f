// The pages about repositories; among them the page of one sync: its log while it runs, then its result.

import { getJob, getRepository } from '../../../sync/operations.ts';
import { describeRepositories } from '../../../sync/describe-repositories.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { nameActor, readActorNames } from '../name-actor.ts';
import { registerAddingRepositories } from './add-repository.tsx';
import { RepositoryList } from './list-page.tsx';
import { parseRepositoryQuery, repositoriesPerPage, selectRepositories } from './list-query.ts';
import { registerRepositoryForms } from './repository-forms.tsx';
import { RepositoryPage } from './repository-page.tsx';
import { JobBadge, startedBy } from './repository-words.tsx';
import { repositoryName } from '../source-names.ts';
import {
  packagesOf,
  readWithJobs,
  readAllWithJobs,
  repositoriesFor,
  type RepositoryPageServices,
  repositoryPath,
} from './services.ts';
import type { Child } from 'hono/jsx';
import type { JobDocument } from '../../../sync/job-schema.ts';
import type { RepositoryDocument } from '../../../sync/repository-schema.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { MarkedText, ReasonText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/place.tsx';
import { Time } from '../../components/values.tsx';
import { ChangedVersions, LeftOutVersions, reportWords } from './job-report.tsx';
import { Fact } from '../../components/fact.tsx';

interface JobPageProps {
  readonly repository: RepositoryDocument;
  readonly job: JobDocument;
  readonly author: string;
}

function JobPage({ repository, job, author }: JobPageProps): Child {
  const { report, error } = job;
  return (
    <>
      <PageHead
        title={`Sync of ${repositoryName(repository)}`}
        sentence={<code>{job.id}</code>}
        trail={[
          { label: 'Repositories', to: '/repositories' },
          { label: repositoryName(repository), to: repositoryPath(repository) },
        ]}
      />
      <div id="job" class="two-columns" {...(isActive(job) ? { 'data-refresh': '1' } : {})}>
        <div class="stack">
          {error === null ? null : (
            <Notice kind="bad">
              <ReasonText text={error.message} />
            </Notice>
          )}
          {report === null ? null : <Result report={report} isMirrored={repository.type === 'composer'} />}
          <h2>Log, times in UTC</h2>
          <CodeBlock text={logText(job)} label="the log of the sync" />
        </div>
        <dl class="facts panel">
          <Fact label="State" value={<JobBadge state={job.state} />} />
          {report === null ? null : <Fact label="Versions">{reportWords(report)}</Fact>}
          <Fact label="Asked for">
            <Time at={job.created_at} /> by {startedBy(job.trigger, () => author)}
          </Fact>
          <Duration job={job} />
          {report?.published === true ? <Fact label="Publication">{`number ${report.serial}`}</Fact> : null}
        </dl>
      </div>
    </>
  );
}

function Result({ report, isMirrored }: Parameters<typeof ChangedVersions>[0]): Child {
  return (
    <>
      <ChangedVersions report={report} isMirrored={isMirrored} />
      <LeftOutVersions report={report} />
      <Notices notices={report.notices} />
    </>
  );
}

/** Each line with its time of day in UTC. */
function logText({ log }: JobDocument): string {
  return log.map((line) => line.replace(/^\S{10}T(\S{8})\S*/, '$1')).join('\n');
}

/** True until the job has ended. */
function isActive({ state }: JobDocument): boolean {
  return state === 'queued' || state === 'running';
}

function Duration({ job: { started_at: started, finished_at: finished } }: { readonly job: JobDocument }): Child {
  if (started === null || finished === null) return null;
  const seconds = Math.max(0, Date.parse(finished) - Date.parse(started)) / 1000;
  const text = seconds < 120 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${Math.round(seconds / 60)} min`;
  return <Fact label="Took">{text}</Fact>;
}

function Notices({ notices }: { readonly notices: readonly string[] }): Child {
  if (notices.length === 0) return null;
  return (
    <section class="stack-tight">
      <h2>Remarks</h2>
      <ul>
        {notices.map((notice) => (
          <li>
            <MarkedText text={notice} />
          </li>
        ))}
      </ul>
    </section>
  );
}

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
    content: <JobPage {...{ repository, job, author }} />,
  };
}
