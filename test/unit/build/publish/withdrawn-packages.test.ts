// Tests the list of withdrawn packages in the announcement. A server that reads the tree over HTTP cannot list folders.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatPublication, parsePublication, type Publication } from '../../../../build/contract/publication.ts';
import { prune } from '../../../../build/prune/prune.ts';
import { verifyTree } from '../../../../build/inspect/verify.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { below } from '../../../util/package-tree.ts';
import { whoLibrary } from '../../../util/who-library.ts';

let series: BuildSeries;
beforeEach(async () => {
  series = buildSeries();
  for (const name of ['acme/one', 'acme/two', 'gone/three'])
    series.tree.write(below(`src/${name}`, whoLibrary(name, '1.0.0')));
  await series.run({ arguments: ['src'] });
});
afterEach(() => series.tree.remove());

const path = (): string => join(series.data, 'index/_publication.json');
const announced = (): Publication => parsePublication(readFileSync(path(), 'utf8'));
const faults = async () => (await verifyTree(series.data)).faults;
const withdraw = (name: string) => {
  series.tree.delete(`src/${name}`);
  return series.run({ allowWithdraw: true });
};

describe('withdrawn packages', () => {
  it('withdrawn packages are listed while anything of them is stored, and not while they are published', async () => {
    expect(announced().withdrawn).toEqual([]);
    await withdraw('gone/three');
    await withdraw('acme/two');
    expect(announced().withdrawn).toEqual(['acme/two', 'gone/three']);
    series.tree.write(below('src/acme/two', whoLibrary('acme/two', '1.0.0')));
    await series.run({});
    expect(announced().withdrawn).toEqual(['gone/three']);
    expect(await faults()).toEqual([]);
    const later = () => new Date(Date.now() + 1_000_000_000);
    series.tree.delete('data/build/history'); // a rollback may need it
    await prune({ dataDirectory: series.data, keepForMs: 1000, dryRun: false, actor: 'a test' }, later);
    expect(announced().withdrawn).toEqual([]);
    expect(await faults()).toEqual([]);
  });

  it('withdrawn packages are found in the serving index where the announcement was lost or is of an older version', async () => {
    await withdraw('gone/three');
    const { withdrawn: _, ...older } = announced();
    writeFileSync(path(), formatPublication(older));
    expect(await series.run({})).toMatchObject({ published: true });
    expect(announced()).toMatchObject({ serial: older.serial + 1, withdrawn: ['gone/three'] });
    expect(await series.run({})).toMatchObject({ published: false });
  });

  it('verify finds withdrawn packages that are not listed, and a build that compares everything lists them', async () => {
    await withdraw('gone/three');
    writeFileSync(path(), formatPublication({ ...announced(), withdrawn: [] }));
    expect(await faults()).toMatchObject([
      { code: 'MALFORMED_INDEX', path: 'index/_publication.json', name: 'gone/three' },
    ]);
    series.tree.delete('data/build/manifest.json');
    await series.run({});
    expect(await faults()).toEqual([]);
  });
});
