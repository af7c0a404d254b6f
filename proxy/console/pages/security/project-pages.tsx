// The projects that reported what they run: their list, what one of them runs, and the question before it is removed.

import { getProject, listProjects, reportProject } from '../../../usage/operations.ts';
import type { ProjectDocument, RunDocument } from '../../../usage/usage-schema.ts';
import { WordsFilter } from '../../components/filters.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { A } from '../../components/place.tsx';
import { Turning } from '../../components/pager.tsx';
import { formatCount, formatNumber } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import { callFor, operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { readActorNames } from '../name-actor.ts';
import { packagePath, type PackagePageServices } from '../package/open-package.ts';
import { UsageState } from '../package/usage-page.tsx';

const [section, limit] = ['projects', 50] as const;

export function registerProjectPages(pages: Pages, services: PackagePageServices): void {
  const notices = { removed: 'The project is removed.' };
  pages.page({ path: '/projects', operation: 'listProjects', notices, show: (request) => showList(services, request) });
  pages.page({ path: '/projects/:id', operation: 'getProject', show: (request) => showOne(services, request) });
  const nameOf = async (request: SignedInRequest): Promise<string> =>
    (await callFor(services, request, getProject, { id: request.param('id'), limit: 1 })).project.name;
  pages.form({
    ...operationForm(services, reportProject, {
      section,
      path: '/projects/:id/remove',
      view: async (request) => ({
        title: `Remove ${await nameOf(request)}?`,
        sentence:
          'Every project of this name that you see is removed, with what it runs. Its next report adds it again.',
        submit: 'Remove project',
        isDanger: true,
        cancel: `/projects/${request.param('id')}`,
      }),
      input: async (request) => ({ project: await nameOf(request), packages: [] }),
      done: () => ({ to: '/projects', notice: 'removed' }),
    }),
    operation: 'getProject', // viewers report, but see no list
  });
}

async function showList(services: PackagePageServices, request: SignedInRequest): Promise<PageView> {
  const q = (request.query.get('q') ?? '').slice(0, 100);
  const { page, turning } = pageIn(request, q === '' ? '/projects' : `/projects?q=${encodeURIComponent(q)}`);
  const { data, next_cursor: next } = await callFor(services, request, listProjects, { q, ...page });
  const authors = data.map(({ created_by: author }) => author);
  const columns = listColumns(await readActorNames(services.state, authors, request));
  return headedPage(
    { section, title: 'Projects', sentence: 'What they run of this registry, as of their last report.' },
    <>
      <form class="filters" data-live>
        <WordsFilter value={q} placeholder="Name" />
        <button class="button">Search</button>
      </form>
      <div id="results" class="stack">
        {data.length > 0 ? (
          <Table caption="Projects" {...{ columns }} rows={data} />
        ) : (
          <p class="soft">
            No project. A CI job reports one: <code>libretto report composer.lock --project NAME</code>
          </p>
        )}
        {turning(next)}
      </div>
    </>,
  );
}

function listColumns(nameOf: (actor: string) => string): readonly Column<ProjectDocument>[] {
  return [
    { label: 'Project', cell: ({ id, name }) => <A to={`/projects/${id}`}>{name}</A> },
    { label: 'Packages', isNumber: true, cell: ({ packages }) => formatNumber(packages) },
    { label: 'With an advisory', isNumber: true, cell: ({ exposed }) => formatNumber(exposed) },
    { label: 'Last report', cell: ({ reported_on: day }) => <span class="nowrap">{day}</span> },
    {
      label: 'Token',
      cell: ({ created_by: author, reporter }) => (
        <span class="breaks">{`${reporter === null ? '' : `${reporter}, `}made by ${nameOf(author)}`}</span>
      ),
    },
  ];
}

async function showOne(services: PackagePageServices, request: SignedInRequest): Promise<PageView> {
  const id = request.param('id');
  const path = `/projects/${id}`;
  const { page, turning } = pageIn(request, path);
  const { project, data, next_cursor: next } = await callFor(services, request, getProject, { id, ...page });
  const { name: title, packages, exposed, reported_on: day } = project;
  const sentence = `On ${day} it ran ${formatCount(packages, 'package')} of this registry, ${exposed} with an advisory.`;
  const remove = <ButtonLink to={`${path}/remove`} label="Remove" />;
  return headedPage(
    { section, title, sentence, trail: [{ label: 'Projects', to: '/projects' }], actions: remove },
    <>
      <Table caption="Packages" columns={runColumns} rows={data} />
      {turning(next)}
    </>,
  );
}

const runColumns: readonly Column<RunDocument>[] = [
  { label: 'Package', cell: ({ package: name }) => <A to={packagePath(name)}>{name}</A> },
  { label: 'Version', cell: ({ version }) => <code>{version}</code> },
  { label: 'State', cell: ({ state }) => <UsageState state={state} /> },
  { label: 'Fixed in', cell: ({ fixed_in: fix }) => (fix === null ? '' : <code>{fix}</code>) },
];

/** The page that the address names by a cursor. `to`: the first page. */
function pageIn({ query }: SignedInRequest, to: string) {
  const cursor = query.get('after') ?? undefined;
  const turning = (next: string | null) => (
    <Turning
      first={cursor === undefined ? undefined : to}
      next={next === null ? undefined : `${to}${to.includes('?') ? '&' : '?'}after=${next}`}
      words={['First', 'Next']}
    />
  );
  return { page: { limit, cursor }, turning };
}
