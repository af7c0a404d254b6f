// Finds files that are only pointers into Git LFS, and reports them. Libretto fetches no LFS object and runs no filter,
// so that an archive holds the pointer. The search runs while a version's files are listed for its archive. It examines
// files to which a .gitattributes file, at any depth, gives the filter `lfs`.

import { compileAttributes, type AttributeFile } from '../../archive/rules/attribute-lookup.ts';
import { byteString } from '../../archive/rules/bytes.ts';
import type { ContentFile } from '../../archive/content.ts';
import { below } from './folders.ts';
import { listShortly } from '../../shared/text/list-shortly.ts';
import { mapYielding } from '../../shared/concurrency/yielding.ts';
import { SingleFlight } from '../../shared/concurrency/single-flight.ts';
import type { ObjectStore } from './object-store.ts';
import { oidOf } from './package-files.ts';

/** Git LFS specification: a pointer is smaller than 1024 bytes and starts with its version. */
const maxPointerBytes = 1024;
const pointerStart = 'version https://git-lfs.github.com/spec/';
/** The number of files of one version that are examined: one pointer is enough for a notice. */
const maxFiles = 100;
/** Files that the report names; more are counted. */
const maxNamed = 5;

/** A version whose files are listed for an archive. */
export interface VersionFiles {
  /** for people: `tag v1.0.0` */
  readonly where: string;
  readonly folder: string;
  /** below the folder, identities `git:<oid>` */
  readonly files: readonly ContentFile[];
  readonly attributes: readonly AttributeFile[];
}

/** The LFS pointers of one repository, over all its versions. */
export class LfsPointers {
  readonly #store: ObjectStore;
  /** blob → result: versions share most of their blobs */
  readonly #known = new SingleFlight<boolean>({ keeps: 'settled' });
  readonly #found = new Map<string, Set<string>>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Throws QuarantineError for a file that cannot be read: its archive cannot be made either. */
  async look({ where, folder, files, attributes }: VersionFiles): Promise<void> {
    if (!attributes.some(({ text }) => text.includes('lfs'))) return;
    const filterOf = compileFilters(attributes);
    const filters = await mapYielding(files, ({ path }) => filterOf(below(folder, path)));
    const candidates = files.filter(({ mode }, at) => mode !== 'symlink' && filters[at] === 'lfs').slice(0, maxFiles);
    const pointers = await Promise.all(candidates.map((file) => this.#isPointer(file)));
    for (const [at, { path }] of candidates.entries()) {
      if (pointers[at] !== true) continue;
      const whole = below(folder, path);
      this.#found.set(whole, (this.#found.get(whole) ?? new Set()).add(where));
    }
  }

  /** Sentences for the report, equal for any order of the versions. */
  describe(): readonly string[] {
    const { compare } = new Intl.Collator('en', { numeric: true });
    const sorted = [...this.#found].toSorted(([one], [other]) => compare(one, other));
    const lines = sorted.slice(0, maxNamed).map(([path, where]) => {
      const versions = listShortly([...where].toSorted(compare));
      return (
        `${path} is an LFS pointer, and stays one in the archive of ${versions}: files of Git LFS are not fetched. ` +
        'Commit the file itself, or leave it out with export-ignore.'
      );
    });
    return sorted.length > maxNamed ? [...lines, `${sorted.length - maxNamed} more files are LFS pointers.`] : lines;
  }

  #isPointer(file: ContentFile): Promise<boolean> {
    const oid = oidOf(file);
    return this.#known.run(oid, async () => {
      const bytes = await this.#store.smallBlob(oid, maxPointerBytes, file.path);
      return bytes?.toString('latin1', 0, pointerStart.length) === pointerStart;
    });
  }
}

/** The name of a file's `filter` attribute, if any. */
function compileFilters(files: readonly AttributeFile[]): (path: string) => string | undefined {
  const lookup = compileAttributes(files, ['filter']);
  return (path) => {
    const value = lookup?.(byteString(path), false).get('filter');
    return typeof value === 'string' ? value : undefined;
  };
}
