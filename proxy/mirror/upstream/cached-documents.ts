// Documents of upstreams between memory and disk. Whoever waits for one has it before it is kept: a process that is
// killed has to ask for a few of them once more. What was read or written last is in memory, as bytes: an archive is
// mostly asked for shortly after the document that names it.

import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';
import { isThere } from '../../../build/shared/files/atomic-file.ts';
import { markChecked, readDocumentFile, writeDocumentFile, type DocumentFile } from './document-file.ts';

/** This number of bytes may wait to be written; then callers with further documents wait too. */
const mostWaitingBytes = 8 * 1024 ** 2;
/** A burst of requests is answered first. */
const quietMs = 50;
/** Beside its body. */
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
  /** by path, the first to be written first */
  readonly #waiting = new Map<string, Waiting>();
  #writing = false;
  #current: Waiting | undefined;
  #bytes = 0;
  #hurry: (() => void) | undefined;

  constructor(cacheBytes: number) {
    this.#recent = new ByteCache(cacheBytes);
  }

  /** As it was last seen here, as long as there is room for it and nobody has removed its file. */
  remembered(path: string): DocumentFile | undefined {
    const waiting = this.#waiting.get(path)?.file;
    if (waiting !== undefined) return waiting;
    const recent = this.#recent.get(path);
    return recent !== undefined && isThere(path) ? recent : undefined;
  }

  /** As it is kept now: another process may have asked since. undefined: there is nothing that is whole. */
  async read(path: string): Promise<DocumentFile | undefined> {
    const waiting = this.#waiting.get(path);
    if (waiting !== undefined) return waiting.file;
    const found = await readDocumentFile(path);
    if (found === undefined) this.#recent.delete(path);
    else this.#remember(path, found);
    return found;
  }

  /** Resolves at once, unless too many wait already. `failed` hears why it could not be written. */
  keep(path: string, file: DocumentFile, failed: Failed): Promise<void> {
    this.#remember(path, file);
    const before = this.#waiting.get(path);
    const done = before === undefined || before === this.#current ? [] : before.done;
    this.#forget(path);
    this.#waiting.set(path, { file, failed, done });
    this.#bytes += weightOf(file);
    if (!this.#writing) void this.#write();
    if (this.#bytes <= mostWaitingBytes) return Promise.resolve();
    return this.written();
  }

  /** It was found to be current. `failed` hears why that could not be noted. */
  async checked(path: string, file: DocumentFile, failed: Failed): Promise<void> {
    if (this.#waiting.has(path)) return this.keep(path, file, failed);
    this.#remember(path, file);
    // a file that was removed meanwhile needs no mark
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
