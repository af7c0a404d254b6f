// One sync of one repository: its times, its result, and the reason of a failure.

import { errorTable, type ErrorCode } from '../../build/contract/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { storageErrorCodes, storageFaultOfExit } from '../../build/contract/storage-fault.ts';
import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import { busyExitCode, type BuildRun } from './build-runner.ts';
import type { JobDocument } from './job-schema.ts';
import type { RepositoryId } from './repository.ts';

export type JobState = JobDocument['state'];
export type JobTrigger = JobDocument['trigger'];

export interface JobError {
  readonly code: ErrorCode;
  readonly message: string;
}

export interface JobRecord extends JobDocument {
  readonly repository_id: RepositoryId;
  readonly error: JobError | null;
  /** the ids of the hooks' deliveries that it answers; missing: none */
  readonly deliveries?: readonly string[];
  /** the process it belongs to (process-owner.ts) */
  readonly owner: string;
}

/** Lists are cut at `mostLines`; the counts are of all. */
export type JobReport = NonNullable<JobDocument['report']>;

const mostLines = 500;
const mostLogLines = 200;

export function mintJobId(randomBytes: RandomBytes): string {
  return `job_${randomBase62(16, randomBytes)}`;
}

export function jobPrefix(repository: RepositoryId): string {
  return `job/${repository}/`;
}

/** Orders jobs by their creation. */
export function jobKey({
  id,
  repository_id: repository,
  created_at: at,
}: Pick<JobRecord, 'id' | 'repository_id' | 'created_at'>): string {
  return `${jobPrefix(repository)}${String(Date.parse(at)).padStart(15, '0')}-${id}`;
}

/** The prefix of the row that leads to the running job; there is one at most. */
export const activePrefix = 'repository-active/';

export function activeKey(repository: RepositoryId): string {
  return `${activePrefix}${repository}`;
}

export function parseJobRecord(value: JsonValue): JobRecord {
  if (
    isJsonObject(value) &&
    typeof value['id'] === 'string' &&
    typeof value['created_at'] === 'string' &&
    Array.isArray(value['log'])
  )
    return value as unknown as JobRecord;
  throw malformedRecord('A job record');
}

export function withLog(job: JobRecord, nowMs: number, ...lines: readonly string[]): JobRecord {
  const time = new Date(nowMs).toISOString();
  return { ...job, log: [...job.log, ...lines.map((line) => `${time} ${line}`)].slice(-mostLogLines) };
}

/** The outcome of a job, from the result of the builder's process. */
export function outcomeOf({ exitCode, report, messages }: BuildRun): {
  readonly error: JobError | null;
  readonly report: JobReport | null;
} {
  const lastWords =
    messages
      .split('\n')
      .findLast((line) => line.trim() !== '')
      ?.replace(/^libretto: /, '') ?? `The builder ended with exit code ${exitCode} and gave no reason.`;
  // a remote caller does not learn the path of the lock
  if (exitCode === busyExitCode)
    return { error: { code: 'BUILD_BUSY', message: lastWords.replace(/^.*\/build\/lock: /, '') }, report: null };
  const fault = storageFaultOfExit(exitCode);
  if (fault !== undefined)
    return {
      error: { code: storageErrorCodes[fault], message: errorTable[storageErrorCodes[fault]].message },
      report: null,
    };
  const code = report?.['code'];
  if (typeof code === 'string' && Object.hasOwn(errorTable, code))
    return {
      error: { code: code as ErrorCode, message: reasonOf(String(report?.['error']), report?.['details']) },
      report: null,
    };
  if (report === undefined || !Array.isArray(report['added']))
    return { error: { code: 'BUILD_FAILED', message: lastWords }, report: null };
  const [failed] = objectsIn(report['failed']);
  return {
    error: failed === undefined ? null : { code: 'BUILD_FAILED', message: String(failed['reason']) },
    report: parseReport(report),
  };
}

/** The message. That of INVALID_INPUT, where no other was given, names no reason: then the reasons in the details. */
function reasonOf(message: string, details: JsonValue | undefined): string {
  const issues = isJsonObject(details) ? objectsIn(details['issues']) : [];
  if (message !== errorTable.INVALID_INPUT.message || issues.length === 0) return message;
  const reasons = issues.map(
    (issue) => `${issue['path'] === '' ? '' : `${String(issue['path'])}: `}${String(issue['message'])}`,
  );
  return `${reasons.join(', ')}.`;
}

function parseReport(report: JsonObject): JobReport {
  const [added, changed, withdrawn, quarantined] = (['added', 'changed', 'withdrawn', 'quarantined'] as const).map(
    (name) => objectsIn(report[name]),
  ) as [JsonObject[], JsonObject[], JsonObject[], JsonObject[]];
  const version = ({ name = null, version: label = null }: JsonObject) => ({
    name: textOrNull(name),
    version: textOrNull(label),
  });
  return {
    published: report['published'] === true,
    serial: Number(report['serial'] ?? 0),
    counts: {
      added: added.length,
      changed: changed.length,
      withdrawn: withdrawn.length,
      quarantined: quarantined.length,
    },
    added: added.slice(0, mostLines).map(version),
    changed: changed.slice(0, mostLines).map(version),
    withdrawn: withdrawn.slice(0, mostLines).map(version),
    quarantined: quarantined.slice(0, mostLines).map((one) => ({
      ...version(one),
      code: String(one['code'] ?? ''),
      message: String(one['message'] ?? ''),
      where: String(one['where'] ?? ''),
    })),
    notices: objectsIn(report['notices'])
      .slice(0, mostLines)
      .map(({ message }) => String(message)),
  };
}

function textOrNull(value: JsonValue): string | null {
  return typeof value === 'string' ? value : null;
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}
