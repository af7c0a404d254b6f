// Tests the list of a feed in memory: what goes in comes out, and every other name is unknown.

import { describe, expect, it } from 'vitest';
import type { PackageName } from '../../../../../build/contract/name.ts';
import { noRows, type FeedRows } from '../../../../../proxy/advisory-feeds/model/feed-rows.ts';
import { buildTable, emptyTable, openTable } from '../../../../../proxy/advisory-feeds/model/feed-table.ts';

const named = (text: string): PackageName => text as PackageName;
const filled: FeedRows = {
  advisories: [
    { id: 'A', aliases: ['B'], severity: 'high', constraint: '<2', title: 'Ünd "so"\n', link: null, modified: 'x' },
    { id: 'C', aliases: [], severity: null, constraint: null, title: '', link: 'https://c.example/', modified: null },
    { id: 'D', aliases: [], severity: 'low', constraint: '', title: '', link: null, modified: null },
  ],
  entries: [{ list: 'malware', constraint: '*', reason: null }],
};
const most = 1024 ** 2;

describe('the list of a feed', () => {
  it('finds each of its packages, and no other', async () => {
    const names = Array.from({ length: 999 }, (_, at) => named(`v${at % 7}/p${at}`));
    const table = await buildTable(names, (name) => (name.endsWith('5') ? filled : noRows), most);
    expect(table.size).toBe(999);
    expect([...table.names()]).toEqual(names.toSorted());
    for (const name of names) expect(table.rowsOf(name)).toEqual(name.endsWith('5') ? filled : noRows);
    for (const name of ['a/a', 'z/z', 'v1/p', 'v1/p11', 'v1/p0000']) expect(table.has(named(name))).toBe(false);
    expect(emptyTable.rowsOf(named('a/a'))).toBeUndefined();
  });

  it('counts what can block, and what cannot be converted', async () => {
    const table = await buildTable([named('a/a'), named('a/b')], () => filled, most);
    expect([table.rows, table.unconvertible]).toEqual([4, 2]);
  });

  it('is the same for the same rows, whichever packages have none', async () => {
    const only = await buildTable([named('a/a')], () => filled, most);
    const more = await buildTable([named('a/a'), named('b/b')], (name) => (name === 'a/a' ? filled : noRows), most);
    expect(more.digest).toBe(only.digest);
    expect((await buildTable([named('a/b')], () => filled, most)).digest).not.toBe(only.digest);
  });

  it('refuses what is no list, and a list that is too large', async () => {
    const facts = { rows: 0, unconvertible: 0, digest: '' };
    expect(() => openTable(Buffer.from('["a/a"]'), facts)).toThrow('malformed');
    expect(() => openTable(Buffer.from('{}\n'), facts)).toThrow('malformed');
    await expect(buildTable([named('a/a')], () => filled, 10)).rejects.toThrow('larger than 10 bytes');
    await expect(buildTable([named('../a')], () => filled, most)).rejects.toThrow('no name');
  });
});
