// `libretto publish`: a folder or a ZIP becomes one published version, on the data folder here or, with --url, on a
// remote registry.

import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { VersionBuild } from '../../../build/artifacts/artifact-tree.ts';
import { publishApproved, publishArtifact } from '../../../build/artifacts/publish-artifact.ts';
import { withdrawArtifact } from '../../../build/artifacts/withdraw-artifact.ts';
import { artifactsFolder, stagedUploadName, stagingFolder } from '../../../build/contract/artifact-files.ts';
import type { Reference } from '../../../build/contract/digest.ts';
import { RegistryError } from '../../../build/contract/errors.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { DistLabel } from '../../../build/contract/paths.ts';
import { QuarantineError } from '../../../build/contract/quarantine.ts';
import { openDataFolder } from '../../../build/sources/data-folder.ts';
import { createArtifacts } from '../../../proxy/artifacts/artifacts.ts';
import type { ArtifactPublisher, ContentOfVersion } from '../../../proxy/artifacts/publisher.ts';
import { readPublication, readWithdrawal } from '../../../proxy/artifacts/read-outcome.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { withJobToken, registryOfJob } from '../../ci/exchange.ts';
import { artifactBuild } from '../../builds/artifact-build.ts';
import { readUploadRules, type UploadRules } from '../../builds/upload-rules.ts';
import type { Config } from '../../config/config.ts';
import type { CommandInput } from '../../io/command.ts';
import { openState } from '../../state/open-state.ts';
import { classifyFolder } from '../../data-folder/data-folder-traces.ts';
import { configOf, makeOrReadDataFolder, type PossiblyNew } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines, printNotes, printWarnings } from '../../io/output.ts';
import { startProgress } from '../../io/progress.ts';
import { publishRemotely } from '../../remote/publish-remotely.ts';
import { refuseReadToken, remoteOf, type Remote, type RemoteRegistry } from '../../remote/remote.ts';
import { UsageError } from '../../io/usage-error.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { isTar } from '../../../build/sources/artifact/repack-tar.ts';
import { describePublished, holdOn } from './describe-published.ts';
import { checkArtifact, planPublication } from './dry-run.ts';
import { givenDescription } from './given-description.ts';
import { givenVersion, statArtifact, nameWithheld, pack, packSilently, type PublishJob } from './publish-job.ts';

interface Published {
  readonly record: JsonObject;
  readonly created: boolean;
}

export const publishes = true;

export function run(context: Context, given: CommandInput): Promise<number> {
  return publishOrPlan(context, given).catch((error: unknown) => Promise.reject(explained(error)));
}

/** The command line names a version with its own flag, and a missing argument is a usage error. */
function explained(error: unknown): unknown {
  if (error instanceof QuarantineError) return new RegistryError('ARTIFACT_INVALID', { message: error.message });
  if (!(error instanceof RegistryError) || error.details['reason'] !== 'VERSION_MISSING') return error;
  return new UsageError(
    'The version is unknown. Write "version" into composer.json, or name it with --version, such as --version 1.2.0.',
    { cause: error },
  );
}

async function publishOrPlan(context: Context, given: CommandInput): Promise<number> {
  const { flags } = given;
  if (flags['oidc'] !== true) {
    if (flags['publisher'] !== undefined) throw new UsageError('--publisher belongs to --oidc. Use both, or none.');
    return publishOn(context, given, await remoteOf(flags, context));
  }
  const registry = registryOfKeylessJob(flags, context);
  // faults that the command can find itself do not use up the ID token
  givenVersion(flags['version']);
  statArtifact(pathOf(context, given));
  const wish = { purpose: 'publish', publisher: flags['publisher'] as string | undefined } as const;
  return withJobToken(registry, context, wish, (remote) => publishOn(context, given, remote));
}

function pathOf({ workingDirectory }: Context, { operands }: CommandInput): string {
  return resolve(workingDirectory, operands[0] ?? '.');
}

async function publishOn(context: Context, command: CommandInput, remote: Remote | undefined): Promise<number> {
  const { stdout, summary, now } = context;
  const { flags } = command;
  const version = givenVersion(flags['version']);
  const path = pathOf(context, command);
  const facts = statArtifact(path);
  const description = await givenDescription(path, facts, flags, version);
  const given = await configOf(context, flags);
  const isFirst = remote === undefined && flags['dryRun'] !== true && classifyFolder(given.data.value) !== 'registry';
  if (isFirst) refuseUnnamed(given.data);
  const { config } = remote === undefined && !isFirst ? await openLocal(context, flags) : { config: given };
  const progress = await startProgress(context.progress, () => now().getTime());
  const job: PublishJob = {
    context,
    config,
    path,
    isFolder: facts.isDirectory() || description !== undefined || isTar(path),
    description,
    version,
    progress,
  };
  if (flags['dryRun'] === true) return planPublication(job, remote, flags['json'] === true).finally(progress.stop);
  const { record, created } = await publish(job, remote, isFirst ? () => openLocal(context, flags) : undefined).finally(
    progress.stop,
  );
  if (flags['json'] === true) printJson(stdout, record);
  else printLines(summary, [describePublished(record, created, remote)]);
  const { notices } = record; // of a remote registry
  if (Array.isArray(notices)) printNotes(context.remarks, notices.map(String));
  return 0;
}

