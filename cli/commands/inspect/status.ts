// `libretto status`: shows the contents of a registry and the outcome of its last build, here or on a remote registry.

import { upstreamProblems as upstreamProblemsOf } from '../../../proxy/mirror/rules/upstream-problems.ts';
import { createCatalogue } from '../../../proxy/packages/catalogue.ts';
import { createLocalPublishedFiles } from '../../../proxy/core/tree/published-files.ts';
import { readStatus, type Status, type StatusCounts } from '../../../proxy/status/status.ts';
import { requestRemote } from '../../remote/request-remote.ts';
import type { CommandInput } from '../../io/command.ts';
import { openExistingState } from '../../compose/tokens.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { currentUpstreams } from '../../mirror/current-mirror-rules.ts';
import { counted, formatFields, printJson, printLines } from '../../io/output.ts';
import { remoteOf } from '../../remote/remote.ts';
import { openServedTree, type ServedTree } from '../../tree/served-tree.ts';
import { treeDamage } from '../../tree/damaged-tree.ts';
import { runningServers } from '../../state/running-server.ts';
import type { Config } from '../../config/config.ts';
import { UsageError } from '../../io/usage-error.ts';
import { version } from '../../io/version.ts';

/** Counts that an older server does not have. */
type LaterCount = 'damaged_packages' | 'connections' | 'failed_connections';

/**
 * `counters` belong to a server: a command counts no requests. The response of an older server lacks `mirror` and
 * `damaged_packages`.
 */
type StatusView = Omit<Status, 'counters' | 'mirror' | 'counts'> &
  Partial<Pick<Status, 'counters' | 'mirror'>> & {
    readonly version: string;
    readonly counts: Omit<StatusCounts, LaterCount> & Partial<Pick<StatusCounts, LaterCount>>;
    /** undefined: a remote registry does not name its hosts */
    readonly servers?: readonly ServerView[];
  };

/** A running server with this state. */
interface ServerView {
  readonly host: string | null;
  readonly pid: number | null;
  readonly version: string | null;
  readonly address: string | null;
  /** RFC 3339 UTC */
  readonly since: string | null;
  /** of the publication that it serves; null: unknown */
  readonly serial: number | null;
  /** how long the newest publication exists that it does not serve yet; 0: it serves the newest one; null: unknown */
  readonly lag_seconds: number | null;
}

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const remote = await remoteOf(flags, context);
  const status =
    remote === undefined
      ? await readLocally(context, flags)
      : ((await requestRemote(remote, { method: 'GET', path: '/api/status' })).body as unknown as StatusView);
  if (flags['json'] === true) printJson(context.stdout, status);
  else printLines(context.stdout, describe(status));
  return 0;
}

async function readLocally(context: Context, flags: CommandInput['flags']): Promise<StatusView> {
  const config = await readDataFolder(context, flags, 'all', 'look');
  const dataDirectory = config.data.value;
  const damage = treeDamage(dataDirectory);
  if (damage !== undefined) throw new UsageError(damage);
  const state = await openExistingState(config);
  let origin: ServedTree | undefined;
  try {
    if (config.origin.value !== undefined) origin = await openServedTree(config, context);
    const published = origin?.published ?? createLocalPublishedFiles(dataDirectory);
    const upstreamProblems = async () => upstreamProblemsOf(await currentUpstreams(config, context, state));
    const { counts, publication, last_build, mirror } = await readStatus(
      {
        published,
        dataDirectory,
        state,
        catalogue: createCatalogue(published),
        counters: { degraded: () => false },
        upstreamProblems,
      },
      context.now().getTime(),
    );
    const servers = await readServers(config, context.now(), publication);
    return { version, counts, publication, last_build, mirror, servers };
  } finally {
    origin?.close();
    await state.close();
  }
}

async function readServers(
  config: Pick<Config, 'data' | 'state'>,
  now: Date,
  newest: Status['publication'],
): Promise<readonly ServerView[]> {
  const age = newest === null ? null : Math.max(0, now.getTime() - Date.parse(newest.published_at)) / 1000;
  const servers = await runningServers(config, now);
  return servers.map(
    ({ host = null, pid = null, version: its = null, address = null, since = null, serial = null }) => {
      const lag = newest === null || serial === null ? null : serial >= newest.serial ? 0 : age;
      return { host, pid, version: its, address, since, serial, lag_seconds: lag };
    },
  );
}

function describeServer({ host, pid, version: its, address, serial, lag_seconds: lag }: ServerView): string {
  const at = address === null ? '' : `, ${address}`;
  const who = `${host ?? 'unknown host'}, process ${pid ?? 'unknown'}, ${its ?? '0.2.0 or before'}${at}`;
  if (serial === null) return who;
  const late = lag === null || lag === 0 ? '' : `; the newest one is ${lag.toFixed(0)} s old`;
  return `${who}, serves publication ${serial}${late}`;
}

function describe({
  version: running,
  counts,
  publication,
  last_build: last,
  counters,
  mirror,
  servers = [],
}: StatusView): string[] {
  const { packages, damaged_packages: damaged = 0, versions, tokens, users, repositories, artifacts } = counts;
  const left =
    last === null
      ? ''
      : [
          ...(last.quarantined === 0 ? [] : [`${counted(last.quarantined, 'version')} left out`]),
          ...(last.failed_sources === 0 ? [] : [`${counted(last.failed_sources, 'source')} could not be read`]),
        ]
          .map((part) => `, ${part}`)
          .join('');
  return formatFields([
    ['version', running],
    ['published', `${counted(packages, 'package')}, ${counted(versions, 'version')}`],
    ...(damaged === 0
      ? []
      : [['damaged', `${counted(damaged, 'package')}: \`libretto verify\` names the repair`] as const]),
    ['publication', publication === null ? 'none' : `${publication.serial} of ${publication.published_at}`],
    ['last build', last === null ? 'none known' : `${last.outcome} at ${last.finished_at}${left}`],
    ['repositories', String(repositories)],
    ...connectionFields(counts),
    ['artifacts', String(artifacts)],
    ['tokens', `${tokens.read} read, ${tokens.write} write`],
    ['users', String(users)],
    ...servers.map((server) => ['server', describeServer(server)] as const),
    ...(counters === undefined
      ? []
      : [['counters', counters === 'ok' ? 'ok' : 'local: the shared counters cannot be reached'] as const]),
    ...(mirror?.problems ?? []).map(({ upstream, message }) => ['not used', `${upstream}: ${message}`] as const),
  ]);
}

function connectionFields({
  connections = 0,
  failed_connections: failing = 0,
}: StatusView['counts']): readonly (readonly [string, string])[] {
  if (connections === 0) return [];
  const failed = failing === 0 ? '' : `, ${failing} not in step: \`libretto doctor\` says why`;
  return [['connections', `${connections}${failed}`]];
}
