// The page of one sync: its log while it runs, then its result with links to the versions that appeared.

import type { Child } from 'hono/jsx';
import type { JobDocument } from '../../../sync/job-schema.ts';
import type { RepositoryDocument } from '../../../sync/repository-schema.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { MarkedText, ReasonText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Time } from '../../components/time.tsx';
import { ChangedVersions, LeftOutVersions, reportWords } from './job-report.tsx';
import { Fact } from '../../components/fact.tsx';
import { JobBadge, repositoryName, startedBy } from './repository-words.tsx';
import { repositoryPath } from './services.ts';

export interface JobPageProps {
  readonly repository: RepositoryDocument;
  readonly job: JobDocument;
  readonly author: string;
  readonly nowMs: number;
}

export function JobPage({ repository, job, author, nowMs }: JobPageProps): Child {
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
          <Fact label="State">
            <JobBadge state={job.state} />
          </Fact>
          {report === null ? null : <Fact label="Versions">{reportWords(report)}</Fact>}
          <Fact label="Asked for">
            <Time at={job.created_at} nowMs={nowMs} /> by {startedBy(job.trigger, () => author)}
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
export function isActive({ state }: JobDocument): boolean {
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
