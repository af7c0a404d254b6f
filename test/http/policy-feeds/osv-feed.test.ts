// Tests the feed of OSV on a real socket: what is asked, what is read, and what is in the lists afterwards.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PackageName } from '../../../build/contract/name.ts';
import { advisory, jsonAnswer, startAdvisoryFeed, type AdvisoryFeed } from '../../util/advisory-feed.ts';
import { openFeeds } from '../../util/opened-feeds.ts';
import { temporaryFolder, type TemporaryFolder } from '../../util/temporary-folder.ts';

let folder: TemporaryFolder;
let osv: AdvisoryFeed;
beforeEach(async () => {
  folder = temporaryFolder('osv-feed');
  osv = await startAdvisoryFeed();
});
afterEach(async () => {
  await osv[Symbol.asyncDispose]();
  await folder.remove();
});
const put = (...advisories: readonly ReturnType<typeof advisory>[]): void => {
  for (const one of advisories) osv.advisories.set(String(one['id']), one);
};
const lib = 'acme/lib' as PackageName;

describe('the feed of OSV', () => {
  it('lists the advisories about the packages of the registry', async () => {
    put(advisory('GHSA-1', 'acme/lib', '1.2.3', { aliases: ['CVE-1'], database_specific: { severity: 'HIGH' } }));
    put(advisory('GHSA-2', 'acme/foreign'), advisory('MAL-1', 'acme/tool'));
    await using opened = openFeeds(folder.path, osv.url, { of: ['acme/lib', 'acme/tool', 'acme/good'] });
    await opened.feeds.refresh();
    expect(opened.feeds.lists().advisoriesOf(lib)).toEqual([
      {
        id: 'GHSA-1',
        aliases: ['CVE-1'],
        severity: 'high',
        constraint: '<1.2.3',
        title: 'About acme/lib',
        link: 'https://osv.dev/vulnerability/GHSA-1',
        feed: 'osv',
      },
    ]);
    expect(opened.entries('acme/tool')).toEqual(['malware <2.0.0']);
    expect(['acme/good', 'acme/foreign'].map(opened.ids)).toEqual([[], []]);
    const lists = opened.feeds.lists();
    expect(['acme/lib', 'acme/good', 'acme/foreign'].map((name) => lists.isLookedUp(name as PackageName))).toEqual([
      true,
      true,
      false,
    ]);
    expect(osv.asked()).toEqual(['acme/good', 'acme/lib', 'acme/tool']);
    expect(opened.feeds.statuses()).toEqual([
      {
        id: 'osv',
        kind: 'osv',
        url: osv.url,
        rows: 3,
        fetchedAt: expect.stringMatching(/^2026-06-01T/),
        failingSince: null,
        problem: null,
        fileProblem: null,
        waiting: [],
        shrunk: null,
      },
    ]);
  });

  it('asks about the names that OSV may learn, in a run and at once', async () => {
    put(advisory('GHSA-1', 'acme/lib'));
    const about = (name: string): boolean => name !== 'acme/secret';
    await using opened = openFeeds(folder.path, undefined, {
      of: ['acme/lib', 'acme/secret'],
      osv: { url: osv.url, about },
    });
    await opened.feeds.refresh();
    await opened.feeds.learn('acme/secret' as PackageName);
    expect(osv.asked()).toEqual(['acme/lib']);
    // it is remembered as a name that OSV has nothing to say about
    expect(opened.feeds.lists().isLookedUp('acme/secret' as PackageName)).toBe(true);
  });

  it('asks for every page, and for 1000 packages in one request', async () => {
    osv.pageSize = 2;
    for (let at = 0; at < 7; at += 1) put(advisory(`GHSA-${at}`, 'acme/lib'));
    const many = Array.from({ length: 1500 }, (_, at) => `other/p${at}`);
    await using opened = openFeeds(folder.path, osv.url, { of: ['acme/lib', ...many] });
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toHaveLength(7);
    const counts = osv.requests
      .filter(({ path }) => path === '/v1/querybatch')
      .map(({ body }) => body.split('"name"').length - 1);
    expect(counts).toEqual([1000, 1, 1, 1, 501]);
  });

  it('reads only new and changed advisories again, and a limited number in one run', async () => {
    for (let at = 0; at < 5; at += 1) put(advisory(`GHSA-${at}`, 'acme/lib'));
    await using opened = openFeeds(folder.path, undefined, { of: ['acme/lib'], osv: { url: osv.url, readsInRun: 3 } });
    const readIn = async (): Promise<readonly string[]> => {
      osv.requests.length = 0;
      await opened.feeds.refresh();
      return osv.requests.flatMap(({ path }) => (path.startsWith('/v1/vulns/') ? [path.slice(-6)] : [])).toSorted();
    };
    expect(await readIn()).toEqual(['GHSA-0', 'GHSA-1', 'GHSA-2']);
    expect(opened.feeds.statuses()[0]?.problem).toContain('2 advisories are read in the next run');
    expect(await readIn()).toEqual(['GHSA-3', 'GHSA-4']);
    expect(opened.feeds.statuses()[0]?.problem).toBeNull();
    expect(await readIn()).toEqual([]);
    const before = opened.feeds.lists().generation;
    put(advisory('GHSA-3', 'acme/lib', '9.0', { modified: '2026-02-02T00:00:00Z' }));
    expect(await readIn()).toEqual(['GHSA-3']);
    expect(opened.feeds.lists().generation).toBeGreaterThan(before);
    expect(
      opened.feeds
        .lists()
        .advisoriesOf(lib)
        .map(({ constraint }) => constraint),
    ).toContain('<9.0');
  });

  it('drops an advisory that OSV drops or withdraws, but none as long as its successor is unread', async () => {
    put(advisory('GHSA-1', 'acme/lib'), advisory('GHSA-2', 'acme/lib'), advisory('GHSA-3', 'acme/lib'));
    await using opened = openFeeds(folder.path, osv.url, { of: ['acme/lib'] });
    await opened.feeds.refresh();
    osv.advisories.delete('GHSA-1');
    put(advisory('GHSA-2', 'acme/lib', '2.0.0', { modified: 'later', withdrawn: '2026-02-02T00:00:00Z' }));
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-3']);
    osv.advisories.delete('GHSA-3');
    put(advisory('GHSA-4', 'acme/lib'));
    osv.instead('/v1/vulns/GHSA-4', jsonAnswer({ id: 'GHSA-5' }));
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-3']);
    expect(opened.feeds.statuses()[0]?.problem).toContain('does not deliver in a readable form');
    osv.instead('/v1/vulns/GHSA-4', undefined);
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-4']);
  });

  it('counts advisories without readable versions, and keeps what was readable before', async () => {
    put(advisory('GHSA-1', 'acme/lib'), advisory('GHSA-2', 'acme/lib', 'soon'));
    await using opened = openFeeds(folder.path, osv.url, { of: ['acme/lib'] });
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-1']);
    expect(opened.feeds.statuses()[0]?.problem).toContain('cannot be written as a constraint: 1.');
    put(advisory('GHSA-1', 'acme/lib', 'soon', { modified: 'later' }));
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-1']);
    expect(opened.feeds.statuses()[0]).toMatchObject({ failingSince: null, shrunk: null });
  });

  it('learns of a new package at once, and keeps that over a restart', async () => {
    put(advisory('GHSA-1', 'acme/lib'));
    {
      await using opened = openFeeds(folder.path, osv.url);
      await Promise.all([opened.feeds.learn(lib), opened.feeds.learn(lib)]);
      expect(opened.ids('acme/lib')).toEqual(['GHSA-1']);
      await opened.feeds.learn(lib);
      expect(osv.requests.map(({ path }) => path)).toEqual(['/v1/query']);
    }
    await using again = openFeeds(folder.path, osv.url);
    expect(again.ids('acme/lib')).toEqual(['GHSA-1']);
  });

  it('does not let a request wait for a feed that fails, time and again', async () => {
    osv.instead('/v1/query', (_request, response) => void response.destroy());
    await using opened = openFeeds(folder.path, osv.url);
    for (const name of ['acme/lib', 'acme/other', 'acme/third', 'acme/lib', 'acme/fourth'])
      await opened.feeds.learn(name as PackageName);
    expect(osv.asked()).toEqual(['acme/lib', 'acme/other']);
    expect(opened.feeds.lists().isLookedUp(lib)).toBe(false);
    opened.clock.nowMs += 60_000;
    osv.instead('/v1/query', undefined);
    await opened.feeds.learn(lib);
    expect(opened.feeds.lists().isLookedUp(lib)).toBe(true);
  });

  it('lets a request go on while a feed hangs, and closes', async () => {
    osv.instead('/v1/', () => undefined);
    const opened = openFeeds(folder.path, osv.url, { of: ['acme/lib'], limits: {} });
    const refreshing = opened.feeds.refresh();
    await opened.feeds.learn(lib);
    expect(opened.feeds.lists().isLookedUp(lib)).toBe(false);
    await opened.feeds.close();
    await refreshing;
    expect(opened.feeds.statuses()[0]).toMatchObject({ rows: 0, failingSince: null });
  });

  it('is asked on a timer, by the leading process alone', async () => {
    await using follower = openFeeds(folder.path, osv.url, { of: ['acme/lib'], isLeader: () => false });
    await follower.feeds.refresh();
    expect(osv.requests).toEqual([]);
    put(advisory('GHSA-1', 'acme/lib'));
    await using leader = openFeeds(folder.path, osv.url, { of: ['acme/lib'], everyMs: 20 });
    const { generation } = follower.feeds.lists();
    leader.feeds.start();
    await expect.poll(() => follower.ids('acme/lib')).toEqual(['GHSA-1']);
    expect(follower.feeds.lists().generation).toBeGreaterThan(generation);
    const before = osv.requests.length;
    const later = (): number => {
      leader.clock.nowMs += 1000; // the first run may still be about to note its time
      return osv.requests.length;
    };
    await expect.poll(later).toBeGreaterThan(before);
    expect(follower.feeds.statuses()[0]).toMatchObject({ rows: 1, problem: null });
  });
});
