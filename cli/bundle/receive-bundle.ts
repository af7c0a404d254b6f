// Receives a bundle: checks every byte of it, publishes its packages as a received tree, and takes over its mirrored
// packages. Nothing is changed before all of it was checked. A run that was killed is completed by the next one.

import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { admitZip } from '../../build/archive/zip-admission/admit-zip.ts';
import { foreignZipLimits } from '../../build/archive/zip-admission/zip-limits.ts';
import type { BundleManifest } from '../../build/bundle/bundle-format.ts';
import { unusable, withBundle, type OpenBundle } from '../../build/bundle/read-bundle.ts';
import type { BuildReport } from '../../build/contract/build-report.ts';
import { lookUpPurged } from '../../build/contract/purged.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import { createDiskOutput } from '../../build/output/disk-output.ts';
import { takeLock } from '../../build/output/lock.ts';
import { removeEmptyFolders } from '../../build/output/make-folder.ts';
import { listPurged } from '../../build/package/purged.ts';
import { refuseBadName } from '../../build/receive/receive.ts';
import { inDataFolder } from '../../build/sources/data-folder.ts';
import { IncompleteTree } from '../../build/sources/received/tree-file.ts';
import type { ReceivedPlace } from '../../build/sources/spec.ts';
import { checkStored, type StoredTakeOver } from '../../proxy/mirror/archives/take-over-stored.ts';
import type { Config } from '../config/config.ts';
import type { Stopped } from '../builds/stoppable-build.ts';
import type { Context } from '../io/context.ts';
import { startProgress } from '../io/progress.ts';
import { checkUpstreamRecord, mirrorFolder } from '../mirror/compose-mirror.ts';

export interface ReceivedBundle {
  readonly report: BuildReport;
  readonly manifest: BundleManifest;
  readonly stored: StoredTakeOver;
}

export interface BundleRequest {
  /** absolute */
  readonly file: string;
  /** of the registry that it was made on, here; undefined: as the bundle says */
  readonly name: string | undefined;
  /** publishes the tree */
  readonly publish: (place: ReceivedPlace) => Promise<BuildReport | Stopped>;
  /** true for a report after which the mirrored packages are taken over */
  readonly isDone: (report: BuildReport) => boolean;
}

/** Throws BuildRefused for a bundle that cannot be received, and whatever `publish` throws. */
export async function receiveBundle(
  config: Config,
  context: Context,
  request: BundleRequest,
): Promise<ReceivedBundle | Stopped> {
  return inDataFolder(config.data.value, (data) =>
    withBundle(request.file, async (bundle) => {
      const name = request.name ?? bundle.manifest.registry;
      refuseBadName(name);
      const tree = join(data, 'build/receive', name);
      const mirror = join(mirrorFolder(config), '.receive', name); // the mirror may be on another disk
      const lock = await takeLock(join(data, 'build/receive', `.${name}.lock`), context.now);
      const clear = (): Promise<unknown> =>
        Promise.all([tree, mirror].map((folder) => rm(folder, { recursive: true, force: true })));
      try {
        await clear(); // of a run that was killed
        await extract(bundle, { tree, mirror }, context);
        const { registry, serial, whole } = bundle.manifest;
        const place = { name, tree, bundle: { registry, serial, whole }, ...(whole ? {} : { adopted: true as const }) };
        return await receiveExtracted(bundle.manifest, place, mirror, config, request);
      } finally {
        await clear();
        await lock.release();
        await removeEmptyFolders([dirname(tree)]);
        await removeEmptyFolders([mirrorFolder(config), dirname(mirror)]);
      }
    }),
  );
}

async function extract(
  bundle: OpenBundle,
  { tree, mirror }: { readonly tree: string; readonly mirror: string },
  context: Context,
): Promise<void> {
  const progress = await startProgress(context.progress, () => context.now().getTime(), 'check');
  const placeOf = (path: string): string =>
    path.startsWith('mirror/') ? join(mirror, path.slice('mirror/'.length)) : join(tree, path);
  const show = (done: number, total: number, label: string): void =>
    progress.show({ phase: 'check', done, total, label });
  await mkdir(tree, { recursive: true });
  await bundle.extract(placeOf, show).finally(() => progress.stop());
}

async function receiveExtracted(
  manifest: BundleManifest,
  place: ReceivedPlace,
  mirror: string,
  config: Config,
  { file, publish, isDone }: BundleRequest,
): Promise<ReceivedBundle | Stopped> {
  const { blocks } = lookUpPurged(await listPurged(createDiskOutput(config.data.value)));
  const stored = await checkStored({
    from: mirror,
    folder: mirrorFolder(config),
    checkRecord: checkUpstreamRecord,
    checkArchive: async (path) => void (await admitZip(path, foreignZipLimits)),
    blocks,
  });
  const [lacking] = stored.lacking;
  if (lacking !== undefined) throw lacks(file, manifest, `the archive of ${lacking.name} ${lacking.version}`);
  const report = await publish(place).catch((error: unknown) => {
    if (!(error instanceof IncompleteTree)) throw error;
    throw lacks(file, manifest, error.fault.replace(/ is missing$/, ''), error.fault);
  });
  if ('exitCode' in report) return report;
  if (isDone(report)) await stored.place();
  return { report, manifest, stored };
}

/** `fault`: of a tree that has all its bytes, and still is not whole. */
function lacks(file: string, { registry, since }: BundleManifest, what: string, fault?: string): BuildRefused {
  if (since === null || (fault !== undefined && !fault.endsWith(' is missing')))
    return unusable(file, `contradicts itself: ${fault ?? `${what} is missing`}`);
  return new BuildRefused(
    `${file} has what is new since publication ${since} of ${registry}, and this registry lacks ${what}. Receive the ` +
      `bundle of publication ${since} first, or one that was made without --since. Nothing was changed.`,
  );
}
