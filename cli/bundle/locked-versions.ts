// What lock files need of a registry: published versions, and stored ones of other registries. A version that is not
// here ends the command, because the lock would not install from the bundle.

import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { indexPath } from '../../build/contract/paths.ts';
import { parsePackageIndex, type IndexEntry } from '../../build/contract/serving-index.ts';
import { normalizeVersion } from '../../build/contract/version.ts';
import type { LockedPackage } from '../../build/inspect/impact.ts';
import type { Output } from '../../build/output/output.ts';
import { parseOwnFile } from '../../build/output/parse-own-file.ts';
import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import { AcceptedArchiveStore } from '../../proxy/mirror/archives/accepted-archive-store.ts';
import { archiveKey, type ArchiveRecord } from '../../proxy/mirror/archives/archive-record.ts';
import { readLockFile } from '../io/lock-file.ts';
import { counted, firstOf } from '../io/output.ts';
import { UsageError } from '../io/usage-error.ts';

export interface LockedVersions {
  readonly wants: (name: PackageName, entry: IndexEntry) => boolean;
  readonly wantsStored: (record: ArchiveRecord) => boolean;
  /** packages that need no archive */
  readonly names: ReadonlySet<string>;
}

/** One locked version here. A text: what is missing, and what to do. */
type Found = { readonly entry: IndexEntry } | { readonly record: ArchiveRecord } | 'nothing needed' | string;

const mostLines = 40;

/** `mirror`: the folder of the mirror. Throws UsageError, and names every version that is not here. */
export async function lockedVersions(
  locks: readonly string[],
  { output, mirror }: { readonly output: Output; readonly mirror: string },
): Promise<LockedVersions> {
  const store = new AcceptedArchiveStore(mirror, 0);
  const [published, stored, names, missing] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
  ];
  for (const lock of locks) {
    for (const locked of readLockFile(lock)) {
      const name = parsePackageName(locked.name.toLowerCase());
      if (name === undefined) continue;
      const found = await find(name, locked, output, store, lock);
      if (found === 'nothing needed') names.add(name);
      else if (typeof found === 'string') missing.add(`${lock}: ${name} ${locked.version} ${found}`);
      else if ('entry' in found) published.add(keyOf(name, found.entry));
      else stored.add(`${name} ${archiveKey(found.record)}`);
    }
  }
  if (missing.size > 0)
    throw new UsageError(
      [
        `No bundle was made: ${counted(missing.size, 'locked version')} of these lock files cannot be taken.`,
        ...firstOf([...missing], mostLines),
      ].join('\n  '),
    );
  return {
    wants: (name, entry) => published.has(keyOf(name, entry)),
    wantsStored: (record) => stored.has(`${record.name} ${archiveKey(record)}`),
    names,
  };
}

function keyOf(name: PackageName, { version, reference }: Pick<IndexEntry, 'version' | 'reference'>): string {
  return JSON.stringify([name, version, reference]);
}

async function find(
  name: PackageName,
  locked: LockedPackage,
  output: Output,
  store: AcceptedArchiveStore,
  lock: string,
): Promise<Found> {
  const { version, reference } = locked;
  const text = await output.read('index', indexPath(name));
  const index =
    text === undefined ? undefined : parseOwnFile(`index/${indexPath(name)}`, () => parsePackageIndex(text));
  if (index !== undefined) {
    const same = index.versions.filter(
      (entry) => entry.version === version && (reference === null || entry.reference === reference),
    );
    const entry = same.find(({ state }) => state === 'published');
    if (entry !== undefined) return { entry };
    return same.length > 0
      ? `is no longer published with this content. Run \`composer update ${name}\` in its project, and bundle again.`
      : 'is not published here. Publish it, and bundle again.';
  }
  const record = (await store.records(name)).find((one) => isLocked(one, locked));
  if (record !== undefined) return { record };
  if (locked.hosts.length === 0) return 'nothing needed'; // a metapackage, or a folder of the project
  return `is not stored here. Fetch it with \`libretto mirror warm ${quoteForShell(lock)}\`, and bundle again.`;
}

function isLocked(record: ArchiveRecord, { version, reference }: LockedPackage): boolean {
  const isSame = record.version === version || normalizeVersion(version) === record.normalized;
  return isSame && (reference === null || record.reference === reference);
}
