// The composer.json of a commit: read, parsed and checked, each distinct one once. Its name is the default branch's, if that has one: a
// package renamed there is renamed in all its versions, and old tags go on being installable (VcsRepository.php, preProcess).

import type { JsonObject } from '../../contract/json.ts';
import type { PackageName } from '../../contract/name.ts';
import { checkComposerJson } from '../../record/check-composer-json.ts';
import { packageNameOf } from '../../record/package-name.ts';
import { parseComposerJson } from '../../record/parse-composer-json.ts';
import { QuarantineError } from '../quarantine.ts';
import { below, findFolder } from './folders.ts';
import type { ObjectStore } from './object-store.ts';
import type { PackagePlace } from './package-files.ts';

const maxBytes = 1024 * 1024;
const maxKept = 500;

export class ComposerFiles {
  readonly #store: ObjectStore;
  readonly #kept = new Map<string, JsonObject>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Parsed, not yet checked. undefined where the folder of this commit has no composer.json or an empty one. Throws QuarantineError. */
  async read({ commit, folder }: PackagePlace, where: string): Promise<JsonObject | undefined> {
    const root = await findFolder(this.#store, (await this.#store.commit(commit)).tree, folder);
    const entry = root === undefined ? undefined : (await this.#store.tree(root)).find(({ name }) => name === 'composer.json');
    if (entry === undefined || entry.kind === 'submodule') return undefined;
    if (entry.kind === 'tree' || entry.kind === 'symlink') {
      throw new QuarantineError('INVALID_COMPOSER_JSON', `composer.json is a ${entry.kind === 'tree' ? 'folder' : 'symlink'}; it must be a file.`);
    }
    const known = this.#kept.get(entry.oid);
    if (known !== undefined) return known;
    const bytes = await this.#store.smallBlob(entry.oid, maxBytes, below(folder, 'composer.json'));
    if (bytes === undefined) throw new QuarantineError('INVALID_COMPOSER_JSON', 'composer.json is larger than 1 MiB.');
    if (isBlank(bytes)) return undefined;
    const json = parseComposerJson(bytes, `composer.json at ${where}`);
    if (this.#kept.size >= maxKept) this.#kept.clear();
    this.#kept.set(entry.oid, json);
    return json;
  }
}

/** The package's name and the composer.json under that name, checked as a published record must be. Throws QuarantineError. */
export function checkedComposerJson(json: JsonObject, defaultName: PackageName | undefined): { readonly name: PackageName; readonly json: JsonObject } {
  const name = defaultName ?? packageNameOf(json);
  const named = { ...json, name };
  checkComposerJson(named);
  return { name, json: named };
}

/** What PHP's trim() makes nothing of. */
function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || (byte >= 9 && byte <= 11) || byte === 13 || byte === 0);
}
