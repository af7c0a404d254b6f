// The page of one repository: the state of its last sync, the versions that were left out, and its jobs. While a sync
// runs, its parts are fetched again.

import type { Child } from 'hono/jsx';
import type { JobRecord } from '../../../sync/job.ts';
import { ButtonLink } from '../../components/form.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Fact } from '../../components/fact.tsx';
import { MarkedText, ReasonText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { A } from '../../components/place.tsx';
import { formatCount } from '../../components/quantity.ts';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { LeftOutVersions, reportWords } from './job-report.tsx';
import { PostButton } from './post-button.tsx';
import {
  credentialsWords,
  filterLabels,
  filterWords,
  intervalWords,
  JobBadge,
  startedBy,
  StatusBadge,
  typeWords,
} from './repository-words.tsx';
import { lastReport, nextSync, repositoryPath, type RepositoryWithJobs } from './services.ts';

export interface RepositoryPageProps {
  readonly repository: RepositoryWithJobs;
  readonly authorOf: (author: string) => string;
  readonly maySync: boolean;
  readonly mayChange: boolean;
  readonly nowMs: number;
}

export function RepositoryPage({ repository, authorOf, maySync, mayChange, nowMs }: RepositoryPageProps): Child {
  const { record, document } = repository;
  const takesCredentials = record.type === 'git' || record.type === 'composer';
  return (
    <>
      <PageHead
        title={record.url}
        sentence={
          <span class="row">
            {typeWords[record.type]}
            <code>{record.id}</code>
          </span>
        }
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
          <Jobs repository={repository} authorOf={authorOf} nowMs={nowMs} />
        </div>
        <Facts repository={repository} author={authorOf(record.created_by)} nowMs={nowMs} />
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
          <ButtonLink to={`${path}/edit`} icon="pencil">
            Edit
          </ButtonLink>
          {takesCredentials ? (
            <ButtonLink to={`${path}/credentials`} icon="key-round">
              Credentials
            </ButtonLink>
          ) : null}
          <ButtonLink to={`${path}/hook`} icon="link">
            Webhook
          </ButtonLink>
          <ButtonLink to={`${path}/remove`} icon="trash-2" kind="danger" data-dialog>
            Remove
          </ButtonLink>
        </>
      ) : null}
    </>
  );
}

function LastSync({ repository }: { readonly repository: RepositoryWithJobs }): Child {
  const { document } = repository;
  const report = lastReport(repository);
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
      {report === undefined || report === null ? null : <LeftOutVersions report={report} />}
    </>
  );
}

function Jobs({ repository, authorOf, nowMs }: Pick<RepositoryPageProps, 'repository' | 'authorOf' | 'nowMs'>): Child {
  const { jobs } = repository;
  const columns: readonly Column<JobRecord>[] = [
    { label: 'Sync', cell: (job) => <JobLink job={job} nowMs={nowMs} /> },
    { label: 'Result', cell: ({ state }) => <JobBadge state={state} /> },
    {
      label: 'Versions',
      cell: ({ report, error }) => (
        <span class="soft">{report === null ? <ReasonText text={error?.message ?? ''} /> : reportWords(report)}</span>
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
      {jobs.length === 0 ? (
        <EmptyState icon="refresh-cw" title="Never synced">
          Nothing was published from it yet. Its first sync reads and publishes its packages.
        </EmptyState>
      ) : (
        <Table caption="Syncs" columns={columns} rows={jobs} />
      )}
    </section>
  );
}

function JobLink({ job, nowMs }: { readonly job: JobRecord; readonly nowMs: number }): Child {
  return (
    <A to={`/repositories/${job.repository_id}/jobs/${job.id}`} class="main-link">
      <Time at={job.created_at} nowMs={nowMs} />
    </A>
  );
}

interface FactsProps {
  readonly repository: RepositoryWithJobs;
  readonly author: string;
  readonly nowMs: number;
}

function Facts({ repository, author, nowMs }: FactsProps): Child {
  const { record, document } = repository;
  const next = nextSync(repository);
  const { last_synced_at: synced, position } = document;
  const filters = (Object.keys(filterLabels) as (keyof typeof filterLabels)[]).filter(
    (name) => document[name] !== null,
  );
  return (
    <dl class="facts panel">
      <Fact label="Last sync">
        <StatusBadge status={document.status} />
      </Fact>
      <Fact label="Last success">{synced === null ? 'never' : <Time at={synced} nowMs={nowMs} />}</Fact>
      <Fact label="Syncs">{intervalWords(record.interval)}</Fact>
      {next === undefined ? null : (
        <Fact label="Next sync">
          about <Time at={next} nowMs={nowMs} />
        </Fact>
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
        <Time at={record.created_at} nowMs={nowMs} /> by {author}
      </Fact>
    </dl>
  );
}
