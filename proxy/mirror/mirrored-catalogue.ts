// Mirrored packages for lists and searches: those with a stored document or archive. The catalogue sends no request,
// because a search word may be a private name (I9). Each reader updates the catalogue, in the background if the update
// takes long; packages that are not read yet are absent, and `firstReading` says so.

import type { PackageName } from '../../build/contract/name.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { withDeadline } from '../../build/shared/concurrency/with-deadline.ts';
import type { View } from '../core/views/view.ts';
import {
  StoredPackageReader,
  type MirroredSummaries,
  type MirrorReads,
  type FirstReading,
  type StoredLists,
  type StoredPackage,
} from './stored-package-reader.ts';
import type { Compiled } from './rules/mirror-rules.ts';

export type MirroredCatalogue = ReturnType<typeof createMirroredCatalogue>;

export interface CatalogueOptions {
  /** `<data>/mirror` */
  readonly folder: string;
  readonly mirror: MirrorReads;
  /** grows when a publication may have made other names private */
  readonly epoch: (nowMs: number) => MaybeAsync<number>;
}

interface Seen {
  readonly version: number;
  readonly compiled: Compiled;
  readonly epoch: number;
  readonly packages: Promise<MirroredSummaries>;
}

const patienceMs = 1000;
const rememberedViews = 5;
/** Always the same object, so that a reader sees that nothing changed. */
const nothing: MirroredSummaries = new Map();

/** The summaries of the views that asked last. */
function rememberedSummaries(known: StoredPackageReader, epoch: CatalogueOptions['epoch']) {
  const views = new Map<string, Seen>();
  return async (which: 'named' | 'offered', compiled: Compiled, nowMs: number, view: View | undefined) => {
    const [key, at] = [`${which} ${view?.key ?? ''}`, await epoch(nowMs)];
    const before = views.get(key);
    if (before !== undefined && before.version === known.version && before.compiled === compiled && before.epoch === at)
      return before.packages;
    const packages = known.summariesFor(which, view, at);
    views.delete(key);
    views.set(key, { version: known.version, compiled, epoch: at, packages });
    packages.catch(() => views.delete(key));
    const [oldest] = views.keys();
    if (views.size > rememberedViews && oldest !== undefined) views.delete(oldest);
    return packages;
  };
}

export function createMirroredCatalogue({ folder, mirror, epoch }: CatalogueOptions) {
  const known = new StoredPackageReader(folder, mirror);
  /** After an update, if it is quick; undefined: nothing is mirrored. */
  const updated = async (nowMs: number) => {
    const settings = await mirror.settings();
    if (settings.compiled.rules.upstreams.length === 0) return undefined;
    await withDeadline(known.update(settings.compiled, nowMs), patienceMs, () => undefined);
    return settings;
  };
  const seenBy = rememberedSummaries(known, epoch);
  const summaries = async (which: 'named' | 'offered', nowMs: number, view?: View): Promise<MirroredSummaries> => {
    const settings = await updated(nowMs);
    return settings === undefined ? nothing : seenBy(which, settings.compiled, nowMs, view);
  };
  const stored = async (nowMs: number): Promise<readonly StoredPackage[]> => {
    const settings = await updated(nowMs);
    return known.list().filter(({ name }) => settings?.belongs(name).to === 'upstreams');
  };
  const storedOne = async (name: PackageName, nowMs: number): Promise<StoredPackage | undefined> =>
    (await updated(nowMs))?.belongs(name).to === 'upstreams' ? known.find(name, nowMs) : undefined;
  return {
    /** The packages within `view`, by name, also those of which rules refuse every version: for people. */
    read: (nowMs: number, view?: View) => summaries('named', nowMs, view),
    /** Those of which clients get a version. */
    readOffered: (nowMs: number, view?: View) => summaries('offered', nowMs, view),
    /** All stored packages by name, for people. */
    stored,
    /** One of them; undefined: nothing of the name is stored. */
    storedOne,
    /** undefined: every stored package is in the lists, or nothing is mirrored. */
    firstReading: async (): Promise<FirstReading | undefined> =>
      known.firstReading &&
      ((await mirror.settings()).compiled.rules.upstreams.length > 0 ? known.firstReading : undefined),
    /** Resolves after the first reading of the disk, however long it takes: the lists beside the stored versions. */
    lists: async (nowMs: number): Promise<(name: PackageName) => StoredLists | undefined> => {
      const { compiled } = await mirror.settings();
      if (known.firstReading !== undefined && compiled.rules.upstreams.length > 0) await known.update(compiled, nowMs);
      return (name) => known.lists(name);
    },
    /** The versions of the last reading of the disk that clients may get; [] for a package that is not known. */
    offered: (name: PackageName) => known.offered(name),
    /** True if mirrored packages may replace or provide the name; false for a private name. */
    isForeign: async (name: PackageName) => (await mirror.settings()).belongs(name).to !== 'private',
  };
}
