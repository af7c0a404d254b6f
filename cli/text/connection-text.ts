// The text of connections and their refreshes on the command line. Pure.

import type {
  ConnectedRepositoryDocument,
  ConnectionDocument,
  StepDocument,
} from '../../proxy/forges/connection-schema.ts';
import { skipReasons } from '../../proxy/forges/model/forge-repository.ts';
import type { RefreshOutcome } from '../../proxy/forges/refresh/refresher.ts';
import { counted, firstOf, formatFields, formatTable } from '../io/output.ts';

const most = 40;

export function describeConnections(connections: readonly ConnectionDocument[]): string[] {
  const rows = connections.map(({ id, forge, owner, status, counts, last_refreshed_at: last }) => [
    id,
    forge,
    owner,
    status,
    String(counts.registered),
    last === null ? 'never' : seconds(last),
  ]);
  return formatTable(['ID', 'FORGE', 'OWNER', 'STATUS', 'REPOSITORIES', 'LAST REFRESHED'], rows);
}

export function describeConnection(connection: ConnectionDocument): string[] {
  const { id, forge, url, owner, credentials, only, except, forks, hooks, interval, counts } = connection;
  const { sync_interval: syncInterval, status, error_message: error, hooks_at: at, hook_error: hookError } = connection;
  const { subdirectories: folders } = connection;
  const { registered, archived, removed, skipped } = counts;
  return formatFields([
    ['id', id],
    ['forge', `${forge}, ${url}`],
    ['owner', owner],
    ['credentials', `${credentials} (sealed)`],
    ...(only.length === 0 ? [] : [['only', only.join(' ')] as const]),
    ...(except.length === 0 ? [] : [['except', except.join(' ')] as const]),
    ...(folders === null ? [] : [['subdirectories', folders.join(' ')] as const]),
    ['forks', forks ? 'included' : 'left out'],
    ['webhooks', hookError ?? hooksText(hooks, at)],
    ['refresh interval', `${interval} seconds`],
    ['sync interval', `${syncInterval} seconds`],
    ['status', error === null ? status : `${status}: ${withRemedy(error, id)}`],
    ['repositories', `${registered} registered, ${archived} archived, ${removed} removed, ${skipped} not registered`],
    ['last refreshed', connection.last_refreshed_at === null ? 'never' : seconds(connection.last_refreshed_at)],
  ]);
}

function hooksText(wanted: boolean, at: ConnectionDocument['hooks_at']): string {
  if (at === null) return wanted ? 'installed by the next refresh' : 'not installed';
  const place = at === 'owner' ? 'at the owner' : 'at each repository';
  return wanted ? place : `${place}; no more are installed`;
}

export function describeConnected(repositories: readonly ConnectedRepositoryDocument[]): string[] {
  const filtered = repositories.filter(({ reason }) => reason === 'filtered').length;
  const rows = repositories
    .filter(({ reason }) => reason !== 'filtered')
    .map(({ path, state, repository, package: name, message }) => [
      path,
      state,
      repository ?? '',
      name ?? '',
      message ?? '',
    ]);
  return [
    ...(rows.length === 0 ? [] : formatTable(['NAME', 'STATE', 'ID', 'PACKAGE', ''], rows)),
    ...filteredLines(filtered),
  ];
}

function filteredLines(count: number): string[] {
  if (count === 0) return [];
  return [
    `${counted(count, 'name is', 'names are')} excluded by the filters; --json names ${count === 1 ? 'it' : 'them'}.`,
  ];
}

/** What a refresh did, one line for each repository. `isPlan`: nothing was changed. */
export function describeSteps(steps: readonly StepDocument[], isPlan: boolean): string[] {
  const changes = steps.filter(({ step }) => step !== 'skipped');
  const skipped = steps.filter((step) => step.step === 'skipped');
  const [skips, shown] = [skipped.length, skipped.filter(({ reason }) => reason !== 'filtered')];
  const registered = steps.filter(({ step }) => step === 'registered').length;
  return [
    `${isPlan ? 'Would register' : 'Registered'} ${counted(registered, 'repository', 'repositories')}` +
      `${skips === 0 ? '' : `; ${skips} ${skips === 1 ? 'is' : 'are'} not registered`}.`,
    ...firstOf([...changes, ...shown].map(lineOf), most),
    ...filteredLines(skips - shown.length).map((line) => `    ${line}`),
  ];
}

function lineOf(step: StepDocument): string {
  switch (step.step) {
    case 'registered':
      return `  + ${step.path} (${step.package})`;
    case 'renamed':
      return `  ~ ${step.path}, ${step.from} before (${step.repository})`;
    case 'archived':
      return `  ! ${step.path} is archived at the forge. It stays registered as ${step.repository}.`;
    case 'removed':
      return `  ! ${step.path} is not at the forge any more. It stays registered as ${step.repository}.`;
    case 'returned':
      return `  + ${step.path} is back (${step.repository})`;
    case 'skipped':
      return `    ${step.path}: ${step.reason === undefined ? '' : skipReasons[step.reason]}`;
  }
}

function withRemedy(message: string, id: string): string {
  if (!message.includes('give the connection new ones')) return message;
  return `${message} For example: \`libretto connection update ${id} --token-file FILE\`.`;
}

/** Why a refresh did not finish; undefined: it did. */
export function describeUnfinished(outcome: RefreshOutcome, id: string): string | undefined {
  if (outcome.end === 'finished') return undefined;
  if (outcome.end === 'busy') return 'A server refreshes this connection at this moment.';
  const goOn = `A running server goes on by itself; without one, run \`libretto connection refresh ${id}\`.`;
  if (outcome.end === 'refused') return withRemedy(outcome.message, id);
  return outcome.end === 'paused' ? `${outcome.message} ${goOn}` : `The refresh was stopped. ${goOn}`;
}

/** The webhooks that were wanted, and could not be made; undefined: there are none. */
export function describeHookless({ id, hook_error: error }: ConnectionDocument): string | undefined {
  if (error === null) return undefined;
  return (
    `Webhooks are missing: ${error} Tags are found by the interval only. Give the credentials the permission, and run ` +
    `\`libretto connection refresh ${id}\`; or do without: \`libretto connection update ${id} --no-hooks\`.`
  );
}

function seconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
