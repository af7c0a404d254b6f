// The folders that a publication writes to: created on demand, and synced together.

import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { StorageError, withPath } from './storage-error.ts';
import { syncPath } from './sync-path.ts';

const parallelSyncs = 16;

export class WrittenFolders {
  readonly #staging: string;
  readonly #made = new Set<string>();
  readonly #unsynced: Set<string>;
  #staged = 0;

  constructor(dataDirectory: string) {
    this.#staging = join(dataDirectory, 'build', 'staging');
    // The holder of the lock may have created build/ itself.
    this.#unsynced = new Set([dataDirectory]);
  }

  /** The path of a new file below build/staging/. Throws StorageError. */
  stagingPath(): string {
    if (!this.#made.has(this.#staging)) makeStaging(this.#staging);
    this.#made.add(this.#staging);
    this.#staged += 1;
    return join(this.#staging, `${this.#staged}-${randomUUID()}`);
  }

  /** Creates the folder of `path`. */
  async makeFor(path: string): Promise<void> {
    const folder = dirname(path);
    this.touch(folder);
    if (this.#made.has(folder)) return;
    // A new folder survives a power cut only after its parent is synced.
    for (const level of await makeFolder(folder)) this.#unsynced.add(level).add(dirname(level));
    this.#made.add(folder);
  }

  /** Notes that an entry of `folder` has changed. */
  touch(folder: string): void {
    this.#unsynced.add(folder);
  }

  /** Resolves once all changed folders are on disk. */
  async sync(): Promise<void> {
    await syncAll([...this.#unsynced]);
    this.#unsynced.clear();
  }

  async discardStaging(): Promise<void> {
    await withPath(this.#staging, rm(this.#staging, { recursive: true, force: true }));
    this.#made.delete(this.#staging);
  }
}

/**
 * Syncs a few paths at a time. A publication may have a hundred thousand files, and one promise for each would need
 * more memory than all paths.
 */
export async function syncAll(paths: readonly string[]): Promise<void> {
  const queue = paths.values();
  const work = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await syncPath(next.value);
  };
  await Promise.all(Array.from({ length: parallelSyncs }, work));
}

function makeStaging(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new StorageError(path, error);
  }
}
