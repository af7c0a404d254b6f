// Temporary folders that are removed with the test, by `await using` or by `remove()` in afterAll. All of them are in
// the system's own temporary folder.

import { mkdtempSync, realpathSync } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
  readonly at: (...parts: readonly string[]) => string;
  readonly remove: () => Promise<void>;
}

export function temporaryFolder(name = 'test'): TemporaryFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `libretto-${name}-`)));
  const remove = async (): Promise<void> => {
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(async () => {
      await makeRemovable(path);
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
    });
  };
  return { path, at: (...parts) => join(path, ...parts), remove, [Symbol.asyncDispose]: remove };
}

async function makeRemovable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeRemovable(join(folder, entry.name));
  }
}
