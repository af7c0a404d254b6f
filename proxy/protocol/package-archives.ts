// Every archive of one package that can be retrieved, ready for lookup: the only way from a request to a ZIP's path.
// Withdrawn versions and older contents of a dev version are found too, since lock files name them.

import { createHash } from 'node:crypto';
import type { IndexEntry, PackageIndex } from '../../build/contract/serving-index.ts';

export class PackageArchives {
  readonly #byVersion = new Map<string, IndexEntry[]>();
  readonly #byNormalized = new Map<string, IndexEntry[]>();

  constructor(index: PackageIndex) {
    for (const entry of index.versions) {
      append(this.#byVersion, entry.version, entry);
      append(this.#byNormalized, entry.version_normalized, entry);
    }
  }

  /**
   * The archive of the first of `labels` (pretty or normalized version) that exists, with the content `reference` names. Composer fills
   * `%reference%` in with the whole reference, with what a user wrote after `#` (often short), or with nothing (ComposerMirror.php:28).
   */
  find(labels: readonly string[], reference: string | undefined): IndexEntry | undefined {
    for (const label of labels) {
      const entries = this.#byVersion.get(label) ?? this.#byNormalized.get(label);
      if (entries !== undefined) return reference === undefined ? newest(entries) : withReference(entries, reference);
    }
    return undefined;
  }
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
