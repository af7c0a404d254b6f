// I21. Tests a purged version of a mirrored package: it is neither listed, nor served, nor fetched again, and its
// copies are removed.

// imported first, because it replaces Node's file system
import { endWatch, watchDisk } from '../../../util/faulty-disk.mjs';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { PackageName } from '../../../../build/contract/name.ts';
import { lookUpPurged, nothingPurged, type PurgedVersion, parsePurged } from '../../../../build/contract/purged.ts';
import { applyRules, noRules } from '../../../../proxy/mirror/rules/release-rules.ts';
import { removePurged } from '../../../../proxy/mirror/archives/remove-purged.ts';
import { archiveKey, formatArchiveRecord } from '../../../../proxy/mirror/archives/archive-record.ts';
import { below, temporaryTree } from '../../../util/package-tree.ts';
import { tombstoneOf } from '../../../../proxy/core/protocol/tombstones.ts';

const [name, sha1] = ['acme/hello' as PackageName, 'a'.repeat(40)];
const row = {
  name,
  version: '1.1.0',
  version_normalized: '1.1.0.0',
  reference: 'f00',
  sha1,
  sha256: null,
  content: null,
  released: null,
  source: null,
  reason: 'malware',
  since: '2026-11-22T00:00:00.000Z',
} as unknown as PurgedVersion;
const records = ['1.0.0', '1.1.0'].map((version) => ({ version, dist: { reference: version } }));

it('a purged version is removed from the offers of an upstream by its label, whatever its reference', async () => {
  const rules = { ...noRules, purged: lookUpPurged(parsePurged(JSON.stringify({ format: 1, versions: [row] }))) };
  const { offered, refused } = await applyRules(name, records, rules, 0);
  expect(offered.map(({ version }) => version)).toEqual(['1.0.0']);
  expect(refused).toEqual([{ version: '1.1.0', because: 'it was purged on 2026-11-22 (malware)', setting: 'purged' }]);
  expect((await applyRules(name, records, { ...noRules, purged: nothingPurged }, 0)).refused).toEqual([]);
  expect(tombstoneOf({ name, labels: ['1.1.0'], reference: '0123456' }, rules.purged)).toMatchObject({
    reason: 'malware',
  });
  expect(tombstoneOf({ name, labels: ['1.0.0'], reference: undefined }, rules.purged)).toBeUndefined();
});

it("purging removes the copied archive, its record and the package's documents; other versions stay", async () => {
  const other = 'b'.repeat(40);
  const recordOf = (version: string, shasum: string): string =>
    formatArchiveRecord({
      name,
      version,
      normalized: `${version}.0`,
      dev: false,
      reference: version,
      shasum,
      size: 1,
      from: 'https://example.org/',
      fetchedAt: '2026-11-01T00:00:00.000Z',
      record: {},
    } as unknown as Parameters<typeof formatArchiveRecord>[0]);
  const keyOf = (version: string): string =>
    archiveKey({ version, normalized: `${version}.0`, dev: false, reference: version } as never);
  const [gone, kept] = [`dist/${name}/${keyOf('1.1.0')}.json`, `dist/${name}/${keyOf('1.0.0')}.json`];
  const otherArchive = `dist/${name}/${other}.zip`;
  const files = {
    [`dist/${name}/${sha1}.zip`]: 'x',
    [gone]: recordOf('1.1.0', sha1),
    [otherArchive]: 'y',
    [kept]: recordOf('1.0.0', other),
    [`p2/registry/p2/${name}.json`]: '{}',
  };
  const tree = temporaryTree();
  const shelf = tree.path('shelf');
  const remove = async (lostAt?: number): Promise<number> => {
    tree.write(below('shelf', files));
    watchDisk(shelf, { kind: 'power loss', at: lostAt ?? Infinity, random: () => 1 });
    await removePurged(shelf, [row]);
    if (lostAt !== undefined) expect(() => writeFileSync(join(shelf, 'done'), '')).toThrow('killed');
    return endWatch().operations;
  };
  const left = () => Object.keys(files).filter((path) => existsSync(join(shelf, path)));
  const operations = await remove();
  expect(left()).toEqual([otherArchive, kept]);
  // the machine loses its power, and all unsynced data
  await remove(operations + 1);
  expect(left()).toEqual([otherArchive, kept]);
  tree.remove();
});
