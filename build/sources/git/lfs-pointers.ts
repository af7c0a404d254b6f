// Finds files that are only pointers into Git LFS: an archive holds the pointer, since nothing is fetched and no filter
// is run, and whoever installs it should not have to find that out. Looked for while a version's files are listed for
// its archive, among those that .gitattributes, at whatever depth, give to the filter `lfs`: a file that no attribute
// names is in a checkout what it is in the archive.

import type { AttributeFile } from '../../archive/rules/attribute-lookup.ts';
import { compileFilters } from '../../archive/rules/filters.ts';
import type { ContentFile } from '../release.ts';
import { below } from './folders.ts';
import { listShortly } from '../../shared/text/list-shortly.ts';
import type { ObjectStore } from './object-store.ts';
import { oidOf } from './package-files.ts';

/** Git LFS specification: a pointer is smaller than 1024 bytes and starts with its version. */
const maxPointerBytes = 1024;
const pointerStart = 'version https://git-lfs.github.com/spec/';
/** Looked at of one version; one is enough to be wrong. */
const maxFiles = 100;
/** Files told of; more are counted. */
const maxTold = 5;

/** A version whose files were listed for an archive. */
export interface ListedVersion {
  /** for people: `tag v1.0.0` */
  readonly where: string;
  readonly folder: string;
  /** below the folder, identities `git:<oid>` */
  readonly files: readonly ContentFile[];
  readonly attributes: readonly AttributeFile[];
}

/** Of one repository, gathered over all its versions. */
export class LfsPointers {
  readonly #store: ObjectStore;
  /** by blob: versions share most of theirs */
  readonly #known = new Map<string, Promise<boolean>>();
  readonly #found = new Map<string, Set<string>>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Throws QuarantineError for a file that cannot be read: its archive could not be made either. */
  async look({ where, folder, files, attributes }: ListedVersion): Promise<void> {
    if (!attributes.some(({ text }) => text.includes('lfs'))) return;
    const filterOf = compileFilters(attributes);
    const candidates = files
      .filter(({ path, mode }) => mode !== 'symlink' && filterOf(below(folder, path)) === 'lfs')
      .slice(0, maxFiles);
    const pointers = await Promise.all(candidates.map((file) => this.#isPointer(file)));
    for (const [at, { path }] of candidates.entries()) {
      if (pointers[at] !== true) continue;
      const whole = below(folder, path);
      this.#found.set(whole, (this.#found.get(whole) ?? new Set()).add(where));
    }
  }

  /** Sentences for the report, the same in whatever order versions were listed. */
  describe(): readonly string[] {
    const { compare } = new Intl.Collator('en', { numeric: true });
    const sorted = [...this.#found].toSorted(([one], [other]) => compare(one, other));
    const told = sorted
      .slice(0, maxTold)
      .map(
        ([path, where]) =>
          `${path} is an LFS pointer, and stays one in the archive of ${listShortly([...where].toSorted(compare))}: files of Git LFS are not fetched. Commit the file itself, or leave it out with export-ignore.`,
      );
    return sorted.length > maxTold ? [...told, `${sorted.length - maxTold} more files are LFS pointers.`] : told;
  }

  #isPointer(file: ContentFile): Promise<boolean> {
    const oid = oidOf(file);
    const known =
      this.#known.get(oid) ??
      this.#store
        .smallBlob(oid, maxPointerBytes, file.path)
        .then((bytes) => bytes?.toString('latin1', 0, pointerStart.length) === pointerStart);
    this.#known.set(oid, known);
    return known;
  }
}
