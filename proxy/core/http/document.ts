// A text in memory, JSON by default, with cached compressed variants. Each variant is made on first demand, a large
// one in the thread pool. Each variant has its own strong ETag, because its bytes differ (RFC 9110 §8.8.3.3).
// Last-Modified is the document's.

import { createHash } from 'node:crypto';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from './answer.ts';
import { chooseEncoding, compressors, type Encoding } from './content-encoding.ts';
import { answerWith, redated, representationOf, type Conditions, type Representation } from './representation.ts';

/** A compressed body below this size saves nothing on the network. */
const minCompressedSize = 256;

/** The memory of a document in addition to its representations (measured with Node 20). */
const ownBytes = 900;

export interface DocumentOptions {
  /** default: JSON */
  readonly type?: string;
  /** request headers that the document depends on, in addition to those of every document */
  readonly vary?: string | undefined;
  /** of the bytes, hex, where it is known */
  readonly sha256?: string | undefined;
}

export class TextDocument {
  readonly lastModifiedMs: number;
  readonly vary: string | undefined;
  readonly #type: string;
  readonly #length: number;
  readonly #digest: string;
  readonly #identity: Representation;
  readonly #variants = new Map<Encoding, MaybeAsync<Representation>>();
  /** the document with the same bytes and another date */
  readonly #original: TextDocument | undefined;

  /** `content`: its bytes, or the document whose bytes and options it shares. */
  constructor(
    content: Buffer | TextDocument,
    lastModifiedMs: number,
    { type = 'application/json', vary, sha256 }: DocumentOptions = {},
  ) {
    this.lastModifiedMs = lastModifiedMs;
    if (content instanceof TextDocument) {
      this.#original = content.#original ?? content;
      this.#length = content.#length;
      this.#type = content.#type;
      this.vary = content.vary;
      this.#digest = content.#digest;
      this.#identity = redated(content.#identity, lastModifiedMs);
      return;
    }
    this.#length = content.length;
    this.#type = type;
    this.vary = vary;
    this.#digest = (sha256 ?? createHash('sha256').update(content).digest('hex')).slice(0, 32);
    this.#identity = representationOf(content, ['Content-Type', type], `"${this.#digest}"`, lastModifiedMs, vary);
  }

  /** The digest of the bytes. */
  get digest(): string {
    return this.#digest;
  }

  /** True if both have the same bytes and the same headers. */
  equals(other: TextDocument): boolean {
    return this.#digest === other.#digest && this.#type === other.#type && this.vary === other.vary;
  }

  /**
   * Makes the bytes of a small document again on each call: storing them next to the sent text would double the memory.
   */
  get bytes(): Buffer {
    const { body } = this.#identity.whole;
    if (typeof body === 'string') return Buffer.from(body, 'latin1');
    if (Buffer.isBuffer(body)) return body;
    throw new Error('a document has a body of another kind');
  }

  /** Bytes of memory that it takes, without the compressed variants. */
  get weight(): number {
    return this.#identity.weight + ownBytes;
  }

  /** The document in this encoding. `onCached` receives the size in bytes of a newly made variant. */
  in(encoding: Encoding, onCached: (bytes: number) => void): MaybeAsync<Representation> {
    if (encoding === 'identity' || this.#length < minCompressedSize) return this.#identity;
    const variant = this.#variants.get(encoding);
    if (variant !== undefined) return variant;
    const making = this.#compress(encoding, onCached);
    this.#variants.set(encoding, making);
    return making;
  }

  async #compress(encoding: Exclude<Encoding, 'identity'>, onCached: (bytes: number) => void): Promise<Representation> {
    try {
      const made = await this.#make(encoding, onCached);
      this.#variants.set(encoding, made);
      onCached(made.weight);
      return made;
    } catch (error) {
      this.#variants.delete(encoding); // lets the next request try again
      throw error;
    }
  }

  async #make(encoding: Exclude<Encoding, 'identity'>, onCached: (bytes: number) => void): Promise<Representation> {
    if (this.#original !== undefined) return redated(await this.#original.in(encoding, onCached), this.lastModifiedMs);
    const headers = ['Content-Type', this.#type, 'Content-Encoding', encoding];
    return representationOf(
      await compressors[encoding](this.bytes),
      headers,
      `"${this.#digest}-${encoding}"`,
      this.lastModifiedMs,
      this.vary,
    );
  }
}

/** The document as this client prefers it, or 304. `onCached`: see `TextDocument.in`. */
export function answerIn(
  document: TextDocument,
  preferences: Conditions & { readonly acceptEncoding: string | undefined },
  onCached: (bytes: number) => void,
): MaybeAsync<Answer> {
  return andThen(document.in(chooseEncoding(preferences.acceptEncoding), onCached), (chosen) =>
    answerWith(chosen, preferences),
  );
}
