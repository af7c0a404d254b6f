// `libretto bundle`: exit code 0, or 2 without a bundle, if a version of a lock file is not here.

import { rmSync } from 'node:fs';
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { BundleHead } from '../../../build/bundle/bundle-format.ts';
import { publishedFiles } from '../../../build/bundle/published-files.ts';
import { partialOf, refuseExisting, writeBundle, type FileToBundle } from '../../../build/bundle/write-bundle.ts';
import { createDiskOutput } from '../../../build/output/disk-output.ts';
import { refuseBadName } from '../../../build/receive/receive.ts';
import { changeTree } from '../../../build/store/change-tree.ts';
import { storedFiles } from '../../../proxy/mirror/archives/stored-files.ts';
import { lockedVersions } from '../../bundle/locked-versions.ts';
import type { Config } from '../../config/config.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import { parseSerial } from '../../config/serial.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import { outputStore } from '../../data-folder/output-store.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines } from '../../io/output.ts';
import { startProgress } from '../../io/progress.ts';
import { mirrorFolder } from '../../mirror/compose-mirror.ts';

/** The time that other commands, too, wait for a build. */
const waitMs = 60_000;

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const config = await readDataFolder(context, flags, 'tree');
  const since = flags['since'] === undefined ? undefined : parseSerial(String(flags['since']));
  const locks = ((flags['lock'] ?? []) as readonly string[]).map((path) => resolve(context.workingDirectory, path));
  const registry = registryName(config, flags['name']);
  const given = typeof flags['out'] === 'string' ? resolve(context.workingDirectory, flags['out']) : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'libretto-bundle-'));
  try {
    const done = await changeTree(
      config.data.value,
      { now: context.now, waitMs, output: outputStore(config, context) },
      async () => {
        const { head, files } = await collect(config, { registry, since, locks, folder });
        const target = await targetOf(given ?? context.workingDirectory, given === undefined, head);
        const written = await write(target, head, files, context);
        const mirrored = files.filter(({ path }) => /^mirror\/dist\/.*\.json$/.test(path)).length;
        return { file: target, ...head, files: files.length, mirrored, ...written };
      },
    );
    const { size, ...others } = done;
    if (flags['json'] === true) printJson(context.stdout, { ...others, bytes: size });
    else
      printLines(context.summary, [
        `Bundled publication ${done.serial} of ${registry}` +
          `${done.since === null ? '' : `, without the archives of publication ${done.since.serial}`}: ` +
          `${counted(done.files, 'file')}, ${(size / 1e6).toFixed(1)} MB, ` +
          `${counted(done.mirrored, 'version')} of other registries.`,
        `${done.file}`,
        `SHA-256 ${done.sha256}`,
      ]);
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Names this registry where the bundle is received. */
function registryName(config: Config, given: unknown): string {
  const url = publicUrlOf(config)?.url;
  const name = typeof given === 'string' ? given : url === undefined ? 'libretto' : new URL(url).host.replace(':', '-');
  refuseBadName(name);
  return name;
}

interface Collected {
  readonly head: BundleHead;
  readonly files: readonly FileToBundle[];
}

interface Request {
  readonly registry: string;
  readonly since: number | undefined;
  readonly locks: readonly string[];
  /** for documents that are made for the bundle */
  readonly folder: string;
}

async function collect(config: Config, { registry, since, locks, folder }: Request): Promise<Collected> {
  const data = await realpath(config.data.value);
  const output = createDiskOutput(data);
  const mirror = mirrorFolder(config);
  const locked = locks.length === 0 ? undefined : await lockedVersions(locks, { output, mirror });
  const published = await publishedFiles({ data, output, wants: locked?.wants, since, folder });
  const { files, ...moments } = published;
  const sinceMs = Date.parse(published.since?.published_at ?? '');
  const stored = await storedFiles(mirror, {
    wants: locked?.wantsStored,
    ...(locked === undefined ? {} : { names: locked.names }),
    isNew: ({ fetchedAt }) => !(Date.parse(fetchedAt) <= sinceMs),
  });
  return {
    head: { registry, ...moments, whole: locked === undefined },
    files: [...files, ...stored.map((file) => ({ ...file, path: `mirror/${file.path}` }))],
  };
}

/** `place`: a file, or an existing folder for a file with a name that says what is in it. */
async function targetOf(
  place: string,
  isFolder: boolean,
  { registry, serial, since, whole }: BundleHead,
): Promise<string> {
  const inFolder = isFolder || (await stat(place).catch(() => undefined))?.isDirectory() === true;
  const span = since === null ? `${serial}` : `${since.serial}-${serial}`;
  const target = inFolder ? join(place, `${registry}-${span}${whole ? '' : '-locks'}.bundle.tar`) : place;
  refuseExisting(target);
  return target;
}

async function write(target: string, head: BundleHead, files: readonly FileToBundle[], context: Context) {
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    context.onSignal(name, () => {
      rmSync(partialOf(target), { force: true });
      context.exitNow(128 + constants.signals[name]);
    });
  const progress = await startProgress(context.progress, () => context.now().getTime(), 'bundle');
  try {
    return await writeBundle(target, head, files, (done, total, label) =>
      progress.show({ phase: 'bundle', done, total, label }),
    );
  } finally {
    progress.stop();
  }
}
