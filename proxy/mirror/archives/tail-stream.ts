// A file that is being written while others read it. Readers get the released bytes, each at its own speed; the writer
// waits for none of them. The last bytes are released only after the whole file was verified: until then no reader has
// a file that seems complete.

import { open } from 'node:fs/promises';
import type { OpenFile } from '../../core/http/answer.ts';

export class TailStream {
  readonly path: string;
  #released = 0;
  #ended: { readonly error?: Error } | undefined;
  #onFirst: (() => void) | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(path: string) {
    this.path = path;
  }

  /** Called once, as soon as anything may be read. */
  onFirst(callback: () => void): void {
    this.#onFirst = callback;
  }

  /** Allows readers to read this number of bytes from the beginning. */
  release(bytes: number): void {
    this.#released = bytes;
    this.#onFirst?.();
    this.#onFirst = undefined;
    this.#wake();
  }

  /** The file is complete with `bytes` bytes, or failed. */
  end(outcome: { readonly bytes: number } | { readonly error: Error }): void {
    if ('bytes' in outcome) this.#released = outcome.bytes;
    this.#ended = 'error' in outcome ? { error: outcome.error } : {};
    this.#wake();
  }

  get released(): number {
    return this.#released;
  }

  /**
   * A reader of the whole file: it waits for missing bytes, and rejects with the writer's error. It opens the file
   * immediately, because the file may lose its name in between. Rejects with ENOENT if the name is lost already. `size`
   * is infinite until it is known, which is before the last bytes are released.
   */
  async reader(): Promise<OpenFile> {
    const handle = await open(this.path, 'r');
    let abandoned = false;
    const read: OpenFile['handle']['read'] = async (buffer, offset, length, position) => {
      while (this.#released <= position && this.#ended === undefined && !abandoned)
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      if (this.#ended?.error !== undefined) throw this.#ended.error;
      if (abandoned) throw new Error('nobody wants the rest of it');
      return handle.read(buffer, offset, Math.max(0, Math.min(length, this.#released - position)), position);
    };
    const abandon = (): void => {
      abandoned = true;
      this.#wake();
    };
    // infinite for a broken download too: its reader must receive the error at the end
    const size = (): number =>
      this.#ended === undefined || this.#ended.error !== undefined ? Number.POSITIVE_INFINITY : this.#released;
    return {
      handle: { read, close: () => handle.close() },
      get size() {
        return size();
      },
      path: this.path,
      abandon,
      isWhole: () => this.#isWhole(),
    };
  }

  async #isWhole(): Promise<boolean> {
    while (this.#ended === undefined) await new Promise<void>((resolve) => this.#waiting.add(resolve));
    return this.#ended.error === undefined;
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