/** A CI job with a forgotten LIBRETTO_URL would be green, and its version would go into a folder of the checkout. */
function refuseUnnamed({ value, origin }: Config['data']): void {
  if (origin.from !== 'default') return;
  throw new UsageError(
    `No registry is named, and there is no data folder ${value} (default). To publish to a server, set LIBRETTO_URL ` +
      'and LIBRETTO_TOKEN, or use --url. To make a registry here, name its folder: --data DIRECTORY.',
  );
}

async function openLocal(context: Context, flags: CommandInput['flags']): Promise<PossiblyNew> {
  const { config, announceNew } = await makeOrReadDataFolder(context, flags, 'all');
  return { config: await withStateSettings(config, context), announceNew };
}

/** `openNew`: of the first publication of a registry */
function publish(
  job: PublishJob,
  remote: Remote | undefined,
  openNew?: () => Promise<PossiblyNew>,
): Promise<Published> {
  if (remote !== undefined) return publishThere(job, remote);
  return openNew === undefined ? publishLocally(job) : publishFirst(job, openNew);
}

/** Checks the package before the data folder is made: a refusal leaves no registry without a package. */
async function publishFirst(job: PublishJob, openNew: () => Promise<PossiblyNew>): Promise<Published> {
  const folder = mkdtempSync(join(tmpdir(), 'libretto-publish-'));
  try {
    const path = job.isFolder ? join(folder, 'package.zip') : job.path;
    const withheld = job.isFolder ? await packSilently(job, path) : [];
    await checkArtifact(path, job.version, undefined);
    const { config, announceNew } = await openNew();
    const published = await publishLocally({ ...job, path, isFolder: false, config }).finally(announceNew);
    nameWithheld(job, withheld);
    return published;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function publishLocally(job: PublishJob): Promise<Published> {
  const dataDirectory = await openDataFolder(job.config.data.value);
  const { config, context, version, progress } = job;
  const { now, randomBytes, actor } = context;
  const folder = join(dataDirectory, artifactsFolder, stagingFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const staged = join(folder, stagedUploadName(process.pid, randomUUID()));
  const state = await openState(config);
  try {
    if (job.isFolder) await pack(job, staged);
    else copyFileSync(job.path, staged);
    const nowMs = (): number => now().getTime();
    const notice = (message: string): void => {
      progress.stop();
      printNotes(context.remarks, [message]);
    };
    const build = artifactBuild(config, context, progress.show);
    const publisher = createLocalPublisher(build, notice, await readUploadRules(state));
    const artifacts = createArtifacts({
      store: createAuditedStore({ store: state, now: nowMs }),
      now: nowMs,
      randomBytes,
      actor,
      publisher,
      dataDirectory,
    });
    const { record, created } = await artifacts.publish({ path: staged, version });
    const { notices, ...hold } = await holdOn(record, job, state);
    notices.forEach(notice);
    return { record: { ...record, published_from: record.published_from ?? null, ...hold }, created };
  } finally {
    rmSync(staged, { force: true });
    await state.close();
  }
}

/** Publishes in this process. `notice` gets the build's remarks on the package. */
function createLocalPublisher(
  build: VersionBuild,
  notice: (message: string) => void,
  rules: UploadRules,
): ArtifactPublisher {
  return {
    publish: async (upload) => {
      const outcome = await publishArtifact({ ...upload, ...rules }, build);
      if (outcome.outcome !== 'refused') [...outcome.notices, ...outcome.registryNotices].forEach(notice);
      return readPublication(outcome);
    },
    approve: async (content) => readPublication(await publishApproved(parsed(content), build, rules.isRejected)),
    withdraw: async (content) => readWithdrawal(await withdrawArtifact(parsed(content), build)),
  };
}

/** The record was made from the builder's answer, which parsed these texts. */
function parsed({ name, version, reference }: ContentOfVersion) {
  return { name: name as PackageName, version: version as DistLabel, reference: reference as Reference };
}

async function publishThere(job: PublishJob, remote: Remote): Promise<Published> {
  refuseReadToken(remote);
  const folder = mkdtempSync(join(tmpdir(), 'libretto-publish-'));
  try {
    const path = job.isFolder ? join(folder, 'package.zip') : job.path;
    if (job.isFolder) await pack(job, path);
    job.progress.show({ phase: 'publish', done: 0, total: 0, label: remote.url });
    return await publishRemotely(remote, { path, size: statArtifact(path).size }, job.version);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// The registry of `libretto publish --oidc`. A stored token would defeat its purpose, so that none is used.

/** Throws UsageError. */
function registryOfKeylessJob(flags: CommandInput['flags'], context: Context): RemoteRegistry {
  if (flags['token'] !== undefined) throw new UsageError('Use --oidc or --token, not both: --oidc needs no token.');
  if (flags['data'] !== undefined)
    throw new UsageError('--oidc publishes to a remote registry. Name its address with --url, and leave out --data.');
  const registry = registryOfJob(flags, context, '--oidc');
  if ((context.environment['LIBRETTO_TOKEN'] ?? '') !== '')
    printWarnings(context.stderr, [
      'LIBRETTO_TOKEN is set, and --oidc does not use it. Remove the secret from the CI system, and revoke its token.',
    ]);
  return registry;
}
