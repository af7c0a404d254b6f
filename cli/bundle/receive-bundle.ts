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
      const places = { tree: join(data, 'build/receive', name), mirror: join(mirrorFolder(config), '.receive', name) };
      const lock = await takeLock(join(data, 'build/receive', `.${name}.lock`), context.now);
      const clear = async (): Promise<void> => {
        for (const folder of Object.values(places)) await rm(folder, { recursive: true, force: true });
      };
      try {
        await clear(); // of a run that was killed
        return await receiveIn(places, name, bundle, { config, context, request });
      } finally {
        await clear();
        await lock.release();
        await removeEmptyFolders([dirname(places.tree)]);
        await removeEmptyFolders([mirrorFolder(config), dirname(places.mirror)]);
      }
    }),
  );
}

interface Places {
  readonly tree: string;
  /** on the disk of the mirror, which may be another one */
  readonly mirror: string;
}

interface Work {
  readonly config: Config;
  readonly context: Context;
  readonly request: BundleRequest;
}

async function receiveIn(
  places: Places,
  name: string,
  bundle: OpenBundle,
  { config, context, request }: Work,
): Promise<ReceivedBundle | Stopped> {
  const { manifest } = bundle;
  await extract(places, bundle, context);
  const { blocks } = lookUpPurged(await listPurged(createDiskOutput(config.data.value)));
  const stored = await checkStored({
    from: places.mirror,
    folder: mirrorFolder(config),
    checkRecord: checkUpstreamRecord,
    checkArchive: async (path) => void (await admitZip(path, foreignZipLimits)),
    blocks,
  });
  if (stored.lacking !== undefined)
    throw lacks(request.file, manifest, `the archive of ${stored.lacking.name} ${stored.lacking.version}`);
  const { registry, serial, whole } = manifest;
  const place = { name, tree: places.tree, ...(whole ? {} : { adopted: true as const }) };
  const report = await request
    .publish({ ...place, bundle: { registry, serial, whole } })
    .catch((error: unknown) => Promise.reject(explained(error, request.file, manifest)));
  if ('exitCode' in report) return report;
  if (request.isDone(report)) await stored.place();
  return { report, manifest, stored };
}

async function extract(places: Places, bundle: OpenBundle, context: Context): Promise<void> {
  const progress = await startProgress(context.progress, () => context.now().getTime(), 'check');
  const placeOf = (path: string): string =>
    path.startsWith('mirror/') ? join(places.mirror, path.slice('mirror/'.length)) : join(places.tree, path);
  try {
    await mkdir(places.tree, { recursive: true });
    await bundle.extract(placeOf, (done, total, label) => progress.show({ phase: 'check', done, total, label }));
  } finally {
    progress.stop();
  }
}

/** A tree with all its bytes that still lacks something was made so. */
function explained(error: unknown, file: string, manifest: BundleManifest): unknown {
  if (!(error instanceof IncompleteTree)) return error;
  const missing = / is missing$/.exec(error.fault);
  return missing !== null && manifest.since !== null
    ? lacks(file, manifest, error.fault.slice(0, missing.index))
    : unusable(file, `contradicts itself: ${error.fault}`);
}

function lacks(file: string, { registry, since }: BundleManifest, what: string): BuildRefused {
  if (since === null) return unusable(file, `lacks ${what}`);
  return new BuildRefused(
    `${file} has what is new since publication ${since.serial} of ${registry}, and this registry lacks ${what}. ` +
      `Receive the bundle of publication ${since.serial} first, or one that was made without --since. ` +
      'Nothing was changed.',
  );
}
