// Tests the copies of feeds on disk: in use from the start, replaced whole, and never used when they are damaged.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import type { PackageName } from '../../../build/contract/name.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advisory, jsonAnswer, startAdvisoryFeed, type AdvisoryFeed } from '../../util/advisory-feed.ts';
import { openFeeds } from '../../util/opened-feeds.ts';
import { temporaryFolder, type TemporaryFolder } from '../../util/temporary-folder.ts';

let folder: TemporaryFolder;
let osv: AdvisoryFeed;
beforeEach(async () => {
  folder = temporaryFolder('feed-copies');
  osv = await startAdvisoryFeed();
  for (const id of ['GHSA-1', 'GHSA-2']) osv.advisories.set(id, advisory(id, 'acme/lib'));
});
afterEach(async () => {
  await osv[Symbol.asyncDispose]();
  await folder.remove();
});

const of = ['acme/lib'];
async function fill(): Promise<void> {
  await using opened = openFeeds(folder.path, osv.url, { of });
  await opened.feeds.refresh();
}
const path = (): string => folder.at('osv.ndjson');

describe('the copy of a feed', () => {
  it('is in use from the start, without a request', async () => {
    await fill();
    osv.requests.length = 0;
    await using opened = openFeeds(folder.path, osv.url, { of });
    expect(opened.feeds.lists().advisoriesOf('acme/lib' as never)).toHaveLength(2);
    expect(opened.feeds.statuses()[0]).toMatchObject({ rows: 2, fetchedAt: expect.stringMatching(/^2026-06-01T/) });
    expect(osv.requests).toEqual([]);
    expect(readdirSync(folder.path).toSorted()).toEqual(['osv.ndjson', 'standing.json']);
  });

  it('says what it is in its first line', async () => {
    await fill();
    const [head = ''] = readFileSync(path(), 'utf8').split('\n', 1);
    expect(JSON.parse(head)).toMatchObject({
      format: 1,
      feed: 'osv',
      url: osv.url,
      names: 1,
      rows: 2,
      unconvertible: 0,
    });
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['a changed byte', (bytes) => Buffer.from(bytes.toString('latin1').replace('<2.0.0', '<0.0.0'), 'latin1')],
    ['a missing end', (bytes) => bytes.subarray(0, -40)],
    ['nothing in it', () => Buffer.alloc(0)],
    ['other text in it', () => Buffer.from('hello\nworld\n')],
    ['zeros in it', (bytes) => Buffer.alloc(bytes.length)],
  ])('with %s is not used, and is fetched again', async (_title, damage) => {
    await fill();
    writeFileSync(path(), damage(readFileSync(path())));
    await using opened = openFeeds(folder.path, osv.url, { of });
    expect(opened.ids('acme/lib')).toEqual([]);
    expect(opened.feeds.statuses()[0]?.problem).toContain('There is no other copy: this feed blocks nothing');
    expect(opened.events).toMatchObject([{ kind: 'feed-file', copy: 'none' }]);
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-1', 'GHSA-2']);
    expect(opened.feeds.statuses()[0]?.problem).toBeNull();
  });

  it('that is damaged while it is in use stays in use', async () => {
    await using opened = openFeeds(folder.path, osv.url, { of });
    await opened.feeds.refresh();
    writeFileSync(path(), 'rubbish');
    expect(opened.ids('acme/lib')).toEqual(['GHSA-1', 'GHSA-2']);
    expect(opened.feeds.statuses()[0]?.problem).toContain('is not used');
  });

  it('with no sound file beside it is fetched at the start, although the last run failed a moment ago', async () => {
    await fill();
    osv.instead('/', (_request, response) => void response.destroy());
    await fill();
    osv.instead('/', undefined);
    writeFileSync(path(), 'rubbish');
    await using opened = openFeeds(folder.path, osv.url, { of });
    await opened.feeds.learn('acme/other' as PackageName);
    expect(opened.feeds.statuses()[0]).toMatchObject({ rows: 0, failingSince: expect.any(String) as string });
    opened.feeds.start();
    await expect.poll(() => opened.feeds.statuses()[0]).toMatchObject({ rows: 2, problem: null });
  });

  it('of a feed that is off does not count', async () => {
    await fill();
    await using off = openFeeds(folder.path, undefined, { of });
    expect([off.ids('acme/lib'), off.feeds.statuses()]).toEqual([[], []]);
  });

  it('of another address counts until a whole run at the new one, which is an alarm if it has no row', async () => {
    await fill();
    osv.instead('/moved', (_request, response) => void response.destroy());
    await using moved = openFeeds(folder.path, `${osv.url}/moved`, { of });
    await moved.feeds.refresh();
    expect(moved.ids('acme/lib')).toEqual(['GHSA-1', 'GHSA-2']);
    osv.instead('/moved', jsonAnswer({ results: [{}] }));
    await moved.feeds.refresh();
    expect(moved.ids('acme/lib')).toEqual(['GHSA-1', 'GHSA-2']);
    expect(moved.feeds.statuses()[0]?.shrunk).toEqual({ from: 2, to: 0 });
    expect(await moved.feeds.accept('osv')).toBe(true);
    expect(moved.ids('acme/lib')).toEqual([]);
  });

  it('of another address keeps its rows while the new one was read only in part', async () => {
    await fill();
    await using other = await startAdvisoryFeed();
    other.advisories.set('GHSA-8', advisory('GHSA-8', 'acme/lib'));
    other.advisories.set('GHSA-9', advisory('GHSA-9', 'acme/other'));
    await using moved = openFeeds(folder.path, undefined, {
      of: ['acme/lib', 'acme/other'],
      osv: { url: other.url, readsInRun: 1 },
    });
    await moved.feeds.refresh();
    expect(moved.ids('acme/lib')).toEqual(['GHSA-1', 'GHSA-2', 'GHSA-8']);
    await moved.feeds.refresh();
    expect([moved.ids('acme/lib'), moved.ids('acme/other')]).toEqual([['GHSA-8'], ['GHSA-9']]);
  });

  it('before the last one is used while the last one is damaged', async () => {
    await fill();
    osv.advisories.set('GHSA-3', advisory('GHSA-3', 'acme/lib'));
    await fill();
    writeFileSync(path(), 'rubbish');
    await using opened = openFeeds(folder.path, osv.url, { of });
    expect(opened.ids('acme/lib')).toEqual(['GHSA-1', 'GHSA-2']);
    expect(opened.feeds.statuses()[0]?.problem).toMatch(/is not used: .* The copy of 2026-\S+ is used until/);
    expect(opened.events).toMatchObject([{ kind: 'feed-file' }]);
    expect(opened.events[0]).not.toHaveProperty('copy');
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-1', 'GHSA-2', 'GHSA-3']);
    writeFileSync(path(), 'rubbish');
    await using again = openFeeds(folder.path, osv.url, { of });
    expect(again.ids('acme/lib')).toEqual(['GHSA-1', 'GHSA-2']);
  });

  it('that is lost is told as such: the feed blocks nothing while it is down', async () => {
    osv.instead('/', (_request, response) => void response.destroy());
    await using opened = openFeeds(folder.path, osv.url, { of });
    await opened.feeds.refresh();
    expect(opened.events).toMatchObject([{ kind: 'feed-failed', copy: 'none' }]);
  });

  it('that cannot be written does not keep the list from being used', async () => {
    writeFileSync(folder.at('file'), '');
    await using opened = openFeeds(folder.at('file', 'feeds'), osv.url, { of });
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-1', 'GHSA-2']);
    expect(opened.feeds.statuses()[0]?.problem).toContain('cannot be stored');
  });
});
