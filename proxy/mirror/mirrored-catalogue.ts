// Mirrored packages for lists and searches: those with a stored document or archive. The catalogue sends no request,
// because a search word may be a private name (I9). Each reader updates the catalogue, in the background if the update
// takes long; packages that are not read yet are absent.

import { join } from 'node:path';
import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { withDeadline } from '../../build/shared/concurrency/with-deadline.ts';
import type { PackageSummary } from '../packages/package-summary.ts';
import { filterOf, type View } from '../views/view.ts';
import { anything, documentFiles, CachedNames, type CachedPackage } from './catalogue/cached-names.ts';
import { cachedSummary, seenSummary, type DatedSummary, type HeldBack } from './catalogue/cached-summary.ts';
import { cachedVersions } from './documents/cached-versions.ts';
import type { Mirror } from './mirror.ts';
import type { Compiled } from './rules/mirror-rules.ts';

export type MirroredSummaries = ReadonlyMap<PackageName, PackageSummary>;

/** A package with a stored document or archive, and what the rules hold back of it. */
export interface StoredPackage {
  readonly name: PackageName;
  /** the id of the registry with its document; undefined: only archives are stored */
  readonly registry: string | undefined;
  /** undefined: no version of it is offered */
  readonly summary: PackageSummary | undefined;
  readonly heldBack: readonly HeldBack[];
}

export interface MirroredCatalogue {
  /** The packages within `view`, by name. */
  readonly read: (nowMs: number, view?: View) => Promise<MirroredSummaries>;
  /** All stored packages by name, for people. */
  readonly stored: (nowMs: number) => Promise<readonly StoredPackage[]>;
  /** One of them; undefined: nothing of the name is stored. */
  readonly storedOne: (name: PackageName, nowMs: number) => Promise<StoredPackage | undefined>;
  /** True if mirrored packages may replace or provide the name; false for a private name. */
  readonly isForeign: (name: PackageName) => Promise<boolean>;
}

export interface CatalogueOptions {
  /** `<data>/mirror` */
  readonly folder: string;
  readonly mirror: Pick<Mirror, 'standing' | 'archiveStore' | 'written'>;
  /** grows when a publication may have made other names private */
  readonly epoch: (nowMs: number) => MaybeAsync<number>;
}

interface Known extends DatedSummary {
  readonly of: CachedPackage;
  readonly registry: string | undefined;
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
/** Always the same object, so that a reader sees that nothing changed. */
const nothing: MirroredSummaries = new Map();
/** This number takes a few milliseconds; then other requests get their turn. */
const packagesInTurn = 200;

export function createMirroredCatalogue({ folder, mirror, epoch }: CatalogueOptions): MirroredCatalogue {
  const known = new KnownPackages(folder, mirror);
  const views = new Map<string, Seen>();
  const read = async (nowMs: number, view?: View): Promise<MirroredSummaries> => {
    const { compiled } = await mirror.standing();
    if (compiled.rules.upstreams.length === 0) return nothing;
    await withDeadline(known.update(compiled, nowMs), patienceMs, () => undefined);
    const key = view?.key ?? '';
    const at = await epoch(nowMs);
    const before = views.get(key);
    if (before !== undefined && before.version === known.version && before.compiled === compiled && before.epoch === at)
      return before.packages;
    const packages = known.summariesFor(view);
    views.delete(key);
    views.set(key, { version: known.version, compiled, epoch: at, packages });
    packages.catch(() => views.delete(key));
    const [oldest] = views.keys();
    if (views.size > rememberedViews && oldest !== undefined) views.delete(oldest);
    return packages;
  };
  const stored = async (nowMs: number): Promise<readonly StoredPackage[]> => {
    const { compiled, belongs } = await mirror.standing();
    if (compiled.rules.upstreams.length === 0) return [];
    await withDeadline(known.update(compiled, nowMs), patienceMs, () => undefined);
    return known.list().filter(({ name }) => belongs(name).to === 'upstreams');
  };
  const storedOne = async (name: PackageName, nowMs: number): Promise<StoredPackage | undefined> => {
    const { compiled, belongs } = await mirror.standing();
    if (compiled.rules.upstreams.length === 0 || belongs(name).to !== 'upstreams') return undefined;
    await withDeadline(known.update(compiled, nowMs), patienceMs, () => undefined);
    return known.find(name);
  };
  return {
    read,
    stored,
    storedOne,
    isForeign: async (name) => (await mirror.standing()).belongs(name).to !== 'private',
  };
}

/** The packages with a document or an archive on disk, as the last reading of the disk found them. */
class KnownPackages {
  readonly #mirror: CatalogueOptions['mirror'];
  readonly #documents = new Map<string, CachedNames>();
  readonly #archives: CachedNames;
  readonly #known = new Map<PackageName, Known>();
  #version = 0;
  #current: { readonly compiled: Compiled; readonly atMs: number; readonly looking: Promise<void> } | undefined;

