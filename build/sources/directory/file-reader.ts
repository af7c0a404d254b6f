// Has the files of a scan read: in this thread, and in workers too once there is so much that starting them pays.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeflateThreads } from '../../archive/deflate-threads.ts';
import type { Pause } from '../../files/pause.ts';
import type { FilesRead, FilesToRead, ReadingTools } from '../../files/read-files.ts';

export type FileReader = (task: ReadingTask) => Promise<FilesRead>;

export interface ReadingTask extends Omit<FilesToRead, 'deflate'> {
  /** evaluated at the package's turn, which may come after thousands of others */
  readonly deflate: () => boolean;
}

/** This thread reads so many bytes before it starts workers: many scans have no more. */
const inlineBytes = 1024 * 1024;

/** Tasks that each worker has, so that none is idle while this thread does one itself. */
const tasksPerThread = 3;

interface Waiting {
  readonly task: ReadingTask;
  readonly resolve: (result: FilesRead | Promise<FilesRead>) => void;
}

/** Without threads this thread reads all files. */
export function createFileReader(threads: DeflateThreads | undefined, pause: Pause): FileReader {
  return new SharedReader(threads, pause).read;
}

class SharedReader {
  readonly #threads: DeflateThreads | undefined;
  readonly #pause: Pause;
  readonly #waiting: Waiting[] = [];
  #tools: Promise<ReadingTools> | undefined;
  #busyHere = false;
  #bytesHere = 0;
  #sent = 0;

  constructor(threads: DeflateThreads | undefined, pause: Pause) {
    this.#threads = threads;
    this.#pause = pause;
  }

  readonly read: FileReader = (task) =>
    new Promise((resolve) => {
      this.#waiting.push({ task, resolve });
      this.#distribute();
    });

  #distribute(): void {
    const threads = this.#threads;
    if (threads !== undefined && this.#bytesHere >= inlineBytes) {
      while (this.#sent < threads.count * tasksPerThread) {
        const next = this.#waiting.shift();
        if (next === undefined) return;
        this.#sent += 1;
        next.resolve(this.#send(next.task, threads));
      }
    }
    if (this.#busyHere) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#busyHere = true;
    next.resolve(this.#readHere(next.task));
  }

  async #send(task: ReadingTask, threads: DeflateThreads): Promise<FilesRead> {
    try {
      const pool = await threads.pool();
      return await pool.readFiles(started(task));
    } finally {
      this.#sent -= 1;
      this.#distribute();
    }
  }

  async #readHere(task: ReadingTask): Promise<FilesRead> {
    for (const { bytes } of task.files) this.#bytesHere += bytes;
    try {
      const { readFiles } = await import('../../files/read-files.ts');
      this.#tools ??= toolsFor(this.#pause);
      return await readFiles(started(task), await this.#tools);
    } finally {
      // lets the results of the workers arrive
      await nextTurn();
      this.#busyHere = false;
      this.#distribute();
    }
  }
}

function started({ folder, files, deflate }: ReadingTask): FilesToRead {
  return { folder, files, deflate: deflate() };
}

async function toolsFor(pause: Pause): Promise<ReadingTools> {
  const [{ createCompressor }, { createReadingTools }] = await Promise.all([
    import('../../compression/compressor.ts'),
    import('../../files/read-files.ts'),
  ]);
  return createReadingTools(createCompressor(), pause);
}
