// Tests packages that a feed has not answered about yet, on real sockets: they are asked about again without a request,
// they hold back no other package, and the standing of the feed names them.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PackageName } from '../../../build/contract/name.ts';
import { advisory, jsonAnswer, startAdvisoryFeed, type AdvisoryFeed } from '../../util/advisory-feed.ts';
import { openFeeds, type OpenedFeeds } from '../../util/opened-feeds.ts';
import { itInSeries } from '../../util/series.ts';
import { temporaryFolder, type TemporaryFolder } from '../../util/temporary-folder.ts';

const [five, six] = ['vend/five', 'vend/six'] as [PackageName, PackageName];

let folder: TemporaryFolder;
let osv: AdvisoryFeed;
beforeEach(async () => {
  folder = temporaryFolder('feed-unanswered');
  osv = await startAdvisoryFeed();
  osv.advisories.set('GHSA-5', advisory('GHSA-5', five));
  osv.advisories.set('GHSA-6', advisory('GHSA-6', six));
});
afterEach(async () => {
  await osv[Symbol.asyncDispose]();
  await folder.remove();
});

const open = (options: Parameters<typeof openFeeds>[2] = {}): OpenedFeeds =>
  openFeeds(folder.path, osv.url, { now: Date.now, ...options });
const fail = (): void => osv.instead('/', jsonAnswer({}, 500));
const recover = (): void => osv.instead('/', undefined);
const problemOf = ({ feeds }: OpenedFeeds): string | null | undefined => feeds.statuses()[0]?.problem;
/** What commands read. */
const stored = (): string => readFileSync(folder.at('standing.json'), 'utf8');

it('one failed question holds back no other package, and is asked again within seconds, without a request', async () => {
  await using opened = open();
  fail();
  await opened.feeds.learn(five);
  expect([opened.ids(five), problemOf(opened)]).toEqual([[], '1 package has no answer of this feed yet: vend/five.']);
  const before = opened.feeds.lists();
  recover();
  await opened.feeds.learn(six);
  expect(opened.ids(six)).toEqual(['GHSA-6']);
  await expect.poll(() => opened.ids(five)).toEqual(['GHSA-5']);
  expect(opened.feeds.lists().generation).toBeGreaterThan(before.generation);
  expect([problemOf(opened), opened.events]).toEqual([null, [expect.objectContaining({ kind: 'feed-failed' })]]);
});

itInSeries('a feed that fails for long is asked about all waiting packages when it is back', async () => {
  await using opened = open();
  fail();
  const names = Array.from({ length: 40 }, (_, at) => `vend/p${at}` as PackageName);
  for (const name of [five, six, ...names]) await opened.feeds.learn(name);
  expect(osv.asked()).toEqual([five, six]);
  expect(problemOf(opened)).toMatch(/^42 packages have no answer .*: vend\/five, vend\/six, .*, and 37 more\.$/);
  recover();
  await expect.poll(() => problemOf(opened)).toBeNull();
  expect([opened.ids(five), opened.ids(six)]).toEqual([['GHSA-5'], ['GHSA-6']]);
});

it('other processes and commands see the waiting packages, and a process that starts asks about them', async () => {
  await using follower = open({ isLeader: () => false });
  {
    await using opened = open();
    fail();
    await opened.feeds.learn(five);
    await expect.poll(stored).toContain('vend/five');
  }
  await expect.poll(() => problemOf(follower)).toContain('vend/five');
  expect(follower.feeds.statuses()[0]?.waiting).toEqual([five]);
  recover();
  await using again = open();
  again.feeds.start();
  await expect.poll(() => again.ids(five)).toEqual(['GHSA-5']);
  await expect.poll(stored).not.toContain('vend/five');
  expect(problemOf(again)).toBeNull();
});

it('a package that does not belong to a feed waits for none of its answers', async () => {
  const about = (name: PackageName): boolean => name !== 'acme/private';
  await using opened = open({ osv: { url: osv.url, about } });
  fail();
  for (const name of [five, six, 'acme/private' as PackageName]) await opened.feeds.learn(name);
  expect(opened.feeds.statuses()[0]?.waiting).toEqual([five, six]);
});

it('a run answers for packages that wait', async () => {
  await using opened = open({ of: [five] });
  osv.instead('/v1/query', jsonAnswer({}, 500));
  await opened.feeds.learn(five);
  osv.instead('/v1/query', undefined);
  await opened.feeds.refresh();
  expect([opened.ids(five), problemOf(opened)]).toEqual([['GHSA-5'], null]);
});

itInSeries('packages wait no more when no rule reads lists', async () => {
  let areRead = true;
  await using opened = open({ areRead: () => areRead });
  fail();
  await opened.feeds.learn(five);
  await expect.poll(stored).toContain('vend/five');
  areRead = false;
  await expect.poll(stored).not.toContain('vend/five');
  const asked = osv.requests.length;
  await sleep(1500);
  expect(osv.requests).toHaveLength(asked);
});