  constructor(folder: string, mirror: CatalogueOptions['mirror']) {
    this.#mirror = mirror;
    this.#archives = new CachedNames(join(folder, 'dist'), anything);
  }

  /** Grows with each change. */
  get version(): number {
    return this.#version;
  }

  /** Looks on the disk, but not again within `lookEveryMs`. Rejects if the disk cannot be read at all. */
  update(compiled: Compiled, nowMs: number): Promise<void> {
    const current = this.#current;
    if (current !== undefined && current.compiled === compiled && Math.abs(nowMs - current.atMs) < lookEveryMs)
      return current.looking;
    const before = current?.looking ?? Promise.resolve();
    const looking = before
      .catch(() => undefined)
      .then(() => this.#mirror.written())
      .then(() => this.#look(compiled, nowMs));
    this.#current = { compiled, atMs: nowMs, looking };
    looking.catch(() => (this.#current = undefined)); // the next request tries again
    return looking;
  }

  list(): readonly StoredPackage[] {
    return [...this.#known]
      .map(([name, known]) => storedPackage(name, known))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  find(name: PackageName): StoredPackage | undefined {
    const known = this.#known.get(name);
    return known === undefined ? undefined : storedPackage(name, known);
  }

  /** The packages that the view sees, by name. */
  async summariesFor(view: View | undefined): Promise<MirroredSummaries> {
    const { belongs } = await this.#mirror.standing();
    const seen = new Map<PackageName, PackageSummary>();
    let looked = 0;
    for (const name of [...this.#known.keys()].toSorted()) {
      if ((looked += 1) % packagesInTurn === 0) await new Promise(setImmediate);
      const cached = this.#known.get(name)?.kept;
      const filter = filterOf(view, name);
      const summary =
        cached === undefined || filter === 'none' || belongs(name).to !== 'upstreams'
          ? undefined
          : seenSummary(cached, filter);
      if (summary !== undefined) seen.set(name, summary);
    }
    return seen;
  }

  async #look(compiled: Compiled, nowMs: number): Promise<void> {
    const found = await this.#lookAtDocuments(compiled, nowMs);
    for (const [name, of] of await this.#archives.look()) {
      if (found.size >= mostPackages || found.has(name)) continue;
      if (!this.#isCurrent(name, of, compiled, nowMs))
        await this.#learn(name, { of, compiled, registry: undefined }, await recordsOf(this.#mirror, name), nowMs);
      found.add(name);
    }
    for (const name of this.#known.keys()) if (!found.has(name) && this.#known.delete(name)) this.#version += 1;
  }

  async #lookAtDocuments(compiled: Compiled, nowMs: number): Promise<Set<PackageName>> {
    const { belongs } = await this.#mirror.standing();
    const found = new Set<PackageName>();
    for (const { id } of compiled.rules.upstreams) {
      for (const [name, of] of await this.#namesIn(compiled.upstreams.get(id)?.folder ?? '').look()) {
        if (found.size >= mostPackages || found.has(name)) continue; // the first repository that has it is its source
        if (!this.#isCurrent(name, of, compiled, nowMs)) {
          const belonging = belongs(name);
          if (belonging.to !== 'upstreams' || !belonging.ids.includes(id)) continue;
          const records = await cachedVersions(name, of.paths);
          if (records.length === 0) continue;
          await this.#learn(name, { of, compiled, registry: id }, records, nowMs);
        }
        found.add(name);
      }
    }
    return found;
  }

  #namesIn(folder: string): CachedNames {
    const names = this.#documents.get(folder) ?? new CachedNames(join(folder, 'p2'), documentFiles);
    this.#documents.set(folder, names);
    return names;
  }

  #isCurrent(name: PackageName, of: CachedPackage, compiled: Compiled, nowMs: number): boolean {
    const one = this.#known.get(name);
    return (
      one !== undefined &&
      one.of === of &&
      one.compiled === compiled &&
      nowMs < (one.changesAtMs ?? Number.POSITIVE_INFINITY)
    );
  }

  async #learn(
    name: PackageName,
    from: Pick<Known, 'of' | 'compiled' | 'registry'>,
    records: readonly JsonObject[],
    nowMs: number,
  ): Promise<void> {
    this.#known.set(name, { ...from, ...(await cachedSummary(name, records, from.compiled.rules.releases, nowMs)) });
    this.#version += 1;
  }
}

function storedPackage(name: PackageName, { registry, kept, heldBack }: Known): StoredPackage {
  return { name, registry, summary: kept?.summary, heldBack };
}

/** The records of accepted archives; an unreadable one is reported to the request that needs it. */
async function recordsOf(
  { archiveStore }: Pick<Mirror, 'archiveStore'>,
  name: PackageName,
): Promise<readonly JsonObject[]> {
  return (await archiveStore.inspect(name).catch(() => ({ records: [] }))).records
    .toSorted((one, other) => (one.fetchedAt < other.fetchedAt ? 1 : -1))
    .map(({ record }) => record);
}
