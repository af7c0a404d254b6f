// All accepted records of one package, ready for lookup. The records of upstreams are not cached in memory; each use
// reads them again.

import type { Reference } from '../../../build/contract/digest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { PublicPath } from '../../../build/contract/paths.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { PackageArchives } from '../../core/tree/package-archives.ts';
import { archiveKey, type ArchiveRecord } from './archive-record.ts';
import type { AcceptedArchives } from '../versions/rewrite.ts';
import { pinnedFields } from '../versions/pinned-record.ts';

type Accepted = Omit<ArchiveRecord, 'record' | 'from'> & {
  /** the fields of its record that never change: pinnedFields */
  readonly settled: string;
  /** true: its upstream gave no checksum, or no `published-time` */
  readonly learned: boolean;
  /** true: its upstream gave no `published-time` */
  readonly dated: boolean;
  /** what rules read of its record */
  readonly judged: { readonly license: JsonValue; readonly type: JsonValue };
};

type Spelled = Pick<Accepted, 'version' | 'normalized' | 'dev'>;

export class AcceptedPackage implements AcceptedArchives {
  readonly #byKey = new Map<string, Accepted>();
  readonly #learned = new Set<string>();
  readonly #dated = new Set<string>();
  #hasReleases = false;
  readonly #archives: PackageArchives;

  constructor(name: PackageName, records: readonly (Accepted | ArchiveRecord)[]) {
    const newestFirst = records.toSorted((one, other) => (one.fetchedAt < other.fetchedAt ? 1 : -1));
    for (const one of newestFirst) {
      const { version, normalized, dev, reference, shasum, size, fetchedAt } = one;
      const settled = 'record' in one ? pinnedFields(one.record) : one.settled;
      const dated = 'record' in one ? typeof one.record['published-time'] !== 'string' : one.dated;
      const learned = 'record' in one ? dated || !namesChecksum(one.record) : one.learned;
      const key = archiveKey(one);
      this.#byKey.set(key, {
        name,
        version,
        normalized,
        dev,
        reference,
        shasum,
        size,
        fetchedAt,
        settled,
        learned,
        dated,
        judged: 'record' in one ? judgedOf(one.record) : one.judged,
      });
      if (learned && !dev) this.#learned.add(key);
      if (dated && !dev) this.#dated.add(normalized);
      if (!dev) this.#hasReleases = true;
    }
    this.#archives = new PackageArchives({
      format: 1,
      name,
      documents: { stable: null, dev: null },
      versions: newestFirst.map(entryOf),
    });
  }

  /** Adds a new archive to the accepted ones. */
  with(record: ArchiveRecord): AcceptedPackage {
    return new AcceptedPackage(record.name, [...this.#byKey.values(), record]);
  }

  find({ version, normalized, dev }: Spelled, reference: string): Accepted | undefined {
    return this.#byKey.get(archiveKey({ version, normalized, dev, reference }));
  }

  /** The result of `find` as an index entry for serving. */
  entry(version: Spelled, reference: string): IndexEntry | undefined {
    const found = this.find(version, reference);
    return found === undefined ? undefined : entryOf(found);
  }

  /** Takes labels and reference of a request: see PackageArchives. */
  archive(labels: readonly string[], reference: string | undefined): IndexEntry | undefined {
    return this.#archives.find(labels, reference);
  }

  /**
   * The keys of releases whose checksum, or `published-time`, became known with their acceptance. Releases are never
   * removed from the set.
   */
  get learned(): ReadonlySet<string> {
    return this.#learned;
  }

  /** Normalized releases whose `published-time` is the time of their acceptance here. */
  get dated(): ReadonlySet<string> {
    return this.#dated;
  }

  get hasReleases(): boolean {
    return this.#hasReleases;
  }

  get size(): number {
    return this.#byKey.size;
  }
}

/** A missing licence stays missing, and a missing type is `library`. */
function judgedOf({ license = null, type = 'library' }: JsonObject): Accepted['judged'] {
  return { license, type };
}

/** The empty value for any package. */
export const nothingAccepted = new AcceptedPackage('' as PackageName, []);

/** Below the folder of the mirror: its content names it. */
export function archivePath(name: PackageName, shasum: string): string {
  return `dist/${name}/${shasum}.zip`;
}

/** The source of entries whose archives are in the folder of the mirror. */
export const mirrorSource = 'mirror';

function namesChecksum({ dist }: JsonObject): boolean {
  return isJsonObject(dist) && typeof dist['shasum'] === 'string' && dist['shasum'] !== '';
}

/** `path`: below the folder of the mirror. */
export function entryOf({
  name,
  version,
  normalized,
  reference,
  shasum,
  size,
  fetchedAt,
}: Omit<Accepted, 'settled' | 'learned' | 'dated' | 'judged'>): IndexEntry {
  const path = archivePath(name, shasum) as PublicPath;
  return {
    version,
    version_normalized: normalized,
    reference: reference as Reference,
    shasum,
    size,
    time: null,
    path,
    state: 'published',
    since: fetchedAt,
    source: mirrorSource,
  };
}
