// Documents derived from published ones, for instance packages.json with another metadata-url. Each is made on first
// demand, and stays valid while its original is the published one.

import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import type { TextDocument } from '../http/document.ts';

interface Derived {
  readonly base: TextDocument;
  readonly document: TextDocument;
}

export class DerivedDocuments {
  readonly #kept: ByteCache<Derived>;

  constructor(limitBytes: number) {
    this.#kept = new ByteCache(limitBytes);
  }

  /**
   * The result of `derive` for `base`, under a key with all its other inputs. Throws the errors of `derive`, and then
   * caches nothing.
   */
  get(key: string, base: TextDocument, derive: (base: TextDocument) => TextDocument): TextDocument {
    const entry = this.#kept.get(key);
    if (entry?.base === base) return entry.document;
    const document = derive(base);
    this.#kept.set(key, { base, document }, key.length + 512 + (document === base ? 0 : document.weight));
    return document;
  }

  /** The memory of `document` has grown by this number of bytes. */
  grow(key: string, document: TextDocument, bytes: number): void {
    const entry = this.#kept.get(key);
    if (entry?.document === document) this.#kept.grow(key, entry, bytes);
  }
}
