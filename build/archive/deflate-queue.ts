// Deflates contents in their order of arrival: first in this thread, and in workers once there is enough work to pay
// for their start. Contents pass to the workers and back in reused blocks of shared memory. The amount of unfinished
// work is bounded, so that a fast reader has to wait.

import { createCompressor, type Compressor } from '../compression/compressor.ts';
import { deflateTo, type Deflated, type DeflatedFacts } from '../compression/deflate.ts';
import type { DeflateThreads } from './deflate-threads.ts';
import { createReusedBuffer } from '../compression/reused-buffer.ts';

/**
 * This thread deflates so many bytes before it starts workers: it takes as long as their start, and many builds need no
 * workers.
 */
const inlineBytes = 3 * 1024 * 1024;
const blockBytes = 256 * 1024;
const inFlightBytes = 6 * 1024 * 1024;

interface Waiting {
  readonly length: number;
  readonly take: (deflated: Deflated) => void;
  readonly reject: (reason: unknown) => void;
}

/** Contents in sequence; a worker replaces them with their deflated forms. */
interface Block {
  readonly bytes: Uint8Array;
  used: number;
  waiting: Waiting[];
}

/** Takes the threads over, and ends them with itself. */
export function createDeflateQueue(threads: DeflateThreads): DeflateQueue {
  return new DeflateQueue(threads);
}

export class DeflateQueue {
  readonly #threads: DeflateThreads;
  readonly #inlineRoom = createReusedBuffer();
  readonly #free: Uint8Array[] = [];
  #closed = false;
  #compressor: Compressor | undefined;
  #doneInline = 0;
  #block: Block | undefined;
  #inFlight = 0;
  #roomWanted: (() => void)[] = [];

  constructor(threads: DeflateThreads) {
    this.#threads = threads;
  }

  /**
   * Copies `bytes`. `take` receives the deflated content; its bytes are valid until `take` returns. `result`: of `take`.
   * `accepted`: resolves once there is room for the next one.
   */
  push<Taken>(
    bytes: Uint8Array,
    take: (deflated: Deflated) => Taken,
  ): { readonly result: Promise<Taken>; readonly accepted: Promise<void> } {
    if (this.#threads.count === 0 || this.#doneInline < inlineBytes) {
      this.#doneInline += bytes.length;
      return { result: Promise.resolve(take(this.#deflateHere(bytes))), accepted: Promise.resolve() };
    }
    const result = new Promise<Taken>((resolve, reject) =>
      this.#add(bytes, { length: bytes.length, take: (deflated) => resolve(take(deflated)), reject }),
    );
    return { result, accepted: this.#room() };
  }

  /** Ends a series: starts the contents that waited to share a message. */
  readonly flush = (): void => {
    const block = this.#block;
    if (block === undefined) return;
    this.#block = undefined;
    this.#run(block).catch((reason: unknown) => {
      for (const { reject } of block.waiting) reject(reason);
    });
  };

  readonly close = async (): Promise<void> => {
    this.#closed = true;
    await this.#threads.close();
  };

  #deflateHere(content: Uint8Array): Deflated {
    const out = this.#inlineRoom(content.length);
    const facts = deflateTo(out, 0, content, (this.#compressor ??= createCompressor()));
    return { ...facts, bytes: out.subarray(0, facts.length) };
  }

  #add(bytes: Uint8Array, waiting: Waiting): void {
    if (this.#block !== undefined && this.#block.used + bytes.length > this.#block.bytes.length) this.flush();
    const block = (this.#block ??= { bytes: this.#takeBlock(bytes.length), used: 0, waiting: [] });
    block.bytes.set(bytes, block.used);
    block.used += bytes.length;
    block.waiting.push(waiting);
    this.#inFlight += bytes.length;
    if (block.used === block.bytes.length) this.flush();
  }

  #takeBlock(leastBytes: number): Uint8Array {
    if (leastBytes > blockBytes) return new Uint8Array(new SharedArrayBuffer(leastBytes));
    return this.#free.pop() ?? new Uint8Array(new SharedArrayBuffer(blockBytes));
  }

  async #run({ bytes, used, waiting }: Block): Promise<void> {
    try {
      if (this.#closed) throw new Error('the archiver was closed while it was at work');
      const pool = await this.#threads.pool();
      handOut(bytes, await pool.deflate({ bytes, lengths: waiting.map(({ length }) => length) }), waiting);
    } finally {
      this.#inFlight -= used;
      if (bytes.length === blockBytes) this.#free.push(bytes);
      if (this.#inFlight < inFlightBytes) for (const goOn of this.#roomWanted.splice(0)) goOn();
    }
  }

  #room(): Promise<void> {
    if (this.#inFlight < inFlightBytes) return Promise.resolve();
    this.flush();
    return new Promise((resolve) => this.#roomWanted.push(resolve));
  }
}

function handOut(bytes: Uint8Array, pieces: readonly DeflatedFacts[], waiting: readonly Waiting[]): void {
  let start = 0;
  for (const [index, piece] of pieces.entries()) {
    const { take, reject } = waiting[index] ?? unexpected();
    try {
      take({ ...piece, bytes: bytes.subarray(start, start + piece.length) });
    } catch (reason) {
      reject(reason);
    }
    start += piece.length;
  }
}

function unexpected(): never {
  throw new Error('unreachable: a worker gave more contents than it was given');
}
