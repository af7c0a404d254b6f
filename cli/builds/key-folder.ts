// The folder for private keys while ssh reads them, because ssh reads a key only from a file. Each process has its own
// folder, named after the process, and removes the folder at its end. The next process removes the folder of a killed
// process: immediately if that process has visibly ended. The folder of another container or host is removed after a
// period in which every user of it must have ended.

import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { normalizeKey, type RepositoryCredentials } from '../../proxy/sync/credentials.ts';
import { describeOwner, whereaboutsOf } from '../../proxy/sync/process-owner.ts';

export type KeyFolder = Awaited<ReturnType<typeof openKeyFolder>>;

const touchMs = 60_000;
/** Many times as long: clocks of hosts differ, and a machine may be busy. */
const abandonedMs = 15 * touchMs;

/** Below the data folder `data`. */
export async function openKeyFolder(data: string, now: () => number) {
  const all = join(data, 'build', 'ssh');
  const own = join(all, nameOf(await describeOwner()));
  await sweep(all, now());
  let touching: NodeJS.Timeout | undefined;
  const touch = (): void => {
    // once missed is of no matter
    utimes(own, now() / 1000, now() / 1000).catch(() => undefined);
  };
  return {
    /** Gives the file, for its user alone; undefined if the credentials are not a key. */
    write: async (id: string, credentials: RepositoryCredentials | undefined): Promise<string | undefined> => {
      if (credentials === undefined || !('private_key' in credentials)) return undefined;
      await mkdir(own, { recursive: true, mode: 0o700 });
      touching ??= setInterval(touch, touchMs).unref();
      await writeFile(join(own, id), normalizeKey(credentials.private_key), { mode: 0o600 });
      return join(own, id);
    },
    remove: async (): Promise<void> => {
      clearInterval(touching);
      await rm(own, { recursive: true, force: true });
    },
  };
}

async function sweep(all: string, nowMs: number): Promise<void> {
  for (const name of await readdir(all).catch(() => [])) {
    const folder = join(all, name);
    const whereabouts = await whereaboutsOf(ownerOf(name));
    const touched = await stat(folder).catch(() => undefined); // its process may remove it at this moment
    const isAbandoned =
      whereabouts === 'ended' ||
      (whereabouts === 'elsewhere' && touched !== undefined && nowMs - touched.mtimeMs > abandonedMs);
    if (isAbandoned) await rm(folder, { recursive: true, force: true });
  }
}

/** An owner as the name of a folder. */
function nameOf(owner: string): string {
  return owner.replaceAll('/', '_').replaceAll(' ', '.');
}

function ownerOf(name: string): string {
  return name.replaceAll('_', '/').replaceAll('.', ' ');
}
