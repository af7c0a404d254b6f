// `libretto repository verify`: checks that a repository can be read with its credentials, and lists its contents. It
// changes nothing; exit code 1 if the check fails.

import { setMaxListeners } from 'node:events';

import { RegistryError } from '../../../build/contract/errors.ts';
import type { JsonValue } from '../../../build/contract/json.ts';
import type { RegisteredSource } from '../../../build/sources/options.ts';
import { parseRepositoryRecord, type RepositoryRecord } from '../../../proxy/sync/repository.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printJson, printLines, printProblems } from '../../io/output.ts';
import { registeredReason } from '../../builds/registered-advice.ts';
import { prepareSources } from '../../builds/registered-sources.ts';
import { composeConnectionCredentials } from '../../compose/connection-credentials.ts';
import { runRepositoryCommand, type RepositoryCommand } from './repository-command.ts';

interface Found {
  readonly tags: number | null;
  readonly branches: number | null;
  readonly default_branch: string | null;
  readonly protocol: string | null;
  readonly package_count: number | null;
  readonly packages: readonly string[];
  readonly problems: readonly string[];
}

export function run(context: Context, given: CommandInput): Promise<number> {
  return runRepositoryCommand(
    context,
    given,
    async ({ config, state, sealer, repositories, id, json }) => {
      const record = unstored(given) ?? (await repositories.get(id));
      if (record.type === 'composer') return verifyMirrored(record, { config, context, sealer, json });
      const connectionCredentials = composeConnectionCredentials(config, context, { state, sealer });
      const options = { config, environment: context.environment, sealer, connectionCredentials };
      const prepared = await prepareSources([record], options);
      const refusal = prepared.refusals.get(record.id);
      const found =
        refusal?.message ?? (await look(record, prepared.sources[0], config, context).finally(prepared.close));
      if (json)
        printJson(
          context.stdout,
          refusal !== undefined && refusal.code !== 'BUILD_FAILED' ? refusal.body() : asDocument(found),
        );
      else if (typeof found === 'string') printProblems(context.stderr, [`${record.url} cannot be read: ${found}`]);
      else printLines(context.stdout, describe(record, found));
      return typeof found === 'string' ? 1 : 0;
    },
    { changes: true },
  );
}

/** The record that the server checks before it is registered; undefined: the stored one. */
function unstored({ flags }: CommandInput): RepositoryRecord | undefined {
  const text = flags['record'];
  return typeof text === 'string' ? parseRepositoryRecord(JSON.parse(text) as JsonValue) : undefined;
}

/** The fields of a source that is no Composer repository. */
const noRepository = { protocol: null, package_count: null };

async function verifyMirrored(
  record: RepositoryRecord,
  { config, context, sealer, json }: Pick<RepositoryCommand, 'config' | 'context' | 'sealer' | 'json'>,
): Promise<number> {
  const { probeRegistered } = await import('../../mirror/probe-registered.ts');
  const probe = await probeRegistered(record, config, sealer, () => context.now().getTime());
  if (probe instanceof RegistryError) {
    if (json) printJson(context.stdout, probe.code === 'BUILD_FAILED' ? asDocument(probe.message) : probe.body());
    else printProblems(context.stderr, [`${record.url} cannot be read: ${probe.message}`]);
    return 1;
  }
  const { protocol, names } = probe;
  const found: Found = {
    tags: null,
    branches: null,
    default_branch: null,
    protocol,
    package_count: names?.length ?? null,
    packages: (names ?? []).slice(0, 1000),
    problems: [],
  };
  if (json) printJson(context.stdout, asDocument(found));
  else
    printLines(context.stdout, [
      `${record.url} can be read: it publishes by ${protocol}, and ` +
        `${names === undefined ? 'does not list its packages' : `lists ${counted(names.length, 'package')}`}.`,
    ]);
  return 0;
}

/** The contents of the repository, or the reason why it cannot be read. */
async function look(
  record: RepositoryRecord,
  source: RegisteredSource | undefined,
  config: Config,
  context: Context,
): Promise<Found | string> {
  if (source === undefined) throw new RegistryError('NOT_FOUND');
  const { type, url } = record;
  if (type === 'git') return probeRemote(record, source, config, context);
  const options = { root: url, dataDirectory: config.data.value, now: context.now };
  const folder =
    type === 'directory'
      ? (await import('../../../build/sources/directory/directory-source.ts')).createDirectorySource(options)
      : (await import('../../../build/sources/artifact/artifact-source.ts')).createArtifactSource(options);
  try {
    const scan = await folder.scan(undefined);
    if (scan.outcome === 'failed') return scan.reason;
    const { releases, quarantined, notices } =
      scan.outcome === 'read' ? scan : { releases: [], quarantined: [], notices: [] };
    return {
      tags: null,
      branches: null,
      default_branch: null,
      ...noRepository,
      packages: [...new Set(releases.map(({ name }) => name))].toSorted(),
      problems: [...quarantined.map(({ where, message }) => `${where}: ${message}`), ...notices],
    };
  } finally {
    await folder.close();
  }
}

async function probeRemote(
  record: RepositoryRecord,
  { options, environment }: RegisteredSource,
  config: Config,
  context: Context,
): Promise<Found | string> {
  const [{ probeRepository }, { GitFailure }] = await Promise.all([
    import('../../../build/sources/git/probe.ts'),
    import('../../../build/sources/git-failure.ts'),
  ]);
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  for (const name of ['SIGINT', 'SIGTERM'] as const) context.onSignal(name, () => controller.abort());
  const { tags, branches, subdirectories } = options;
  try {
    const probe = await probeRepository({
      url: record.url,
      environment,
      timeoutMs: config.gitAskTimeout.value * 1000,
      stop: controller.signal,
      refs: tags === undefined && branches === undefined ? undefined : { tags, branches },
      subdirectories,
    });
    return {
      tags: probe.tags,
      branches: probe.branches,
      default_branch: probe.defaultBranch,
      ...noRepository,
      packages: probe.packages,
      problems: probe.problems,
    };
  } catch (error) {
    if (error instanceof GitFailure) return registeredReason(record, error.message);
    throw error;
  }
}

function asDocument(found: Found | string): object {
  if (typeof found === 'string')
    return {
      ok: false,
      message: found,
      tags: null,
      branches: null,
      default_branch: null,
      ...noRepository,
      packages: [],
      problems: [],
    };
  return { ok: true, message: null, ...found };
}

function describe(
  { url, type }: RepositoryRecord,
  { tags, branches, default_branch: branch, packages, problems }: Found,
): string[] {
  const refsText =
    `${counted(tags ?? 0, 'tag')}, ${counted(branches ?? 0, 'branch', 'branches')}, ` +
    `default branch ${branch ?? 'unknown'}`;
  return [
    `${url} can be read${type === 'git' ? `: ${refsText}` : ''}.`,
    packages.length === 0
      ? 'No package was found.'
      : 'Packages: ' +
        `${packages.slice(0, 20).join(', ')}${packages.length > 20 ? ` and ${packages.length - 20} more` : ''}`,
    ...firstOf(
      problems.map((problem) => `  ${problem}`),
      40,
    ),
  ];
}
