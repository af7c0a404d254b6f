// What lock files need of a registry: published versions, and stored ones of other registries. A version that is not
// here ends the command, because the lock would not install from the bundle.

import { join } from 'node:path';

import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import { normalizeVersion } from '../../build/contract/version.ts';
import { retainedKey } from '../../build/history/retained-archives.ts';
import type { LockedPackage } from '../../build/inspect/impact.ts';
import type { Output } from '../../build/output/output.ts';
import { readOwnIndex } from '../../build/output/parse-own-file.ts';
import { isThere } from '../../build/shared/files/atomic-file.ts';
import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import { AcceptedArchiveStore } from '../../proxy/mirror/archives/accepted-archive-store.ts';
import { archivePath } from '../../proxy/mirror/archives/accepted-package.ts';
import type { ArchiveRecord } from '../../proxy/mirror/archives/archive-record.ts';
import { readLockFile } from '../io/lock-file.ts';
import { counted, firstOf } from '../io/output.ts';
import { UsageError } from '../io/usage-error.ts';

export interface WantedVersions {
  readonly wants: (name: PackageName, entry: IndexEntry) => boolean | Promise<boolean>;
  readonly wantsStored: (record: ArchiveRecord) => boolean | Promise<boolean>;
  /** of other registries: a metapackage needs documents, and no archive; undefined: all of them */
  readonly names: ReadonlySet<string> | undefined;
}

/** A locked version here, or what is missing and what to do. undefined: it needs no archive of a registry. */
type Found = Pick<IndexEntry, 'version' | 'reference'> | ArchiveRecord | string | undefined;

const mostLines = 40;

/** `mirror`: the folder of the mirror. Throws UsageError, and names every version that is not here. */
export async function lockedVersions(
  locks: readonly string[],
  output: Output,
  mirror: string,
): Promise<WantedVersions> {
  const [wanted, names, missing] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const lock of locks) {
    for (const locked of readLockFile(lock)) {
      const name = parsePackageName(locked.name.toLowerCase());
      if (name === undefined) continue;
      const found = await find(name, locked, { output, mirror, lock });
      if (typeof found === 'string') missing.add(`${lock}: ${name} ${locked.version} ${found}`);
      else if (found !== undefined) wanted.add(retainedKey(name, found));
      if (found === undefined || (typeof found !== 'string' && 'normalized' in found)) names.add(name);
    }
  }
  if (missing.size > 0) {
    const head = `No bundle was made: ${counted(missing.size, 'locked version')} cannot be taken.`;
    throw new UsageError([head, ...firstOf([...missing], mostLines)].join('\n  '));
  }
  return {
    wants: (name, entry) => wanted.has(retainedKey(name, entry)),
    wantsStored: (record) => wanted.has(retainedKey(record.name, record)),
    names,
  };
}

async function find(
  name: PackageName,
  { version, reference, hosts }: LockedPackage,
  { output, mirror, lock }: { readonly output: Output; readonly mirror: string; readonly lock: string },
): Promise<Found> {
  const index = await readOwnIndex(output, name);
  const isLocked = (one: { readonly reference: string }): boolean => reference === null || one.reference === reference;
  if (index === undefined) {
    const records = await new AcceptedArchiveStore(mirror, 0).records(name);
    const record = records.find(
      (one) =>
        (one.version === version || one.normalized === normalizeVersion(version)) &&
        isLocked(one) &&
        isThere(join(mirror, archivePath(name, one.shasum))),
    );
    if (record !== undefined || hosts.length === 0) return record; // without: a metapackage, a folder of the project
    return `is not stored here. Fetch it with \`libretto mirror warm ${quoteForShell(lock)}\`, and bundle again.`;
  }
  const same = index.versions.filter((entry) => entry.version === version && isLocked(entry));
  if (same.length === 0)
    return 'is not published here. Publish it, or run `composer update` for it in its project, and bundle again.';
  return (
    same.find(({ state }) => state === 'published') ??
    `is no longer published with this content. Run \`composer update ${name}\` in its project, and bundle again.`
  );
}
