// What an upstream last said about a package with accepted archives: advisories, filter lists, and whether it is abandoned.
// One small file for each package. They count while the upstream is slow, and after it has removed the package: malware is often listed first,
// and then deleted (I26).

import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { replaceFile } from '../../../build/shared/files/atomic-file.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';

/** What the newest of these versions says about the package. */
export function abandonedIn(versions: readonly JsonObject[] = []): JsonObject {
  const abandoned = versions[0]?.['abandoned'];
  return abandoned === undefined || abandoned === false ? {} : { abandoned };
}

const mostRemembered = 20_000;

export class LastLists {
  readonly #folder: string;
  /** package → the text of its file; '': there is none */
  readonly #known = new Map<PackageName, string>();

  /** `folder`: of the mirror. */
  constructor(folder: string) {
    this.#folder = join(folder, 'lists');
  }

  /** The keys at the top of the last document, and `abandoned`; empty for an unreadable file. */
  async read(name: PackageName): Promise<JsonObject> {
    const text = await this.#textOf(name);
    try {
      const json: unknown = text === '' ? {} : JSON.parse(text);
      return isJsonObject(json) ? json : {};
    } catch (error) {
      if (error instanceof SyntaxError) return {};
      throw error;
    }
  }

  /** Rejects with the error of the disk. */
  async keep(name: PackageName, beside: JsonObject): Promise<void> {
    const text = Object.keys(beside).length === 0 ? '' : `${JSON.stringify(beside)}\n`;
    if ((await this.#textOf(name)) === text) return;
    await mkdir(dirname(this.#pathOf(name)), { recursive: true });
    await replaceFile(this.#pathOf(name), [text === '' ? '{}\n' : text]);
    this.#remember(name, text === '' ? '{}\n' : text);
  }

  async #textOf(name: PackageName): Promise<string> {
    const known = this.#known.get(name);
    if (known !== undefined) return known === '{}\n' ? '' : known;
    const text = await readFile(this.#pathOf(name), 'utf8').catch((error: unknown) => {
      if (isAbsence(error)) return '';
      throw error;
    });
    this.#remember(name, text);
    return text === '{}\n' ? '' : text;
  }

  #remember(name: PackageName, text: string): void {
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(name, text);
  }

  #pathOf(name: PackageName): string {
    return join(this.#folder, `${name}.json`);
  }
}
