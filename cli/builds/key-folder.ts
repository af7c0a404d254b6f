// Where private keys lie while ssh reads them: ssh takes a key from a file only. Each process has a folder of its own,
// named after the process, and removes it; what one left that was killed, the next one removes: at once where it can be
// seen that it has ended, else (another container's, another host's) once the folder was not touched for so long that
// nobody can be at work with it.

import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { normalizeKey, type RepositoryCredentials } from '../../proxy/sync/credentials.ts';
import { describeOwner, whereaboutsOf } from '../../proxy/sync/process-owner.ts';

export interface KeyFolder {
  /** Gives the file, for its user alone; undefined where the credentials are not a key. */
  readonly write: (id: string, credentials: RepositoryCredentials | undefined) => Promise<string | undefined>;
  readonly remove: () => Promise<void>;
}

const touchMs = 60_000;
/** Many times as long: clocks of hosts differ, and a machine may be busy. */
const abandonedMs = 15 * touchMs;

/** Below the data folder `data`. */
export async function openKeyFolder(data: string, now: () => number): Promise<KeyFolder> {
  const all = join(data, 'build', 'ssh');
  const own = join(all, nameOf(await describeOwner()));
  await sweep(all, now());
  let touching: NodeJS.Timeout | undefined;
  const touch = (): void => {
    // once missed is of no matter
    utimes(own, now() / 1000, now() / 1000).catch(() => undefined);
  };
  return {
    write: async (id, credentials) => {
      if (credentials === undefined || !('private_key' in credentials)) return undefined;
      await mkdir(own, { recursive: true, mode: 0o700 });
      touching ??= setInterval(touch, touchMs).unref();
      await writeFile(join(own, id), normalizeKey(credentials.private_key), { mode: 0o600 });
      return join(own, id);
    },
    remove: async () => {
      clearInterval(touching);
      await rm(own, { recursive: true, force: true });
    },
  };
}

async function sweep(all: string, nowMs: number): Promise<void> {
  for (const name of await readdir(all).catch(() => [])) {
    const folder = join(all, name);
    const whereabouts = await whereaboutsOf(ownerOf(name));
    const touched = await stat(folder).catch(() => undefined); // its process may remove it right now
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
