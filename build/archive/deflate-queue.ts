// Deflates contents in the order they come: at first in this thread, and in workers once there is so much that starting them pays. What is
// accepted and not finished is bounded, so that whoever reads faster than this compresses has to wait.

import { createCompressor, type Compressor } from './compressor.ts';
import { deflateTo, type Deflated } from './deflate.ts';
import type { DeflateThreads } from './deflate-threads.ts';

export interface DeflateQueue {
  /** `bytes` stay untouched until `result`. */
  readonly push: (bytes: Uint8Array) => {
    readonly result: Promise<Deflated>;
    /** resolves once there is room for the next one */
    readonly accepted: Promise<void>;
  };
  /** Nothing more comes for now: starts what was waiting to share a message. */
  readonly flush: () => void;
  readonly close: () => Promise<void>;
}

/** Deflated here before workers are started: that takes as long as they need to start, and many a build has no more. */
const inlineBytes = 3 * 1024 * 1024;
const batchBytes = 256 * 1024;
const inFlightBytes = 16 * 1024 * 1024;

interface Waiting {
  readonly bytes: Uint8Array;
  readonly resolve: (deflated: Deflated) => void;
  readonly reject: (reason: unknown) => void;
}

/** Takes the threads over, and ends them with itself. */
export function createDeflateQueue(threads: DeflateThreads): DeflateQueue {
  return new Queue(threads);
}

class Queue implements DeflateQueue {
  readonly #threads: DeflateThreads;
  #closed = false;
  #compressor: Compressor | undefined;
  #doneInline = 0;
  #batch: Waiting[] = [];
  #batchSize = 0;
  #inFlight = 0;
  #roomWanted: (() => void)[] = [];

  constructor(threads: DeflateThreads) {
    this.#threads = threads;
  }

  readonly push: DeflateQueue['push'] = (bytes) => {
    if (this.#threads.count === 0 || this.#doneInline < inlineBytes) {
      this.#doneInline += bytes.length;
      this.#compressor ??= createCompressor();
      return { result: Promise.resolve(deflateHere(bytes, this.#compressor)), accepted: Promise.resolve() };
    }
    const result = new Promise<Deflated>((resolve, reject) => this.#batch.push({ bytes, resolve, reject }));
    this.#batchSize += bytes.length;
    this.#inFlight += bytes.length;
    if (this.#batchSize >= batchBytes) this.flush();
    return { result, accepted: this.#room() };
  };

  readonly flush = (): void => {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#batchSize = 0;
    this.#run(batch).catch((reason: unknown) => {
      for (const { reject } of batch) reject(reason);
    });
  };

  readonly close = async (): Promise<void> => {
    this.#closed = true;
    await this.#threads.close();
  };

  async #run(batch: readonly Waiting[]): Promise<void> {
    const lengths = batch.map(({ bytes }) => bytes.length);
    const size = lengths.reduce((sum, length) => sum + length, 0);
    try {
      if (this.#closed) throw new Error('the archiver was closed while it was at work');
      const pool = await this.#threads.pool();
      const { bytes, pieces } = await pool.deflate({ bytes: joined(batch, size), lengths });
      let start = 0;
      for (const [index, piece] of pieces.entries()) {
        batch[index]?.resolve({ ...piece, bytes: bytes.subarray(start, start + piece.length) });
        start += piece.length;
      }
    } finally {
      this.#inFlight -= size;
      if (this.#inFlight < inFlightBytes) for (const goOn of this.#roomWanted.splice(0)) goOn();
    }
  }

  #room(): Promise<void> {
    if (this.#inFlight < inFlightBytes) return Promise.resolve();
    this.flush();
    return new Promise((resolve) => this.#roomWanted.push(resolve));
  }
}

function deflateHere(content: Uint8Array, compressor: Compressor): Deflated {
  const out = Buffer.allocUnsafe(content.length);
  const facts = deflateTo(out, 0, content, compressor);
  return { ...facts, bytes: out.subarray(0, facts.length) };
}

/** A copy of its own, since the bytes of a source may share memory with others and could not be handed over. */
function joined(batch: readonly Waiting[], size: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(size);
  let start = 0;
  for (const { bytes } of batch) {
    all.set(bytes, start);
    start += bytes.length;
  }
  return all;
}
