// A text in memory, JSON unless said otherwise, with its compressed variants, each made on first demand, in the thread pool, and kept. Each has its
// own strong ETag, as each is its own bytes (RFC 9110 §8.8.3.3); Last-Modified is the document's.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Eventually } from '../eventually.ts';
import type { Encoding } from './content-encoding.ts';
import { representationOf, type Representation } from './representation.ts';

/** Below this a compressed body saves nothing on the wire. */
const minCompressedSize = 256;

export const compressors: Readonly<Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6 }),
  // 5 is about as fast as gzip's 6 and smaller; 11 would take seconds for a large packages.json
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
};

export class TextDocument {
  readonly bytes: Buffer;
  readonly lastModifiedMs: number;
  readonly #type: string;
  readonly #digest: string;
  readonly #identity: Representation;
  readonly #variants = new Map<Encoding, Eventually<Representation>>();

  constructor(bytes: Buffer, lastModifiedMs: number, type = 'application/json') {
    this.bytes = bytes;
    this.#type = type;
    this.#digest = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
    this.lastModifiedMs = lastModifiedMs;
    this.#identity = representationOf(bytes, ['Content-Type', type], `"${this.#digest}"`, lastModifiedMs);
  }

  /** The document in this encoding. `onKept` hears how many bytes a newly made variant takes. */
  in(encoding: Encoding, onKept: (bytes: number) => void): Eventually<Representation> {
    if (encoding === 'identity' || this.bytes.length < minCompressedSize) return this.#identity;
    const variant = this.#variants.get(encoding);
    if (variant !== undefined) return variant;
    const making = this.#compress(encoding, onKept);
    this.#variants.set(encoding, making);
    return making;
  }

  async #compress(encoding: Exclude<Encoding, 'identity'>, onKept: (bytes: number) => void): Promise<Representation> {
    try {
      const bytes = await compressors[encoding](this.bytes);
      const headers = ['Content-Type', this.#type, 'Content-Encoding', encoding];
      const made = representationOf(bytes, headers, `"${this.#digest}-${encoding}"`, this.lastModifiedMs);
      this.#variants.set(encoding, made);
      onKept(bytes.length);
      return made;
    } catch (error) {
      this.#variants.delete(encoding); // so that the next request tries again
      throw error;
    }
  }
}
