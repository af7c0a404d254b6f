// Archives that only the object store has, fetched for pages. A few stay on this disk until the next
// publication, since that may purge a version.

import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { objectKeyOf, type ListedPath } from '../../build/contract/store-listing.ts';
import { AbsentArchives } from '../../build/output/absent-archives.ts';
import { inspectedFolder } from '../../build/listing/working-copy-files.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import type { OpenableStore } from '../../build/store/object-store.ts';

/** A page compares two archives, and shows none of more than 64 MiB. */
const mostKept = 8;

/** Gives the absolute path of an archive; undefined: the store has none. Rejects with StoreFailure. */
export function createFetchedArchives(dataDirectory: string, output: OpenableStore) {
  const folder = join(dataDirectory, inspectedFolder);
  const fetches = new SingleFlight<string | undefined>();
  const kept = new Set<string>();
  const fetchOne = async (path: ListedPath): Promise<string | undefined> => {
    const listed = await new AbsentArchives(dataDirectory).file(path);
    if (listed === undefined) return undefined;
    const target = join(folder, `${listed.sha256}.zip`);
    if (kept.delete(target) && existsSync(target)) return keep(target);
    if (kept.size === 0) await rm(folder, { recursive: true, force: true }); // of a server before this one
    await mkdir(folder, { recursive: true });
    const store = await output.open();
    const found = await store.download(objectKeyOf(path, listed), target, listed).finally(() => store.close());
    return found ? keep(target) : undefined;
  };
  const keep = async (target: string): Promise<string> => {
    kept.add(target);
    const [oldest = target] = kept;
    if (kept.size > mostKept && kept.delete(oldest)) await rm(oldest, { force: true });
    return target;
  };
  return (path: string) => fetches.run(path, () => fetchOne(`public/${path}`));
}
