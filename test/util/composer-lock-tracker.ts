// Every lock file that Composer could have made of a tree so far. Each must still find its bytes until a prune may
// remove them.

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
  /** the last time it was offered; epoch milliseconds */
  readonly seen: number;
}

export interface ComposerLockTracker {
  /**
   * Adds the present offers of the documents. Everything that was ever offered under the same (version, reference) has
   * the same checksum.
   */
  readonly note: (now: number) => void;
  /** From now on these locks may find nothing: their content is purged. */
  readonly purge: (content: Pick<LockLine, 'name' | 'version' | 'reference'>) => void;
  /**
   * Looks all of them up as the proxy does, by the serving index. `until`: a prune that may remove contents not offered
   * since has run, or was cut off. Returns the number of lost ones.
   */
  readonly check: (until?: number) => number;
}

export function trackComposerLocks(data: string): ComposerLockTracker {
  const lines = new Map<string, LockLine>();
  const checksums = new Map<string, string>();
  const purged = new Set<string>();
  return {
    note: (seen) => {
      for (const { name, version, dist } of publishedRecords(data)) {
        const key = `${name} ${version} of ${dist.reference}`;
        // the document of a dev version has none; the serving index has, and the archive is found and verified by it
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

/** False where it is gone; other bytes than named are always an error. */
function isServed(data: string, { name, version, reference, shasum }: LockLine): boolean {
  const entry = entryOf(data, { name, version, reference });
  if (entry === undefined) return false;
  // the rules of the policy still know the version
  expect(entry, `${name} ${version} of ${reference}`).toHaveProperty(entry.state === 'published' ? 'state' : 'facts');
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
