// Every archive of one package that can be retrieved, ready for lookup: the only way from a request to a ZIP's path.
// Withdrawn versions and older contents of a dev version are found too, since lock files name them.

import { createHash } from 'node:crypto';
import type { IndexEntry, PackageIndex } from '../../../build/contract/serving-index.ts';
import { isDevVersion } from '../../../build/contract/version.ts';
import { passes, releaseOf, type ReleaseFacts, type ReleaseFilter } from '../views/view.ts';

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

  /** All; those of one version newest first. */
  get entries(): readonly IndexEntry[] {
    return [...this.#byNormalized.values()].flat();
  }

  /**
   * The archive of the first of `labels` (pretty or normalized version) that exists, with the content that `reference`
   * names. Composer replaces `%reference%` with the whole reference, with the text that a user wrote after `#` (often
   * short), or with an empty text (ComposerMirror.php:28). The reference of a dev version may be the commit of a
   * published release. An archive that `filter` hides is treated like a missing one.
   */
  find(
    labels: readonly string[],
    reference: string | undefined,
    filter: ReleaseFilter = 'all',
  ): IndexEntry | undefined {
    const entries = this.entriesOf(labels, filter);
    if (entries === undefined || reference === undefined) return entries && newest(entries);
    const found = withReference(entries, reference);
    if (found !== undefined || !entries.every(isDev)) return found;
    const releases = [...this.#byVersion.values()]
      .flat()
      .filter((entry) => !isDev(entry) && entry.state === 'published');
    return withPrefix(seen(releases, filter) ?? [], reference.toLowerCase());
  }

  /** The contents of the first of `labels` that exists, newest first. */
  entriesOf(labels: readonly string[], filter: ReleaseFilter): readonly IndexEntry[] | undefined {
    for (const label of labels) {
      const entries = seen(this.#byVersion.get(label), filter) ?? seen(this.#byNormalized.get(label), filter);
      if (entries !== undefined) return entries;
    }
    return undefined;
  }

  /** This content of this version in the form for views. */
  release(version: string, reference: string): ReleaseFacts | undefined {
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
  const found = withPrefix(entries, wanted);
  return found === undefined && /^[0-9a-f]{32}$/.test(wanted)
    ? entries.find((entry) => md5(entry.reference) === wanted)
    : found;
}

function withPrefix(entries: readonly IndexEntry[], wanted: string): IndexEntry | undefined {
  if (!/^[0-9a-f]{7,64}$/.test(wanted)) return undefined;
  const fitting = entries.filter((entry) => entry.reference.startsWith(wanted));
  return fitting.every((entry) => entry.reference === fitting[0]?.reference) ? fitting[0] : undefined;
}

function isDev({ version_normalized: version }: IndexEntry): boolean {
  return isDevVersion(version);
}

export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
