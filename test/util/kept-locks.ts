// Every lock that Composer could have made of a tree along the way, and what each of them must go on finding: the bytes
// it names, until a prune was allowed to remove them.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parsePackageIndex, type IndexEntry } from '../../build/contract/serving-index.ts';
import { publishedRecords } from './published-tree.ts';

interface LockLine {
  readonly name: string;
  readonly version: string;
  readonly reference: string;
  readonly shasum: string;
  /** when it was last offered; epoch milliseconds */
  readonly seen: number;
}

export interface KeptLocks {
  /**
   * Notes what documents offer now. What was ever offered under the same (version, reference) has the same checksum.
   */
  readonly note: (now: number) => void;
  /** From now on these locks need find nothing: their content is purged. */
  readonly purge: (content: Pick<LockLine, 'name' | 'version' | 'reference'>) => void;
  /**
   * Looks all of them up as the proxy does, by the serving index. `until`: a prune has run, or was cut off, that may
   * remove what nobody was offered since. How many of them are gone.
   */
  readonly check: (until?: number) => number;
}

export function keepLocks(data: string): KeptLocks {
  const lines = new Map<string, LockLine>();
  const checksums = new Map<string, string>();
  const purged = new Set<string>();
  return {
    note: (seen) => {
      for (const { name, version, dist } of publishedRecords(data)) {
        const key = `${name} ${version} of ${dist.reference}`;
        // the document of a dev version gives none: the serving index does, by which the archive is found and proved
        const shasum = dist.shasum ?? entryOf(data, { name, version, reference: dist.reference })?.shasum ?? 'none';
        expect(shasum, key).toBe(checksums.get(key) ?? shasum);
        checksums.set(key, shasum);
        if (!purged.has(key)) lines.set(key, { name, version, reference: dist.reference, shasum, seen });
      }
    },
    purge: ({ name, version, reference }) => {
      purged.add(`${name} ${version} of ${reference}`);
      lines.delete(`${name} ${version} of ${reference}`);
    },
    check: (until = -Infinity) => {
      const lost = [...lines].filter(([, line]) => !isServed(data, line));
      for (const [key, { seen }] of lost) {
        expect(
          until,
          `the lock of ${key} could be made at ${new Date(seen).toISOString()}, and is lost`,
        ).toBeGreaterThanOrEqual(seen);
        lines.delete(key);
      }
      return lost.length;
    },
  };
}

/** False where it is gone; other bytes than it names never are an answer. */
function isServed(data: string, { name, version, reference, shasum }: LockLine): boolean {
  const entry = entryOf(data, { name, version, reference });
  if (entry === undefined) return false;
  expect(
    createHash('sha1')
      .update(readFileSync(join(data, 'public', entry.path)))
      .digest('hex'),
    `${name} ${version} of ${reference}`,
  ).toBe(shasum);
  return true;
}

function entryOf(
  data: string,
  { name, version, reference }: Pick<LockLine, 'name' | 'version' | 'reference'>,
): IndexEntry | undefined {
  const index = join(data, 'index', `${name}.json`);
  return existsSync(index)
    ? parsePackageIndex(readFileSync(index, 'utf8')).versions.find(
        (one) => one.version === version && one.reference === reference,
      )
    : undefined;
}
