// The check of webhooks: repositories from which no hook came for longer than their interval. A repository without
// pushes sends none, so only a change that no hook announced is a warning.

import { listConnections } from '../../proxy/forges/model/connection.ts';
import { readProgress } from '../../proxy/forges/model/read-progress.ts';
import { listDeliveries, type DeliveryList } from '../../proxy/hooks/delivery.ts';
import { parseHookRecord, hookPrefix, registryHookPrefix, sharedHook } from '../../proxy/hooks/hook-record.ts';
import { parseRefusalRecord, remedyOf, type RefusalRecord } from '../../proxy/hooks/refusal.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { jobPrefix, parseJobRecord, type JobRecord } from '../../proxy/sync/job.ts';
import { listRepositories } from '../../proxy/sync/list-repositories.ts';
import { refusalPrefix, repositoryHookKey } from '../../proxy/sync/repository-rows.ts';
import type { RepositoryRecord } from '../../proxy/sync/repository.ts';
import { composeKeys } from '../compose/keys.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { counted } from '../io/output.ts';
import { withStateIfAny } from '../state/open-state.ts';
import { ok, unserved, warning, type Finding } from './finding.ts';
import { whyUnreadable, type Sealer } from '../../proxy/keys/sealer.ts';

const advice =
  'Open the list of deliveries at the provider, and look for failures. GitHub, GitLab and Bitbucket send no hook for ' +
  'some large pushes; the interval finds those. Gitea and Forgejo call private addresses only if ALLOWED_HOST_LIST in ' +
  'their configuration permits it.';

/** Returns no finding if no repository has a webhook. */
export async function check(config: Config, context: Context): Promise<readonly Finding[]> {
  const { now } = context;
  return withStateIfAny(config, [], async (state) => {
    const isConnected = await connectedHooks(state);
    const records = await listRepositories(state);
    const hooked = (await Promise.all(records.map((record) => lastHook(state, record, isConnected(record))))).flat();
    const wrong = [
      ...(await lostHookSecrets(state, composeKeys(config, context).sealer)),
      ...(await refusedHooks(state)),
    ];
    if (hooked.length === 0) return wrong;
    const silent = hooked.filter(({ record: { interval }, at }) => interval !== null && isOlder(at, interval, now()));
    const missed = await Promise.all(silent.map((one) => missedChange(state, one)));
    return [
      summaryOf(hooked, silent),
      ...unserved(config, 'hooks', 'hook', 'repositories have webhooks', ': they get 404'),
      ...wrong,
      ...missed.flat(),
    ];
  });
}

interface Hooked {
  readonly record: RepositoryRecord;
  /** when its last hook arrived, or when its webhook was made */
  readonly at: string;
  /** false: no hook has come yet */
  readonly hadDelivery: boolean;
}

/** True for a repository of an owner whose webhook a connection installed. */
async function connectedHooks(state: StateStore): Promise<(record: RepositoryRecord) => boolean> {
  const connections = (await listConnections(state)).filter(({ hooks }) => hooks);
  const installed = await Promise.all(
    connections.map(async ({ id }) => ((await readProgress(state, id)).owner_hook === 'installed' ? [id] : [])),
  );
  const ids = new Set(installed.flat());
  return ({ forge }) => forge !== undefined && ids.has(forge.connection);
}

/** [] for a repository without a webhook of its own or of its owner, and without a delivery to the address for all. */
async function lastHook(state: StateStore, record: RepositoryRecord, isConnected: boolean): Promise<readonly Hooked[]> {
  const [hook, [delivery]] = await Promise.all([
    state.get(repositoryHookKey(record.id)),
    listDeliveries(state, record.id),
  ]);
  const made =
    hook === undefined ? (isConnected ? record.created_at : undefined) : parseHookRecord(hook.value).created_at;
  const at = delivery?.received_at ?? made;
  return at === undefined ? [] : [{ record, at, hadDelivery: delivery !== undefined }];
}

/** `seconds`: of the interval. */
function isOlder(at: string, seconds: number, now: Date): boolean {
  return now.getTime() - Date.parse(at) > seconds * 1000;
}

