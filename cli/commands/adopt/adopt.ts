// `libretto adopt`: exit code 0; 1 if a version cannot be taken over, or differs there; 2, without any change, for a
// registry that cannot be read.

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BuildReport } from '../../../build/contract/build-report.ts';
import { parsePackageName } from '../../../build/contract/name.ts';
import { createDiskOutput } from '../../../build/output/disk-output.ts';
import { takeLock } from '../../../build/output/lock.ts';
import { removeEmptyFolders } from '../../../build/output/make-folder.ts';
import { receiveTree } from '../../../build/receive/receive.ts';
import { inDataFolder } from '../../../build/sources/data-folder.ts';
import { receivedSpec } from '../../../build/sources/spec.ts';
import { describeDifferences, describeFindings, withBuild, type Findings } from '../../adopt/adoption-report.ts';
import { noteSource, registerSources, type GitSources } from './register-sources.ts';
import { RemoteRegistry } from '../../adopt/remote-registry.ts';
import { takeOver } from '../../adopt/take-over.ts';
import { buildRequest } from '../../builds/build-request.ts';
import { stoppableBuild } from '../../builds/stoppable-build.ts';
import { bindFolder } from '../../compose/bind-folder.ts';
import type { Config } from '../../config/config.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printChanges, printJson, printNotes, printProblems } from '../../io/output.ts';
import { startProgress } from '../../io/progress.ts';
import { UsageError } from '../../io/usage-error.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { readLastPublication, readPublishedTree } from '../../tree/published-tree.ts';
import { adoptionRequest, chosenNames, type AdoptionRequest } from './adoption-flags.ts';

export const publishes = true;

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const request = adoptionRequest(context, flags, operands[0] ?? '');
  const { plan, url, name } = request;
  const made = await makeOrReadDataFolder(context, plan ? { ...flags, dryRun: true } : flags, 'tree');
  const config = await withStateSettings(made.config, context);
  const done = await (plan ? planned : adopted)(config, context, request);
  made.announceNew();
  if ('exitCode' in done) return done.exitCode;
  const { findings, build, sources } = done;
  if (flags['json'] === true) {
    const { published = false, serial = null } = build ?? {};
    printJson(context.stdout, { url, name, ...findings, sources, published, serial });
  } else printChanges(plan ? context.stdout : context.summary, describeFindings(url, findings, plan, sources));
  printProblems(context.stderr, describeDifferences(findings, sources));
  for (const one of findings.unmatched) printNotes(context.remarks, [`--only ${one} matches nothing there.`]);
  return findings.differences.some(({ kind }) => kind !== 'only-here') ? 1 : 0;
}

interface Done {
  readonly findings: Findings;
  readonly build: BuildReport | undefined;
  readonly sources: Awaited<ReturnType<typeof registerSources>>;
}

/** A second run would be taken for a new one: what is there by then is drift. An interrupted one left its tree. */
function refuseRepeated({ data }: Config, { name, continues }: AdoptionRequest): void {
  const known = readLastPublication(data.value)?.sources.some(({ id }) => id === specOf(name).id) === true;
  if (continues || !known || existsSync(treeOf(data.value, name))) return;
  throw new UsageError(
    `${name} was adopted before. Add --continue to take over what is new there, or --plan to see it first.`,
  );
}

async function planned(config: Config, context: Context, request: AdoptionRequest): Promise<Done> {
  const documents = await mkdtemp(join(tmpdir(), 'libretto-adopt-'));
  const findings = await gather(config, context, request, { data: config.data.value, documents });
  return { findings, build: undefined, sources: [] };
}

async function adopted(
  config: Config,
  context: Context,
  request: AdoptionRequest,
): Promise<Done | { readonly exitCode: number }> {
  return inDataFolder(config.data.value, async (data) => {
    const tree = treeOf(data, request.name);
    const documents = join(tree, 'documents');
    const place = { name: request.name, tree, adopted: true } as const;
    const lock = await takeLock(join(data, 'build', 'adopt', `.${request.name}.lock`), context.now);
    try {
      refuseRepeated(config, request); // with the lock: that of a killed run goes, too
      await rm(documents, { recursive: true, force: true }); // of a run that was killed
      const git: GitSources = new Map();
      const findings = await gather(config, context, request, { data, documents, git });
      const asked = buildRequest(config, context, { command: 'adopt' });
      const build =
        findings.taken.length === 0
          ? undefined
          : await stoppableBuild(asked, context, (final, effects) => receiveTree(place, final, effects));
      if (build !== undefined && 'exitCode' in build) return build;
      await bindFolder(config);
      const sources = request.registersSources ? await registerSources(git, config, context) : [];
      await rm(tree, { recursive: true, force: true }); // last: without it the run counts as complete
      return { findings: build === undefined ? findings : withBuild(findings, build), build, sources };
    } finally {
      await lock.release();
      for (const folder of [tree, dirname(tree)]) await removeEmptyFolders([folder]);
    }
  });
}

interface Places {
  /** the data folder */
  readonly data: string;
  /** a folder for the documents of the registry */
  readonly documents: string;
  readonly git?: GitSources;
}

/** Reads the registry, and writes a tree of what is new there. */
async function gather(
  config: Config,
  context: Context,
  request: AdoptionRequest,
  { data, documents, git = new Map() }: Places,
): Promise<Findings> {
  const { url, name, only, credentialOf } = request;
  const progress = await startProgress(context.progress, () => context.now().getTime(), 'adopt');
  let last = { done: 0, total: 0, label: '' };
  const show = (next: Partial<typeof last>): void =>
    progress.show({ phase: 'adopt', ...(last = { ...last, ...next }) });
  const registry = new RemoteRegistry({
    url,
    credentialOf,
    folder: documents,
    allowAddresses: config.egressAllow.value,
    now: () => context.now().getTime(),
    onWait: (untilMs) => show({ label: `waits until ${new Date(untilMs).toISOString()}` }),
  });
  try {
    const listed = await registry.names();
    const known = readPublishedTree(data)?.names.flatMap((one) => parsePackageName(one) ?? []) ?? [];
    const there = new Set(listed);
    const unlisted = listed === undefined || only !== undefined ? [] : known.filter((one) => !there.has(one));
    return await takeOver(chosenNames(listed, only, url), unlisted, {
      ...request,
      registry,
      output: createDiskOutput(data),
      folder: treeOf(data, name),
      source: specOf(name).id,
      now: context.now,
      progress: show,
      onOffered: (one, records) => noteSource(git, one, records),
    });
  } finally {
    progress.stop();
    await registry.close();
  }
}

function specOf(name: string) {
  return receivedSpec({ name, tree: undefined, adopted: true });
}

function treeOf(data: string, name: string): string {
  return join(data, 'build', 'adopt', name);
}
