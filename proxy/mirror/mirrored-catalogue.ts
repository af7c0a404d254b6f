// Mirrored packages as lists and searches have them: those of which a document or an archive is kept. Nobody is asked,
// since a word that somebody looks for may be a private name (I9). Brought up to date by whoever looks, in the
// background where it takes long: what is not read yet is not found yet.

import { join } from 'node:path';
import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { withDeadline } from '../../build/shared/concurrency/with-deadline.ts';
import type { PackageSummary } from '../packages/package-summary.ts';
import { filterOf, type View } from '../views/view.ts';
import { anything, documentFiles, CachedNames, type CachedPackage } from './catalogue/cached-names.ts';
import { cachedSummary, seenSummary, type Kept } from './catalogue/cached-summary.ts';
import { cachedVersions } from './documents/cached-versions.ts';
import type { Mirror } from './mirror.ts';
import type { Compiled } from './rules/mirror-rules.ts';

export type MirroredSummaries = ReadonlyMap<PackageName, PackageSummary>;

export interface MirroredCatalogue {
  /** By name, as far as `view` goes. */
  readonly read: (nowMs: number, view?: View) => Promise<MirroredSummaries>;
  /** Whether a name is one that mirrored packages may stand for: a private one is not. */
  readonly isForeign: (name: PackageName) => Promise<boolean>;
}

export interface CatalogueOptions {
  /** `<data>/mirror` */
  readonly folder: string;
  readonly mirror: Pick<Mirror, 'standing' | 'shelf' | 'written'>;
  /** grows when a publication may have made other names private */
  readonly epoch: (nowMs: number) => MaybeAsync<number>;
}

interface Known extends Kept {
  readonly of: CachedPackage;
  readonly compiled: Compiled;
}

interface Seen {
  readonly version: number;
  readonly compiled: Compiled;
  readonly epoch: number;
  readonly packages: Promise<MirroredSummaries>;
}

const lookEveryMs = 5000;
const patienceMs = 1000;
const mostPackages = 20_000;
const rememberedViews = 4;
/** So many are a few milliseconds' work; then others get their turn. */
const packagesInTurn = 200;

export function createMirroredCatalogue({ folder, mirror, epoch }: CatalogueOptions): MirroredCatalogue {
  const places = new Map<string, CachedNames>();
  const archives = new CachedNames(join(folder, 'dist'), anything);
  const known = new Map<PackageName, Known>();
  const views = new Map<string, Seen>();
  let version = 0; // of `known`
  let current: { readonly compiled: Compiled; readonly atMs: number; readonly looking: Promise<void> } | undefined;

  const learn = async (
    name: PackageName,
    of: CachedPackage,
    compiled: Compiled,
    records: readonly JsonObject[],
    nowMs: number,
  ): Promise<void> => {
    known.set(name, { of, compiled, ...(await cachedSummary(name, records, compiled.rules.releases, nowMs)) });
    version += 1;
  };
  const isCurrent = (name: PackageName, of: CachedPackage, compiled: Compiled, nowMs: number): boolean => {
    const one = known.get(name);
    return (
      one !== undefined &&
      one.of === of &&
      one.compiled === compiled &&
      nowMs < (one.changesAtMs ?? Number.POSITIVE_INFINITY)
    );
  };
  const look = async (compiled: Compiled, nowMs: number): Promise<void> => {
    const { belongs } = await mirror.standing();
    const found = new Set<PackageName>();
    for (const { id } of compiled.rules.upstreams) {
      const place = compiled.upstreams.get(id)?.folder ?? '';
      const names = places.get(place) ?? new CachedNames(join(place, 'p2'), documentFiles);
      places.set(place, names);
      for (const [name, of] of await names.look()) {
        if (found.size >= mostPackages || found.has(name)) continue; // the first that has it is the one it comes from
        if (!isCurrent(name, of, compiled, nowMs)) {
          const belonging = belongs(name);
          if (belonging.to !== 'upstreams' || !belonging.ids.includes(id)) continue;
          const records = await cachedVersions(name, of.paths);
          if (records.length === 0) continue;
          await learn(name, of, compiled, records, nowMs);
        }
        found.add(name);
      }
    }
    for (const [name, of] of await archives.look()) {
      if (found.size >= mostPackages || found.has(name)) continue;
      if (!isCurrent(name, of, compiled, nowMs)) await learn(name, of, compiled, await recordsOf(mirror, name), nowMs);
      found.add(name);
    }
    for (const name of known.keys()) if (!found.has(name) && known.delete(name)) version += 1;
  };
  /** Rejects where it cannot be read at all. */
  const upToDate = (compiled: Compiled, nowMs: number): Promise<void> => {
    if (current !== undefined && current.compiled === compiled && Math.abs(nowMs - current.atMs) < lookEveryMs)
      return current.looking;
    const before = current?.looking ?? Promise.resolve();
    const looking = before
      .catch(() => undefined)
      .then(() => mirror.written())
      .then(() => look(compiled, nowMs));
    current = { compiled, atMs: nowMs, looking };
    looking.catch(() => (current = undefined)); // whoever asks next tries again
    return looking;
  };
  const gather = async (view: View | undefined): Promise<MirroredSummaries> => {
    const { belongs } = await mirror.standing();
    const seen = new Map<PackageName, PackageSummary>();
    let looked = 0;
    for (const name of [...known.keys()].toSorted()) {
      if ((looked += 1) % packagesInTurn === 0) await new Promise(setImmediate);
      const kept = known.get(name)?.kept;
      const filter = filterOf(view, name);
      const summary =
        kept === undefined || filter === 'none' || belongs(name).to !== 'upstreams'
          ? undefined
          : seenSummary(kept, filter);
      if (summary !== undefined) seen.set(name, summary);
    }
    return seen;
  };
  const read = async (nowMs: number, view?: View): Promise<MirroredSummaries> => {
    const { compiled } = await mirror.standing();
    if (compiled.rules.upstreams.length === 0) return new Map();
    await withDeadline(upToDate(compiled, nowMs), patienceMs, () => undefined);
    const key = view?.key ?? '';
    const at = await epoch(nowMs);
    const before = views.get(key);
    if (before !== undefined && before.version === version && before.compiled === compiled && before.epoch === at)
      return before.packages;
    const packages = gather(view);
    views.delete(key);
    views.set(key, { version, compiled, epoch: at, packages });
    packages.catch(() => views.delete(key));
    const [oldest] = views.keys();
    if (views.size > rememberedViews && oldest !== undefined) views.delete(oldest);
    return packages;
  };
  return { read, isForeign: async (name) => (await mirror.standing()).belongs(name).to !== 'private' };
}

/** Of archives that were accepted; of one that cannot be read somebody is told who asks for it. */
async function recordsOf({ shelf }: Pick<Mirror, 'shelf'>, name: PackageName): Promise<readonly JsonObject[]> {
  return (await shelf.inspect(name).catch(() => ({ records: [] }))).records
    .toSorted((one, other) => (one.fetchedAt < other.fetchedAt ? 1 : -1))
    .map(({ record }) => record);
}
