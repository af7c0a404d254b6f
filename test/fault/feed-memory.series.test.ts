// Tests the memory of the lists: 200 000 advisories cost 60 MB at most.

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { PackageName } from '../../build/contract/name.ts';
import { feedPath, writeCopy } from '../../proxy/advisory-feeds/feed-file.ts';
import type { FeedRows } from '../../proxy/advisory-feeds/model/feed-rows.ts';
import { buildTable } from '../../proxy/advisory-feeds/model/feed-table.ts';
import { bundleScript } from '../util/bundled-script.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const advisories = 200_000;
const packages = 20_000;

/** As long as real ones are. */
const rowsOf = (name: PackageName): FeedRows => ({
  advisories: Array.from({ length: advisories / packages }, (_, at) => ({
    id: `GHSA-${name.slice(-4).padStart(4, 'x')}-c8f7-p${at}2m`,
    aliases: [`CVE-2026-${10_000 + at}`],
    severity: 'high',
    constraint: '>=1.0.0,<1.2.13 || >=2.0.0,<2.4.7',
    title: 'Cross-site scripting in the backend of the package, through a crafted file name',
    link: `https://github.com/advisories/GHSA-${name.slice(-4)}-c8f7-p${at}2m`,
    modified: '2026-03-14T05:47:39.989396Z',
  })),
  entries: [],
});

it(`${advisories} advisories cost 60 MB of memory at most`, async () => {
  await using folder = temporaryFolder('feed-memory');
  const script = folder.at('process.mjs');
  await bundleScript('test/util/feed-process.ts', script);
  const names = Array.from({ length: packages }, (_, at) => `many/p${at}` as PackageName);
  const table = await buildTable(names, rowsOf, 1024 ** 3);
  await writeCopy(feedPath(folder.at('feeds'), 'osv'), {
    feed: 'osv',
    url: 'http://127.0.0.1:1',
    fetchedAt: null,
    table,
    shrunk: null,
  });
  const args = ['--expose-gc', script, 'measure', folder.at('feeds')];
  const said = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Record<string, number>;
  expect([said['rows'], said['found']]).toEqual([advisories, advisories / packages]);
  expect(said['bytes']).toBeLessThan(60 * 1000 ** 2);
});
