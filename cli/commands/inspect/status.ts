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
import { treeDamage } from '../../tree/damaged-tree.ts';
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
  };

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
  const config = await readDataFolder(context, flags, 'all');
  const dataDirectory = config.data.value;
  const damage = treeDamage(dataDirectory);
  if (damage !== undefined) throw new UsageError(damage);
  const published = createLocalPublishedFiles(dataDirectory);
  const state = await openExistingState(config);
  try {
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
    return { version, counts, publication, last_build, mirror };
  } finally {
    await state.close();
  }
}

function describe({ version: running, counts, publication, last_build: last, counters, mirror }: StatusView): string[] {
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
