// What an upstream last said about a package with accepted archives: advisories, filter lists, and whether it is
// abandoned. One small file for each package. It counts while the upstream is slow, and after it has removed the
// package: malware is often listed first, and then deleted (I26).

import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { storageFaultOf } from '../../../build/contract/storage-fault.ts';
import { replaceFile } from '../../../build/shared/files/atomic-file.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';

/** What the newest of these versions says about the package. */
export function abandonedIn(versions: readonly JsonObject[] = []): JsonObject {
  const abandoned = versions[0]?.['abandoned'];
  return abandoned === undefined || abandoned === false ? {} : { abandoned };
}

const mostRemembered = 20_000;
const nothing = '{}\n';

export class LastLists {
  readonly #folder: string;
  /** package → the text of its file; '': there is none */
  readonly #known = new Map<PackageName, string>();
  readonly #unwritten = new Set<PackageName>();

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

  /** A disk that accepts no write keeps no request from its answer: this process remembers, and writes the next time. */
  async keep(name: PackageName, beside: JsonObject): Promise<void> {
    const text = `${JSON.stringify(beside)}\n`;
    const before = await this.#textOf(name);
    const isSame = before === text || (before === '' && text === nothing);
    if (isSame && !this.#unwritten.has(name)) return;
    this.#remember(name, text);
    try {
      await mkdir(dirname(this.#pathOf(name)), { recursive: true });
      await replaceFile(this.#pathOf(name), [text]);
      this.#unwritten.delete(name);
    } catch (error) {
      if (storageFaultOf(error) === undefined) throw error;
      this.#unwritten.add(name);
    }
  }

  async #textOf(name: PackageName): Promise<string> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const text = await readFile(this.#pathOf(name), 'utf8').catch((error: unknown) => {
      if (isAbsence(error)) return '';
      throw error;
    });
    this.#remember(name, text);
    return text;
  }

  #remember(name: PackageName, text: string): void {
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(name, text);
  }

  #pathOf(name: PackageName): string {
    return join(this.#folder, `${name}.json`);
  }
}
