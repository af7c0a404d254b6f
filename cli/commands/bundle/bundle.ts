// `libretto bundle`: exit code 0, or 2 without a bundle, if a version of a lock file is not here, or the
// token is unknown.

import { rmSync } from 'node:fs';
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BundleHead } from '../../../build/bundle/bundle-format.ts';
import { publishedFiles } from '../../../build/bundle/published-files.ts';
import { partialOf, refuseExisting, writeBundle, type FileToBundle } from '../../../build/bundle/write-bundle.ts';
import { readPublicationRecord } from '../../../build/history/record.ts';
import { createDiskOutput } from '../../../build/output/disk-output.ts';
import { refuseBadName } from '../../../build/receive/receive.ts';
import { changeTree } from '../../../build/store/change-tree.ts';
import { seenFiles } from '../../../proxy/mirror/seen-files.ts';
import { storedFiles } from '../../../proxy/mirror/archives/stored-files.ts';
import { lockedVersions } from '../../bundle/locked-versions.ts';
import { versionsOfView, withViewOfToken, type TokenView } from '../../bundle/seen-view.ts';
import type { Config } from '../../config/config.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import { parseSerial } from '../../config/serial.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import { outputStore } from '../../data-folder/output-store.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines } from '../../io/output.ts';
import { startProgress, waitLine } from '../../io/progress.ts';
import { UsageError } from '../../io/usage-error.ts';
import { mirrorFolder } from '../../mirror/compose-mirror.ts';

/** The time that other commands, too, wait for a build. */
const waitMs = 60_000;
const howToTake = 'without an archive here. Fetch those of a lock file with `libretto mirror warm composer.lock`.';

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { workingDirectory, now, stdout, summary } = context;
  const { since: from, lock, token } = flags as BundleFlags;
  if (lock !== undefined && token !== undefined) throw new UsageError('Use --lock or --token, not both.');
  const config = await readDataFolder(context, flags, token === undefined ? 'tree' : 'all');
  const since = from === undefined ? undefined : parseSerial(from);
  const locks = (lock ?? []).map((path) => resolve(workingDirectory, path));
  const registry = registryName(config, flags['name']);
  const place = resolve(workingDirectory, String(flags['out'] ?? '.'));
  const folder = await mkdtemp(join(tmpdir(), 'libretto-bundle-'));
  const make = async (seen: TokenView | undefined) => {
    const { serial, files, lacking } = await collect(config, { since, locks, seen, folder });
    const head = { registry, serial, since: since ?? null, whole: locks.length === 0 && seen === undefined };
    const file = await targetOf(place, head, token ?? 'locks');
    const mirrored = files.filter(({ path }) => /^mirror\/dist\/.*\.json$/.test(path)).length;
    const counts = { files: files.length, mirrored, ...(lacking === undefined ? {} : { lacking: lacking.size }) };
    return { file, ...head, ...counts, ...(await write(file, head, files, context)) };
  };
  const output = outputStore(config, context);
  const locked = (seen?: TokenView) =>
    changeTree(config.data.value, { now, waitMs, progress: waitLine(context.remarks), output }, () => make(seen));
  const making = token === undefined ? locked() : withViewOfToken(config, context, token, locked);
  const made = await making.finally(() => rm(folder, { recursive: true, force: true }));
  if (flags['json'] === true) printJson(stdout, made);
  else
    printLines(summary, [
      `Bundled publication ${made.serial}${since === undefined ? '' : `, without the archives of publication ${since}`}: ` +
        `${counted(made.files, 'file')}, ${(made.bytes / 1e6).toFixed(1)} MB, ` +
        `${counted(made.mirrored, 'version')} of other registries.`,
      ...(made.lacking ? [`Left out: ${counted(made.lacking, 'version')} of other registries, ${howToTake}`] : []),
      made.file,
      `SHA-256: ${made.sha256}`,
    ]);
  return 0;
}

/** Names this registry where the bundle is received: two registries of one name would replace each other there. */
function registryName(config: Config, given: unknown): string {
  const url = publicUrlOf(config)?.url;
  const name = given ?? (url === undefined ? undefined : new URL(url).host.replace(':', '-'));
  if (typeof name !== 'string')
    throw new UsageError('Name this registry with --name, such as --name shop, or set publicUrl.');
  refuseBadName(name);
  return name;
}

interface BundleFlags {
  readonly since?: string;
  readonly lock?: readonly string[];
  readonly token?: string;
}

interface Request {
  readonly since: number | undefined;
  readonly locks: readonly string[];
  readonly seen: TokenView | undefined;
  /** for documents that are made for the bundle */
  readonly folder: string;
}

async function collect(config: Config, { since, locks, seen, folder }: Request) {
  const data = await realpath(config.data.value);
  const [output, mirror] = [createDiskOutput(data), mirrorFolder(config)];
  const seeing = seen && { ...seen, folder: join(folder, 'mirror') };
  const wanted = seeing
    ? versionsOfView(seeing)
    : locks.length === 0
      ? undefined
      : await lockedVersions(locks, output, mirror);
  const { serial, files } = await publishedFiles({ data, output, wants: wanted?.wants, since, folder });
  const base = since === undefined ? undefined : await readPublicationRecord(output, since);
  const sinceMs = Date.parse(base?.published_at ?? '');
  const all = await storedFiles(mirror, {
    wants: wanted?.wantsStored,
    names: wanted?.names,
    isNew: ({ fetchedAt }) => !(Date.parse(fetchedAt) <= sinceMs), // all of them without that publication's record
  });
  const { files: stored, lacking } = seeing ? await seenFiles(all, seeing) : { files: all };
  return { serial, files: [...files, ...stored.map((file) => ({ ...file, path: `mirror/${file.path}` }))], lacking };
}

/** `place`: a file, or an existing folder for a file with a name that says what is in it. */
async function targetOf(place: string, { registry, serial, since, whole }: BundleHead, of: string): Promise<string> {
  const isFolder = (await stat(place).catch(() => undefined))?.isDirectory() === true;
  const span = since === null ? `${serial}` : `${since}-${serial}`;
  const target = isFolder ? join(place, `${registry}-${span}${whole ? '' : `-${of}`}.bundle.tar`) : place;
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
  const show = (done: number, total: number, label: string): void =>
    progress.show({ phase: 'bundle', done, total, label });
  return writeBundle(target, head, files, show).finally(() => progress.stop());
}