function summaryOf(hooked: readonly Hooked[], silent: readonly Hooked[]): Finding {
  const repositories = counted(hooked.length, 'repository has a webhook', 'repositories have a webhook');
  const unheard = hooked.filter(({ hadDelivery }) => !hadDelivery);
  if (silent.length === 0 && unheard.length === 0)
    return ok('hook', `${repositories}; all were seen within their interval`);
  const fallen = silent.filter(({ hadDelivery }) => hadDelivery);
  const few = unheard.length <= mostNamed ? ` (${namesOf(unheard)})` : '';
  const from = unheard.length === hooked.length ? 'any of them' : `${unheard.length} of them${few}`;
  const parts = [
    ...(unheard.length === 0 ? [] : [`no hook has come yet from ${from}`]),
    ...(fallen.length === 0 ? [] : [`no hook for longer than the interval from ${namesOf(fallen)}`]),
  ];
  return ok('hook', [repositories, ...parts].join('; '));
}

const mostNamed = 5;

function namesOf(hooked: readonly Hooked[]): string {
  const names = hooked.slice(0, mostNamed).map(({ record }) => record.url);
  return `${names.join(', ')}${hooked.length > names.length ? ` and ${hooked.length - names.length} more` : ''}`;
}

const mostRefused = 10;

/** Webhooks whose last request was refused. A right one behind it says that it is mended. */
async function refusedHooks(state: StateStore): Promise<readonly Finding[]> {
  const lists = (await state.range(refusalPrefix)).map(({ key, value }) => ({
    list: key.slice(refusalPrefix.length) as DeliveryList,
    refusal: parseRefusalRecord(value),
  }));
  const findings = await Promise.all(
    lists.map(async ({ list, refusal }) => {
      const own = list === 'registry' ? 'registry' : 'repository';
      const last = (await listDeliveries(state, list)).find(({ hook }) => hook === own);
      if (last !== undefined && last.received_at > refusal.last_at) return [];
      return [refusedFinding(list, refusal)];
    }),
  );
  return findings.flat().slice(0, mostRefused);
}

function refusedFinding(list: DeliveryList, refusal: RefusalRecord): Finding {
  const [name, operand] = list === 'registry' ? ['all repositories', '--all'] : [list, list];
  const { count, last_at: at, reason } = refusal;
  const requests = counted(count, 'request was', 'requests were');
  return warning(
    'hook',
    `the webhook of ${name}: ${requests} refused, the last at ${at}: ${reason}`,
    `${remedyOf(refusal)} See \`libretto repository hook ${operand}\`; with --rotate it prints a new secret.`,
  );
}

/** A change that an automatic sync found, and that no hook had announced. */
async function missedChange(state: StateStore, { record: { id, url }, at }: Hooked): Promise<readonly Finding[]> {
  const jobs = (await state.range(jobPrefix(id), { reverse: true })).map(({ value }) => parseJobRecord(value));
  const missed = jobs.find((job) => job.trigger === 'interval' && job.created_at > at && foundChanges(job));
  if (missed === undefined) return [];
  const message = `no hook announced the change of ${url} that an automatic sync found at ${missed.created_at}`;
  return [warning('hook', message, `Look at its deliveries: \`libretto repository hook ${id}\`. ${advice}`)];
}

function foundChanges({ report }: JobRecord): boolean {
  return report !== null && report.counts.added + report.counts.changed + report.counts.withdrawn > 0;
}

// The check of the secrets of webhooks: whether the sealing keys of this data folder open them. Otherwise no request to
// that webhook can be proven.

/** One finding for each webhook of which the current secret does not open, at most ten. */
async function lostHookSecrets(state: StateStore, sealer: Sealer): Promise<readonly Finding[]> {
  const rows = await state.range(hookPrefix);
  return rows
    .flatMap(({ key, value }) => {
      const [current] = parseHookRecord(value).secrets;
      const reason = current === undefined ? undefined : whyUnreadable(sealer, current.sealed, key);
      return reason === undefined ? [] : [findingOf(key, reason)];
    })
    .slice(0, 10);
}

/** `key`: of the row. */
function findingOf(key: string, reason: string): Finding {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const isConnections = key.startsWith(registryHookPrefix) && name !== sharedHook.name;
  const operand = key.startsWith(registryHookPrefix) ? '--all' : name;
  const whose = isConnections ? `the connection ${name}` : operand === '--all' ? 'all repositories' : name;
  const remedy = isConnections
    ? `run \`libretto connection update ${name} --hooks\`, which installs the webhook with a new secret.`
    : `make a new secret with \`libretto repository hook ${operand} --rotate --drop-old\`, and enter it at the provider.`;
  return warning('hook', `the webhook of ${whose} accepts nothing: ${reason}`, `Restore the key, or ${remedy}`);
}
