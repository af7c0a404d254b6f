// Writes the catalogue of a data folder: package pages as plain files, for any web server. One process at a time writes
// a folder. A publication in the meantime is written too, so that the pages of one catalogue belong together.

import { constants } from 'node:os';
import { join } from 'node:path';
import { BuildBusy } from '../../build/contract/refusals.ts';
import { nothingPurged } from '../../build/contract/purged.ts';
import { buildLock } from '../../build/output/lock.ts';
import { waitForLock } from '../../build/output/wait-for-lock.ts';
import { standardBrand, type Brand } from '../../proxy/console/request/visit.ts';
import { createPackageTextReader } from '../../proxy/packages/package-texts.ts';
import { createRenderThread } from '../../proxy/packages/render-thread.ts';
import { createLocalPublishedFiles } from '../../proxy/core/tree/published-files.ts';
import { readBranding } from '../../proxy/settings/stored-settings.ts';
import { describeStep } from '../builds/build-steps.ts';
import type { Config } from '../config/config.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { Context } from '../io/context.ts';
import { counted, printLines, printWarnings } from '../io/output.ts';
import { startProgress } from '../io/progress.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { readSitePublication, readTree } from './read-tree.ts';
import { writeShown } from './shown-publication.ts';
import { markerFolder } from './site-record.ts';
import { siteUnits, type SiteParts } from './site-units.ts';
import { writeUnits, type WrittenFiles } from './write-units.ts';

/** The `site` of `--json`. */
export interface SiteReport extends WrittenFiles {
  /** absolute */
  readonly directory: string;
  readonly serial: number;
  readonly packages: number;
}

const lockWaitMs = 60_000;
/** A README takes milliseconds. The same text must give the same page on a slow machine too. */
const longestRenderMs = 60_000;

/** `folder`: of siteFolder. Rejects with UnusableFile for a damaged tree, StorageError, and BuildBusy. */
export async function writeSite(folder: string, config: Config, context: Context): Promise<SiteReport> {
  const { now, steps } = context;
  const lock = await waitForLock(join(folder, markerFolder, 'lock'), now, lockWaitMs, { lock: siteLock });
  const progress = await startProgress(context.progress, () => now().getTime(), 'site');
  endOnSignal(context, progress.stop);
  try {
    const written = await writeUntilSame(folder, await partsOf(config, context), ({ key }, done, total) => {
      const event = { phase: 'site', done, total, label: key.replace('packages/', '') } as const;
      progress.show(event);
      printLines(steps, [describeStep(event)]);
    });
    return { directory: folder, ...written };
  } finally {
    progress.stop();
    await lock.release();
  }
}

/** Writes again as long as there was a publication while it wrote. */
async function writeUntilSame(
  folder: string,
  parts: SiteParts,
  onUnit: Parameters<typeof writeUnits>[2],
): Promise<Omit<SiteReport, 'directory'>> {
  for (let [written, removed] = [0, 0]; ;) {
    const tree = await readTree(parts.files);
    const files = await writeUnits(folder, siteUnits(tree, parts), onUnit);
    [written, removed] = [written + files.written, removed + files.removed];
    const published = await readSitePublication(parts.files);
    if (published.serial !== tree.serial) continue;
    await writeShown(folder, published);
    return { serial: tree.serial, packages: tree.packages.size, written, removed };
  }
}

async function partsOf(config: Config, { stderr }: Context): Promise<SiteParts> {
  const files = createLocalPublishedFiles(config.data.value);
  const render = createRenderThread({
    worker: new URL('./render-worker.js', import.meta.url),
    longestMs: longestRenderMs,
    onFailure: () =>
      printWarnings(stderr, ['A README or CHANGELOG could not be rendered, and is shown as plain text.']),
  });
  const texts = createPackageTextReader(files, render, () => nothingPurged);
  return { files, texts, origin: publicUrlOf(config)?.url, brand: await brandOf(config) };
}

async function brandOf(config: Config): Promise<Brand> {
  const state = await openStateIfAny(config);
  try {
    return { ...standardBrand, ...(state && (await readBranding(state))) };
  } finally {
    await state?.close();
  }
}

/** Ends at once: every file is whole, and the next run takes the lock over. */
function endOnSignal({ onSignal, exitNow }: Context, beforeEnd: () => void): void {
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    onSignal(name, () => {
      beforeEnd();
      exitNow(128 + constants.signals[name]);
    });
}

const siteLock = {
  ...buildLock,
  busy: (path: string) => new BuildBusy(`${path}: another process writes this catalogue. Try again when it has ended.`),
};

export function describeSite({ directory, packages, written, removed }: SiteReport): string {
  const head = `Catalogue of ${counted(packages, 'package')} in ${directory}`;
  if (written + removed === 0) return `${head}: unchanged.`;
  return `${head}: ${counted(written, 'file')} written, ${removed} removed.`;
}
