// The text of repositories and syncs on the command line. Pure.

import type { JobDocument } from '../../proxy/sync/job-schema.ts';
import type { RepositoryDocument, Verification } from '../../proxy/sync/repository-schema.ts';
import { counted, firstOf, formatFields, formatTable } from '../io/output.ts';

const hiddenValue = 'hidden from read tokens';

export function repositoryTable(repositories: readonly RepositoryDocument[]): string[] {
  const rows = repositories.map(({ id, type, status, last_synced_at: synced, url }) => [
    id,
    type,
    status,
    synced === null ? 'never' : seconds(synced),
    url ?? hiddenValue,
  ]);
  return formatTable(['ID', 'TYPE', 'STATUS', 'LAST SYNCED', 'URL'], rows);
}

const filterFields = [
  'only',
  'except',
  'versions',
  'minimum_stability',
  'tags',
  'branches',
  'subdirectories',
  'reference_source',
  'packages',
] as const;

export function describeRepository(repository: RepositoryDocument): string[] {
  const { id, type, url, credentials, interval, status, position, error_message: message } = repository;
  const { last_synced_at: synced, created_at: at, created_by: by } = repository;
  const filters = filterFields.flatMap((name) =>
    repository[name] === null ? [] : [[name.replaceAll('_', '-'), JSON.stringify(repository[name])] as const],
  );
  return formatFields([
    ['id', id],
    ['type', type],
    ['url', url ?? hiddenValue],
    ['credentials', credentials === null ? 'none' : `${credentials} (sealed)`],
    ...filters,
    ...(position === null ? [] : [['order', `number ${position}, after the repositories of libretto.json`] as const]),
    ['sync interval', interval === null ? 'none (only on request)' : `${interval} seconds`],
    ['status', message === null ? status : `${status}: ${message}`],
    ['last synced', synced === null ? 'never' : seconds(synced)],
    ['registered', `${seconds(at)} by ${by}`],
  ]);
}

export function describeJob({ state, error, report }: JobDocument): string[] {
  if (error !== null) return [`The sync ${state}: ${error.message} [${error.code}]`];
  if (report === null) return [`The sync is ${state}.`];
  const { counts, added, changed, withdrawn } = report;
  const marked = (mark: string, lines: JobReportLines): string[] =>
    lines.map(({ name, version }) => `  ${mark} ${name} ${version}`);
  return [
    `Synced: ${counts.added} added, ${counts.changed} changed, ${counts.withdrawn} ` +
      `withdrawn${report.published ? ` (publication ${report.serial})` : '; nothing was published'}.`,
    ...firstOf([...marked('+', added), ...marked('~', changed), ...marked('-', withdrawn)], 40),
  ];
}

type JobReportLines = NonNullable<JobDocument['report']>['added'];

/** The quarantined versions of a sync, each with the reason. */
export function describeLeftOut({ report }: JobDocument): string[] {
  return firstOf(
    (report?.quarantined ?? []).map(
      ({ name, version, where, message, code }) =>
        `  ${[name, version].filter((part) => part !== null).join(' ') || 'a package'} (${where}): ${message} [${code}]`,
    ),
    40,
  );
}

/** What a repository has that can be read. */
export function describeVerification({ url }: Pick<RepositoryDocument, 'url'>, found: Verification): string[] {
  const { tags, branches, default_branch: branch, protocol, package_count: count, packages, problems } = found;
  if (protocol !== null) {
    const lists = count === null ? 'does not list its packages' : `lists ${counted(count, 'package')}`;
    return [`${url} can be read: it publishes by ${protocol}, and ${lists}.`];
  }
  const refs =
    `${counted(tags ?? 0, 'tag')}, ${counted(branches ?? 0, 'branch', 'branches')}, ` +
    `default branch ${branch ?? 'unknown'}`;
  const more = packages.length > 20 ? ` and ${packages.length - 20} more` : '';
  return [
    `${url} can be read${tags === null ? '' : `: ${refs}`}.`,
    packages.length === 0 ? 'No package was found.' : `Packages: ${packages.slice(0, 20).join(', ')}${more}`,
    ...firstOf(
      problems.map((problem) => `  ${problem}`),
      40,
    ),
  ];
}

/** 2027-01-31T00:00:00.000Z → 2027-01-31T00:00:00Z */
function seconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
