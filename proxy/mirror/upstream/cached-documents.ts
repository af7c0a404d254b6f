// Documents of upstreams between memory and disk. A waiting request gets its document before the write: a killed
// process has to request a few of them again. Recently read or written documents stay in memory, as bytes, because an
// archive is usually requested shortly after its document.

import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';
import { isThere } from '../../../build/shared/files/atomic-file.ts';
import { markChecked, readDocumentFile, writeDocumentFile, type DocumentFile } from './document-file.ts';

/** This number of bytes may wait to be written; then callers with further documents wait too. */
const mostWaitingBytes = 8 * 1024 ** 2;
/** A burst of requests is answered first. */
const quietMs = 50;
/** The size of an entry in addition to its body. */
const bytesOfFile = 600;

type Failed = (error: unknown) => void;

interface Waiting {
  readonly file: DocumentFile;
  readonly failed: Failed;
  /** callbacks of the waiting callers */
  readonly done: (() => void)[];
}

export class CachedDocuments {
  readonly #recent: ByteCache<DocumentFile>;
  /** path → waiting write, in the order of the writes */
  readonly #waiting = new Map<string, Waiting>();
  #writing = false;
  #current: Waiting | undefined;
  #bytes = 0;
  #hurry: (() => void) | undefined;

  constructor(cacheBytes: number) {
    this.#recent = new ByteCache(cacheBytes);
  }

  /** The last known document, if it is still in memory and its file exists. */
  remembered(path: string): DocumentFile | undefined {
    const waiting = this.#waiting.get(path)?.file;
    if (waiting !== undefined) return waiting;
    const recent = this.#recent.get(path);
    return recent !== undefined && (recent.body === undefined || isThere(path)) ? recent : undefined;
  }

  /** The stored document, which another process may have updated. undefined: there is no complete one. */
  async read(path: string): Promise<DocumentFile | undefined> {
    const waiting = this.#waiting.get(path);
    if (waiting !== undefined) return waiting.file;
    const found = await readDocumentFile(path);
    if (found === undefined) this.#recent.delete(path);
    else this.#remember(path, found);
    return found;
  }

  /**
   * Resolves immediately, unless too many writes wait. `failed` receives the error of the write. A name without a
   * document takes no file: clients can ask for any number of names.
   */
  keep(path: string, file: DocumentFile, failed: Failed): Promise<void> {
    this.#remember(path, file);
    const before = this.#waiting.get(path);
    if (file.body === undefined && before === undefined && !isThere(path)) return Promise.resolve();
    const done = before === undefined || before === this.#current ? [] : before.done;
    this.#forget(path);
    this.#waiting.set(path, { file, failed, done });
    this.#bytes += weightOf(file);
    if (!this.#writing) void this.#write();
    if (this.#bytes <= mostWaitingBytes) return Promise.resolve();
    return this.written();
  }

  /** Records that the document is current. `failed` receives the error of the record. */
  async checked(path: string, file: DocumentFile, failed: Failed): Promise<void> {
    if (this.#waiting.has(path)) return this.keep(path, file, failed);
    this.#remember(path, file);
    // a file that was removed in between needs no mark
    await markChecked(path, file.checkedAtMs).catch((error: unknown) =>
      isAbsence(error) ? this.keep(path, file, failed) : failed(error),
    );
  }

  /** Once all that waits now is written, or has failed. */
  written(): Promise<void> {
    this.#hurry?.();
    const last = [...this.#waiting.values()].at(-1);
    return last === undefined ? Promise.resolve() : new Promise((resolve) => void last.done.push(resolve));
  }

  async #write(): Promise<void> {
    this.#writing = true;
    await this.#quiet();
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined) break;
      const [path, waiting] = first;
      this.#current = waiting;
      try {
        await writeDocumentFile(path, waiting.file);
      } catch (error) {
        this.#recent.delete(path);
        waiting.failed(error);
      }
      if (this.#waiting.get(path) === waiting) this.#forget(path);
      for (const done of waiting.done.splice(0)) done();
    }
    this.#current = undefined;
    this.#writing = false;
  }

  #quiet(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, quietMs);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #remember(path: string, file: DocumentFile): void {
    this.#recent.set(path, file, weightOf(file));
  }

  #forget(path: string): void {
    const waiting = this.#waiting.get(path);
    if (waiting === undefined) return;
    this.#waiting.delete(path);
    this.#bytes -= weightOf(waiting.file);
  }
}

function weightOf({ body }: DocumentFile): number {
  return bytesOfFile + (body?.length ?? 0);
}
