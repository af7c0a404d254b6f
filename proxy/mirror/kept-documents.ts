// Documents of upstreams between memory and disk. Whoever waits for one has it before it is kept: a process that is killed has to ask for a few of them once
// more. What was read or written last is in memory, as bytes: an archive is mostly asked for shortly after the document that names it.

import { ByteCache } from '../protocol/byte-cache.ts';
import { markChecked, readDocumentFile, writeDocumentFile, type DocumentFile } from './document-file.ts';

/** So many bytes may wait to be written; then whoever brings more waits too. */
const mostWaitingBytes = 8 * 1024 ** 2;
/** A burst of requests is answered first. */
const quietMs = 50;
/** Beside its body. */
const bytesOfFile = 600;

type Failed = (error: unknown) => void;

interface Waiting {
  readonly file: DocumentFile;
  readonly failed: Failed;
}

export class KeptDocuments {
  readonly #recent: ByteCache<DocumentFile>;
  /** by path, the first to be written first */
  readonly #waiting = new Map<string, Waiting>();
  #writing: Promise<void> | undefined;
  #bytes = 0;
  #hurry: (() => void) | undefined;

  constructor(cacheBytes: number) {
    this.#recent = new ByteCache(cacheBytes);
  }

  /** As it was last seen here, as long as there is room for it. */
  remembered(path: string): DocumentFile | undefined {
    return this.#waiting.get(path)?.file ?? this.#recent.get(path);
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
    this.#forget(path);
    this.#waiting.set(path, { file, failed });
    this.#bytes += weightOf(file);
    this.#writing ??= this.#write();
    if (this.#bytes <= mostWaitingBytes) return Promise.resolve();
    return this.written();
  }

  /** It was found to be current. */
  async checked(path: string, file: DocumentFile, failed: Failed): Promise<void> {
    if (this.#waiting.has(path)) return this.keep(path, file, failed);
    this.#remember(path, file);
    return markChecked(path, file.checkedAtMs);
  }

  /** Once all that waits is written, or has failed. */
  written(): Promise<void> {
    this.#hurry?.();
    return this.#writing ?? Promise.resolve();
  }

  async #write(): Promise<void> {
    await this.#quiet();
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined) break;
      const [path, waiting] = first;
      try {
        await writeDocumentFile(path, waiting.file);
      } catch (error) {
        this.#recent.delete(path);
        waiting.failed(error);
      }
      if (this.#waiting.get(path) === waiting) this.#forget(path);
    }
    this.#writing = undefined;
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
