// The mirrored packages with a document or an archive on disk, as the last reading of the disk found them. Reading one
// package anew happens only if its files or the rules have changed.

import { noGains } from '../policy/judge/held-releases.ts';
import { storedGains } from './archives/arrivals.ts';
import { join } from 'node:path';
import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { stampFile, type FileStamp } from '../../build/shared/files/file-stamp.ts';
import type { PackageSummary } from '../packages/package-summary.ts';
import { filterOf, type View } from '../core/views/view.ts';
import { anything, documentFiles, CachedNames, type CachedPackage } from './catalogue/cached-names.ts';
import {
  cachedSummary,
  offeredReleases,
  seenSummary,
  type DatedSummary,
  type WithheldVersions,
  type OfferedRelease,
} from './catalogue/cached-summary.ts';
import { cachedVersions, type CachedVersions } from './documents/cached-versions.ts';
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
  /** lists name it, so that it has a page: also while rules refuse every version */
  readonly isNamed: boolean;
  readonly heldBack: readonly WithheldVersions[];
}

/** The advisories and filter lists of the stored documents of a package. */
export interface StoredLists {
  /** of the first document; older than the content, if the file was replaced meanwhile */
  readonly stamp: FileStamp | undefined;
  readonly beside: JsonObject;
}

/** How far the first reading of the disk has come. */
export interface FirstReading {
  readonly read: number;
  /** 0: not known yet */
  readonly of: number;
}

/** What the reader asks of the mirror. */
export type MirrorReads = Pick<Mirror, 'settings' | 'archiveStore' | 'arrivals' | 'written' | 'checkRecord'>;

interface Known extends DatedSummary {
  readonly of: CachedPackage;
  readonly registry: string | undefined;
  readonly compiled: Compiled;
  /** absent: only archives are stored */
  readonly lists?: StoredLists;
  /** true: records that Composer cannot load count as left out */
  readonly isChecked?: true;
}

const lookEveryMs = 5000;
const mostPackages = 20_000;
/** This number takes a few milliseconds; then other requests get their turn. */
const packagesInTurn = 200;

export class StoredPackageReader {
  readonly #mirror: MirrorReads;
  readonly #documents = new Map<string, CachedNames>();
  readonly #archives: CachedNames;
  readonly #known = new Map<PackageName, Known>();
  #version = 0;
  #first: FirstReading | undefined = { read: 0, of: 0 };
  #mirrored: { readonly compiled: Compiled; readonly epoch: number; readonly names: Set<PackageName> } | undefined;
  #current: { readonly compiled: Compiled; readonly atMs: number; readonly looking: Promise<void> } | undefined;

  constructor(folder: string, mirror: MirrorReads) {
    this.#mirror = mirror;
    this.#archives = new CachedNames(join(folder, 'dist'), anything);
  }

  /** Grows with each change. */
  get version(): number {
    return this.#version;
  }

