// The composer.json of a commit: read, parsed and checked, each distinct one once. The package takes its name from the
// default branch, if that has one. A rename there renames all versions, and old tags stay installable
// (VcsRepository.php, preProcess).

import type { JsonObject } from '../../contract/json.ts';
import type { PackageName } from '../../contract/name.ts';
import { checkComposerJson } from '../../record/check-composer-json.ts';
import { packageNameOf } from '../../record/package-name.ts';
import { parseComposerJson, type NoteRepeated } from '../../record/parse-composer-json.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { below, findFolder } from './folders.ts';
import type { ObjectStore } from './object-store.ts';
import type { PackagePlace } from './package-files.ts';

const maxBytes = 1024 * 1024;
/** length of the text; the parsed form takes about five times as much memory */
const maxCachedBytes = 512 * 1024;

interface ParsedFile {
  readonly json: JsonObject;
  /** keys that occur twice in one object */
  readonly repeated: readonly string[];
}

export class ComposerFiles {
  readonly #store: ObjectStore;
  readonly #cached = new Map<string, ParsedFile>();
  #cachedBytes = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
    store.whenIdle(() => this.#forget());
  }

  /** The blob of a package's composer.json; undefined if the folder of this commit has none. Throws QuarantineError. */
  async find({ commit, folder }: PackagePlace): Promise<string | undefined> {
    const root = await findFolder(this.#store, (await this.#store.commit(commit)).tree, folder);
    const entry =
      root === undefined ? undefined : (await this.#store.tree(root)).find(({ name }) => name === 'composer.json');
    if (entry === undefined || entry.kind === 'submodule') return undefined;
    if (entry.kind === 'tree' || entry.kind === 'symlink') {
      throw new QuarantineError(
        'INVALID_COMPOSER_JSON',
        `composer.json is a ${entry.kind === 'tree' ? 'folder' : 'symlink'}; it must be a file.`,
      );
    }
    return entry.oid;
  }

  /** Parsed, not yet checked. undefined for an empty one. Throws QuarantineError. */
  async read(
    oid: string,
    place: PackagePlace,
    where: string,
    noteRepeated?: NoteRepeated,
  ): Promise<JsonObject | undefined> {
    const parsed = this.#cached.get(oid) ?? (await this.#parse(oid, place, where));
    for (const key of parsed?.repeated ?? []) noteRepeated?.(key);
    return parsed?.json;
  }

  async #parse(oid: string, { folder }: PackagePlace, where: string): Promise<ParsedFile | undefined> {
    const bytes = await this.#store.smallBlob(oid, maxBytes, below(folder, 'composer.json'));
    if (bytes === undefined) throw new QuarantineError('INVALID_COMPOSER_JSON', 'composer.json is larger than 1 MiB.');
    if (isBlank(bytes)) return undefined;
    const repeated: string[] = [];
    const parsed = {
      json: parseComposerJson(bytes, `composer.json at ${where}`, (key) => repeated.push(key)),
      repeated,
    };
    if (this.#cachedBytes + bytes.length > maxCachedBytes) this.#forget();
    this.#cached.set(oid, parsed);
    this.#cachedBytes += bytes.length;
    return parsed;
  }

  #forget(): void {
    this.#cached.clear();
    this.#cachedBytes = 0;
  }
}

/**
 * The package's name and the composer.json under that name, checked as a published record must be. Throws
 * QuarantineError.
 */
export function checkedComposerJson(
  json: JsonObject,
  defaultName: PackageName | undefined,
): { readonly name: PackageName; readonly json: JsonObject } {
  const name = defaultName ?? packageNameOf(json);
  const named = { ...json, name };
  checkComposerJson(named);
  return { name, json: named };
}

/** The name it has by itself; undefined for none that could be published. */
export function ownNameOf(json: JsonObject): PackageName | undefined {
  try {
    return packageNameOf(json);
  } catch (error) {
    if (error instanceof QuarantineError) return undefined;
    throw error;
  }
}

/** True if PHP's trim() returns an empty text. */
function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || (byte >= 9 && byte <= 11) || byte === 13 || byte === 0);
}
