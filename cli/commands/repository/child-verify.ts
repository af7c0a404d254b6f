// `libretto repository verify --record`: checks in a process of its own that a repository can be read with its
// credentials, and lists its contents. It changes nothing; exit code 1 if the check fails.

import { setMaxListeners } from 'node:events';

import { RegistryError } from '../../../build/contract/errors.ts';
import type { JsonValue } from '../../../build/contract/json.ts';
import type { RegisteredSource } from '../../../build/sources/options.ts';
import { nothingFound, type Verification } from '../../../proxy/sync/repository-schema.ts';
import { parseRepositoryRecord, type RepositoryRecord } from '../../../proxy/sync/repository.ts';
import { registeredReason } from '../../builds/registered-advice.ts';
import { prepareSources } from '../../builds/registered-sources.ts';
import { composeConnectionCredentials } from '../../compose/connection-credentials.ts';
import type { Config } from '../../config/config.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson } from '../../io/output.ts';
import { runRepositoryCommand, type RepositoryCommand } from './repository-command.ts';

type Found = Omit<Verification, 'ok' | 'message'>;

/** The record that the service checks may be stored nowhere. */
export function run(context: Context, given: CommandInput): Promise<number> {
  const record = parseRepositoryRecord(JSON.parse(String(given.flags['record'])) as JsonValue);
  return runRepositoryCommand(
    context,
    given,
    async (command) => {
      const found = await (record.type === 'composer' ? probeMirrored : probeSource)(record, command);
      const isRefusal = found instanceof RegistryError && found.code !== 'BUILD_FAILED';
      printJson(context.stdout, isRefusal ? found.body() : asDocument(found));
      return found instanceof Error ? 1 : 0;
    },
    { changes: true },
  );
}

async function probeSource(
  record: RepositoryRecord,
  { config, context, state, sealer }: RepositoryCommand,
): Promise<Found | Error> {
  const connectionCredentials = composeConnectionCredentials(config, context, { state, sealer });
  const options = { config, environment: context.environment, sealer, connectionCredentials };
  const { refusals, sources, close } = await prepareSources([record], options);
  return refusals.get(record.id) ?? look(record, sources[0], config, context).finally(close);
}

async function probeMirrored(
  record: RepositoryRecord,
  { config, context, sealer }: RepositoryCommand,
): Promise<Found | Error> {
  const { probeRegistered } = await import('../../mirror/probe-registered.ts');
  const probe = await probeRegistered(record, config, sealer, () => context.now().getTime());
  if (probe instanceof RegistryError) return probe;
  const { protocol, names } = probe;
  return { ...nothingFound, protocol, package_count: names?.length ?? null, packages: (names ?? []).slice(0, 1000) };
}

/** The contents of the repository, or the reason why it cannot be read. */
async function look(
  record: RepositoryRecord,
  source: RegisteredSource | undefined,
  config: Config,
  context: Context,
): Promise<Found | Error> {
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
    if (scan.outcome === 'failed') return new Error(scan.reason);
    const { releases, quarantined, notices } =
      scan.outcome === 'read' ? scan : { releases: [], quarantined: [], notices: [] };
    return {
      ...nothingFound,
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
): Promise<Found | Error> {
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
    const { tags: tagCount, branches: branchCount, defaultBranch, packages, problems } = probe;
    return {
      ...nothingFound,
      tags: tagCount,
      branches: branchCount,
      default_branch: defaultBranch,
      packages,
      problems,
    };
  } catch (error) {
    if (error instanceof GitFailure) return new Error(registeredReason(record, error.message));
    throw error;
  }
}

function asDocument(found: Found | Error): Verification {
  return found instanceof Error
    ? { ok: false, message: found.message, ...nothingFound }
    : { ok: true, message: null, ...found };
}