  /** undefined: it is complete */
  get firstReading(): FirstReading | undefined {
    return this.#first;
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

  /** Checks the records first, which costs too much for all packages. */
  async find(name: PackageName, nowMs: number): Promise<StoredPackage | undefined> {
    const before = this.#known.get(name);
    if (before?.lists !== undefined && before.isChecked === undefined)
      await this.#learn(name, { ...before, isChecked: true }, await cachedVersions(name, before.of.paths), nowMs);
    const known = this.#known.get(name);
    return known === undefined ? undefined : storedPackage(name, known);
  }

  /** undefined: no document was read. */
  lists(name: PackageName): StoredLists | undefined {
    return this.#known.get(name)?.lists;
  }

  offered(name: PackageName): readonly OfferedRelease[] {
    const kept = this.#known.get(name)?.kept;
    return kept === undefined ? [] : offeredReleases(kept);
  }

  /** The packages that the view sees, by name. `named`: also those of which rules refuse every version. */
  async summariesFor(which: 'named' | 'offered', view: View | undefined, epoch: number): Promise<MirroredSummaries> {
    const isMirrored = await this.#mirroredIn(epoch);
    const seen = new Map<PackageName, PackageSummary>();
    let looked = 0;
    for (const name of [...this.#known.keys()].toSorted()) {
      if ((looked += 1) % packagesInTurn === 0) await new Promise(setImmediate);
      const { kept, refused } = this.#known.get(name) ?? {};
      const cached = kept ?? (which === 'named' ? refused : undefined);
      const filter = filterOf(view, name);
      const summary =
        cached === undefined || filter === 'none' || !isMirrored(name) ? undefined : seenSummary(cached, filter);
      if (summary !== undefined) seen.set(name, summary);
    }
    return seen;
  }

  /** Asks for each name once in a publication, since each look-up is at several files. */
  async #mirroredIn(epoch: number): Promise<(name: PackageName) => boolean> {
    const { belongs, compiled } = await this.#mirror.settings();
    const last = this.#mirrored;
    const { names } =
      last?.compiled === compiled && last.epoch === epoch
        ? last
        : (this.#mirrored = { compiled, epoch, names: new Set() });
    return (name) => {
      if (!names.has(name) && belongs(name).to === 'upstreams') names.add(name);
      return names.has(name);
    };
  }

  async #look(compiled: Compiled, nowMs: number): Promise<void> {
    const found = await this.#lookAtDocuments(compiled, nowMs);
    for (const [name, of] of await this.#archives.look()) {
      if (found.size >= mostPackages || found.has(name)) continue;
      if (!this.#isCurrent(name, of, compiled, nowMs))
        await this.#learn(name, { of, compiled, registry: undefined }, await acceptedOf(this.#mirror, name), nowMs);
      found.add(name);
    }
    for (const name of this.#known.keys()) if (!found.has(name) && this.#known.delete(name)) this.#version += 1;
    this.#first = undefined;
  }

  async #lookAtDocuments(compiled: Compiled, nowMs: number): Promise<Set<PackageName>> {
    const { belongs } = await this.#mirror.settings();
    const found = new Set<PackageName>();
    const all: (readonly [id: string, packages: ReadonlyMap<PackageName, CachedPackage>])[] = [];
    for (const { id } of compiled.rules.upstreams)
      all.push([id, await this.#namesIn(compiled.upstreams.get(id)?.folder ?? '').look()]);
    this.#first &&= { read: 0, of: new Set(all.flatMap(([, packages]) => [...packages.keys()])).size };
    for (const [id, packages] of all) {
      for (const [name, of] of packages) {
        if (found.size >= mostPackages || found.has(name)) continue; // the first repository that has it is its source
        if (!this.#isCurrent(name, of, compiled, nowMs)) {
          const belonging = belongs(name);
          if (belonging.to !== 'upstreams' || !belonging.ids.includes(id)) continue;
          const stamp = stampFile(of.paths[0] ?? '');
          const cached = await cachedVersions(name, of.paths);
          if (cached.records.length === 0) continue;
          const lists = { stamp, beside: cached.beside };
          await this.#learn(name, { of, compiled, registry: id, lists }, cached, nowMs);
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
    from: Pick<Known, 'of' | 'compiled' | 'registry' | 'lists' | 'isChecked'>,
    { records, beside }: CachedVersions,
    nowMs: number,
  ): Promise<void> {
    const { releases } = from.compiled.rules;
    // a damaged file is an error of the document
    const isGone = from.registry === undefined;
    const gains = await storedGains(name, records, releases.policy, this.#mirror.arrivals, isGone).catch(() => noGains);
    const check = from.isChecked ? this.#mirror.checkRecord : undefined;
    const summary = await cachedSummary(name, records, releases, nowMs, { beside, gains, ...(check && { check }) });
    const before = this.#known.get(name)?.kept?.versions;
    this.#known.set(name, { ...from, ...summary });
    if (check === undefined || before !== summary.kept?.versions) this.#version += 1; // else the lists stay
    this.#first &&= { ...this.#first, read: this.#known.size };
  }
}

function storedPackage(name: PackageName, { registry, kept, refused, heldBack }: Known): StoredPackage {
  return { name, registry, summary: kept?.summary, isNamed: (kept ?? refused) !== undefined, heldBack };
}

/** The records of accepted archives; an unreadable one is reported to the request that needs it. */
async function acceptedOf({ archiveStore }: Pick<Mirror, 'archiveStore'>, name: PackageName): Promise<CachedVersions> {
  const records = (await archiveStore.inspect(name).catch(() => ({ records: [] }))).records
    .toSorted((one, other) => (one.fetchedAt < other.fetchedAt ? 1 : -1))
    .map(({ record }) => record);
  return { records, beside: {} };
}
