// Every archive of one package that can be retrieved, ready for lookup: the only way from a request to a ZIP's path.
// Withdrawn versions and older contents of a dev version are found too, since lock files name them.

import { createHash } from 'node:crypto';
import type { IndexEntry, PackageIndex } from '../../build/contract/serving-index.ts';
import { isDevVersion } from '../../build/contract/version.ts';
import { passes, releaseOf, type Release, type ReleaseFilter } from '../views/view.ts';

export class PackageArchives {
  readonly #byVersion = new Map<string, IndexEntry[]>();
  readonly #byNormalized = new Map<string, IndexEntry[]>();

  constructor(index: PackageIndex) {
    for (const entry of index.versions) {
      append(this.#byVersion, entry.version, entry);
      append(this.#byNormalized, entry.version_normalized, entry);
    }
  }

  /** The newest one; undefined without archives. */
  get first(): IndexEntry | undefined {
    return this.#byVersion.values().next().value?.[0];
  }

  /**
   * The archive of the first of `labels` (pretty or normalized version) that exists, with the content that `reference`
   * names. Composer replaces `%reference%` with the whole reference, with the text that a user wrote after `#` (often
   * short), or with an empty text (ComposerMirror.php:28). An archive that `filter` hides is treated like a missing
   * one.
   */
  find(
    labels: readonly string[],
    reference: string | undefined,
    filter: ReleaseFilter = 'all',
  ): IndexEntry | undefined {
    const entries = this.#entriesOf(labels, filter);
    return entries && (reference === undefined ? newest(entries) : withReference(entries, reference));
  }

  /** The published release of the commit that a request names with a dev version, such as `dev-main#<commit>`. */
  releaseOf(labels: readonly string[], reference: string | undefined, filter: ReleaseFilter): IndexEntry | undefined {
    const isDev = ({ version_normalized: version }: IndexEntry): boolean => isDevVersion(version);
    if (reference === undefined || this.#entriesOf(labels, filter)?.every(isDev) !== true) return undefined;
    const releases = [...this.#byVersion.values()]
      .flat()
      .filter((entry) => !isDev(entry) && entry.state === 'published');
    return withReference(seen(releases, filter) ?? [], reference);
  }

  /** The references of the first of `labels` that exists, newest first. */
  referencesOf(labels: readonly string[], filter: ReleaseFilter): readonly string[] {
    return [...new Set((this.#entriesOf(labels, filter) ?? []).map(({ reference }) => reference))];
  }

  #entriesOf(labels: readonly string[], filter: ReleaseFilter): readonly IndexEntry[] | undefined {
    for (const label of labels) {
      const entries = seen(this.#byVersion.get(label), filter) ?? seen(this.#byNormalized.get(label), filter);
      if (entries !== undefined) return entries;
    }
    return undefined;
  }

  /** This content of this version in the form for views. */
  release(version: string, reference: string): Release | undefined {
    const entry = this.#byVersion.get(version)?.find((one) => one.reference === reference);
    return entry === undefined ? undefined : releaseOf(entry);
  }
}

function seen(entries: readonly IndexEntry[] | undefined, filter: ReleaseFilter): readonly IndexEntry[] | undefined {
  if (entries === undefined || filter === 'all') return entries;
  const left = entries.filter((entry) => passes(filter, releaseOf(entry)));
  return left.length === 0 ? undefined : left;
}

function append(map: Map<string, IndexEntry[]>, key: string, entry: IndexEntry): void {
  const entries = map.get(key);
  if (entries === undefined) map.set(key, [entry]);
  else entries.push(entry);
}

/** The index lists the newest content of a version first; of two spellings of one version the published one counts. */
function newest(entries: readonly IndexEntry[]): IndexEntry | undefined {
  return entries.find((entry) => entry.state === 'published') ?? entries[0];
}

/** A whole reference, a prefix of 7 characters or more that fits one reference only, or the MD5 of a reference. */
function withReference(entries: readonly IndexEntry[], reference: string): IndexEntry | undefined {
  const wanted = reference.toLowerCase();
  if (!/^[0-9a-f]{7,64}$/.test(wanted)) return undefined;
  const fitting = entries.filter((entry) => entry.reference.startsWith(wanted));
  const [first] = fitting;
  if (first !== undefined) return fitting.every((entry) => entry.reference === first.reference) ? first : undefined;
  return wanted.length === 32 ? entries.find((entry) => md5(entry.reference) === wanted) : undefined;
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
