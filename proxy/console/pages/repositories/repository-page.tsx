// The page of one repository: its packages, the state of its last sync, the versions that were left out, and its syncs.
// While a sync runs, its parts are fetched again.

import type { Child } from 'hono/jsx';
import type { PackageSummary } from '../../../packages/package-summary.ts';
import type { JobRecord } from '../../../sync/job.ts';
import { ButtonLink } from '../../components/form.tsx';
import { Fact } from '../../components/fact.tsx';
import { MarkedText, ReasonText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A, MainLink } from '../../components/place.tsx';
import { formatCount, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { LeftOutVersions, reportWords } from './job-report.tsx';
import { PostButton } from './post-button.tsx';
import {
  credentialsWords,
  filterLabels,
  filterWords,
  intervalWords,
  JobBadge,
  NextSync,
  startedBy,
  StatusBadge,
  typeWords,
} from './repository-words.tsx';
import { repositoryName } from '../source-names.ts';
import { lastReport, nextSync, repositoryPath, type RepositoryWithJobs } from './services.ts';
import { packagePath } from '../package/open-package.ts';
import { VersionLink } from '../package/version-link.tsx';

export interface RepositoryPageProps {
  readonly repository: RepositoryWithJobs;
  /** the published ones */
  readonly packages: readonly PackageSummary[];
  readonly authorOf: (author: string) => string;
  readonly maySync: boolean;
  readonly mayChange: boolean;
}

export function RepositoryPage(props: RepositoryPageProps): Child {
  const { repository, packages, authorOf, maySync, mayChange } = props;
  const { record, document } = repository;
  const report = lastReport(repository);
  const takesCredentials = record.type === 'git' || record.type === 'composer';
  return (
    <>
      <PageHead
        title={repositoryName(record)}
        sentence={<span class="breaks">{`${typeWords[record.type]} · ${record.url}`}</span>}
        trail={[{ label: 'Repositories', to: '/repositories' }]}
        actions={
          maySync || mayChange ? (
            <Actions {...{ path: repositoryPath(record), maySync, mayChange, takesCredentials }} />
          ) : undefined
        }
      />
      <div class="two-columns">
        <div id="syncs" class="stack" {...(document.status === 'syncing' ? { 'data-refresh': '1' } : {})}>
          <LastSync repository={repository} />
          {record.type === 'composer' ? null : <RepositoryPackages packages={packages} />}
          {report === undefined || report === null ? null : <LeftOutVersions report={report} />}
          <Jobs repository={repository} authorOf={authorOf} />
        </div>
        <Facts repository={repository} author={authorOf(record.created_by)} />
      </div>
    </>
  );
}

interface ActionsProps {
  readonly path: string;
  readonly maySync: boolean;
  readonly mayChange: boolean;
  /** false: a folder, which needs none */
  readonly takesCredentials: boolean;
}

function Actions({ path, maySync, mayChange, takesCredentials }: ActionsProps): Child {
  return (
    <>
      {maySync ? (
        <PostButton action={`${path}/sync`} icon="refresh-cw">
          Sync now
        </PostButton>
      ) : null}
      {mayChange ? (
        <>
          <ButtonLink to={`${path}/edit`} icon="pencil" label="Edit" />
          {takesCredentials ? <ButtonLink to={`${path}/credentials`} icon="key-round" label="Credentials" /> : null}
          <ButtonLink to={`${path}/hook`} icon="link" label="Webhook" />
          <ButtonLink to={`${path}/remove`} icon="trash-2" kind="danger" data-dialog label="Remove" />
        </>
      ) : null}
    </>
  );
}

function LastSync({ repository }: { readonly repository: RepositoryWithJobs }): Child {
  const { document } = repository;
  return (
    <>
      {document.status === 'syncing' ? <Notice kind="info">A sync is running. This part follows it.</Notice> : null}
      {document.error_message === null ? null : (
        <Notice kind="bad">
          <p>
            The last sync failed: <MarkedText text={document.error_message} />
          </p>
          <p>What was published before stays available.</p>
        </Notice>
      )}
    </>
  );
}

function Jobs({ repository, authorOf }: Pick<RepositoryPageProps, 'repository' | 'authorOf'>): Child {
  const rows = foldedJobs(repository.jobs);
  const columns: readonly Column<FoldedJobs>[] = [
    { label: 'Sync', cell: (row) => <JobLink {...row} /> },
    { label: 'Result', cell: ({ state }) => <JobBadge state={state} /> },
    {
      label: 'Versions',
      cell: ({ words }) => (
        <span class="soft">
          <ReasonText text={words} />
        </span>
      ),
    },
    {
      label: 'Started by',
      cell: ({ trigger, created_by: by }) => <span class="soft">{startedBy(trigger, () => authorOf(by))}</span>,
    },
  ];
  return (
    <section class="stack">
      <h2>Syncs</h2>
      {rows.length === 0 ? <p class="soft">It was never synced.</p> : null}
      {rows.length === 0 ? null : <Table caption="Syncs" columns={columns} rows={rows} />}
    </section>
  );
}

/** Syncs in a row that ended equally: the newest of them, the number, and the time of the first. */
interface FoldedJobs extends JobRecord {
  readonly words: string;
  readonly count: number;
  readonly since: string;
}

function foldedJobs(jobs: readonly JobRecord[]): readonly FoldedJobs[] {
  const rows: FoldedJobs[] = [];
  for (const job of jobs) {
    const words = job.report === null ? (job.error?.message ?? '') : reportWords(job.report);
    const last = rows.at(-1);
    const since = job.created_at;
    if (last?.state === job.state && last.words === words)
      rows[rows.length - 1] = { ...last, count: last.count + 1, since };
    else rows.push({ ...job, words, count: 1, since });
  }
  return rows;
}

function JobLink({ id, repository_id: repository, created_at: at, count, since }: FoldedJobs & {}) {
  return (
    <div class="stack-tight">
      <A to={`/repositories/${repository}/jobs/${id}`} class="main-link">
        <Time at={at} />
      </A>
      {count === 1 ? null : (
        <span class="small soft">
          {count} times since <Time at={since} />
        </span>
      )}
    </div>
  );
}

interface FactsProps {
  readonly repository: RepositoryWithJobs;
  readonly author: string;
}

function Facts({ repository, author }: FactsProps): Child {
  const { record, document } = repository;
  const { last_synced_at: synced, position } = document;
  const filters = (Object.keys(filterLabels) as (keyof typeof filterLabels)[]).filter(
    (name) => document[name] !== null,
  );
  return (
    <dl class="facts panel">
      <Fact label="Last sync" value={<StatusBadge status={document.status} />} />
      <Fact label="Last success">{synced === null ? 'never' : <Time at={synced} />}</Fact>
      <Fact label="Syncs">{intervalWords(record.interval)}</Fact>
      {nextSync(repository) === undefined ? null : (
        <Fact label="Next sync" value={<NextSync repository={repository} />} />
      )}
      <Fact label="Credentials">
        {record.credentials_kind === null ? 'none' : credentialsWords[record.credentials_kind]}
      </Fact>
      {position === null ? null : (
        <Fact label="Asked for a name">{position === 1 ? 'first' : `after ${formatCount(position - 1, 'other')}`}</Fact>
      )}
      {filters.map((name) => (
        <Fact label={filterLabels[name]}>{filterWords(document[name])}</Fact>
      ))}
      <Fact label="Added">
        <Time at={record.created_at} /> by {author}
      </Fact>
      <Fact label="Id" value={<code>{record.id}</code>} />
    </dl>
  );
}

// The packages of a repository on its page: what its syncs have published.

const mostShown = 50;

interface RepositoryPackagesProps {
  /** by name */
  readonly packages: readonly PackageSummary[];
}

function RepositoryPackages({ packages }: RepositoryPackagesProps): Child {
  const left = packages.length - mostShown;
  return (
    <section class="stack">
      <h2>Packages</h2>
      {packages.length === 0 ? <p class="soft">No version of it is published.</p> : null}
      {packages.length === 0 ? null : (
        <Table caption="Packages" columns={columns} rows={packages.slice(0, mostShown)} />
      )}
      {left > 0 ? <p class="soft">{`and ${formatCount(left, 'further package')}`}</p> : null}
    </section>
  );
}

const columns: readonly Column<PackageSummary>[] = [
  {
    label: 'Package',
    cell: ({ name }) => <MainLink to={packagePath(name)} text={name} />,
  },
  { label: 'Latest', cell: ({ name, latest_version: version }) => <VersionLink {...{ name, version }} /> },
  {
    label: 'Versions',
    cell: ({ name, versions }) => <A to={packagePath(name, 'versions')}>{formatCount(versions, 'version')}</A>,
  },
  { label: 'Published', cell: ({ updated_at: at }) => <Time at={at} /> },
];
