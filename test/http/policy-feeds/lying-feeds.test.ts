// Tests feeds that lie, hang or shrink, on a real socket: nothing that was blocked becomes unblocked, and the standing
// says what is wrong.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PackageName } from '../../../build/contract/name.ts';
import type { Answering } from '../../util/dist-server.ts';
import { advisory, jsonAnswer, startAdvisoryFeed, type AdvisoryFeed } from '../../util/advisory-feed.ts';
import { openFeeds, type OpenedFeeds } from '../../util/opened-feeds.ts';
import { temporaryFolder, type TemporaryFolder } from '../../util/temporary-folder.ts';

let folder: TemporaryFolder;
let osv: AdvisoryFeed;
let opened: OpenedFeeds;
beforeEach(async () => {
  folder = temporaryFolder('lying-feed');
  osv = await startAdvisoryFeed();
  opened = openFeeds(folder.path, osv.url, { of: ['acme/lib', 'acme/tool'] });
});
afterEach(async () => {
  await opened[Symbol.asyncDispose]();
  await osv[Symbol.asyncDispose]();
  await folder.remove();
});

const put = (count: number): void => {
  osv.advisories.clear();
  for (let at = 0; at < count; at += 1) osv.advisories.set(`GHSA-${at}`, advisory(`GHSA-${at}`, 'acme/lib'));
};
const standing = () => opened.feeds.statuses()[0];
const body =
  (content: string | Buffer): Answering =>
  (_request, response) =>
    void response.end(content);
const results = (...listed: readonly unknown[]): Answering => jsonAnswer({ results: listed });

const lies: readonly (readonly [string, Answering, string])[] = [
  ['is no JSON', body('<html>'), 'JSON that can be read'],
  ['is no UTF-8', body(Buffer.from([0x22, 0xff, 0xfe, 0x22])), 'not UTF-8'],
  ['is nested endlessly', body('['.repeat(100_000)), 'JSON that can be read'],
  ['is huge', body(Buffer.alloc(2 * 1024 ** 2, 0x20)), 'larger than 1048576 bytes'],
  ['has too few results', results({}), 'each of 2 queries'],
  ['has too many results', results({}, {}, {}), 'each of 2 queries'],
  ['has malformed results', results({}, 'none'), 'malformed'],
  ['has malformed rows', results({ vulns: [{ id: 17, modified: 'x' }] }, {}), 'malformed'],
  ['has rows with paths', results({ vulns: [{ id: '../x y', modified: 'x' }] }, {}), 'malformed'],
  ['has endless pages', results({ next_page_token: 'x' }, {}), 'each of 1 queries'],
  ['is an error', jsonAnswer({}, 500), 'status 500'],
  ['is missing', jsonAnswer({}, 404), 'status 404'],
  [
    'breaks off',
    (_request, response) =>
      void response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
    'could not be fetched',
  ],
  ['never comes', () => undefined, 'nothing came for 1 s'],
  ['never ends', (_request, response) => void drip(response), 'did not answer within 2 s'],
  [
    'leads elsewhere',
    (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    'status 302',
  ],
];

function drip(response: Parameters<Answering>[1]): void {
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
}

describe('a feed whose answer', () => {
  it.each(lies)('%s changes nothing', async (_title, answering, problem) => {
    put(3);
    await opened.feeds.refresh();
    const { generation } = opened.feeds.lists();
    osv.instead('/v1/querybatch', answering);
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-0', 'GHSA-1', 'GHSA-2']);
    expect(opened.feeds.lists().generation).toBe(generation);
    expect(standing()).toMatchObject({ problem: expect.stringContaining(problem), rows: 3, shrunk: null });
    expect(standing()?.failingSince).not.toBeNull();
    expect(opened.events).toContainEqual({
      kind: 'feed-failed',
      feed: 'osv',
      message: expect.stringContaining(problem),
    });
    osv.instead('/v1/querybatch', undefined);
    await opened.feeds.refresh();
    expect(standing()).toMatchObject({ failingSince: null, problem: null });
    expect(opened.events.at(-1)).toEqual({ kind: 'feed-recovered', feed: 'osv' });
  });

  it('is about another advisory, or about another package, is left out', async () => {
    put(1);
    osv.advisories.set('GHSA-7', advisory('GHSA-7', 'acme/lib'));
    osv.instead('/v1/vulns/GHSA-7', jsonAnswer(advisory('GHSA-7', 'acme/foreign')));
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-0']);
    expect(opened.ids('acme/foreign')).toEqual([]);
    expect(standing()?.problem).toContain('1 advisories for packages that they are not about');
  });

  it('comes from a private address is not read, on the way of a redirect or directly', async () => {
    put(1);
    osv.instead(
      '/v1/vulns/',
      (_request, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    );
    await opened.feeds.refresh();
    expect(standing()?.problem).toContain('169.254.169.254 is not public');
    await using guarded = openFeeds(folder.at('other'), osv.url, { of: ['acme/lib'], allowAddresses: [] });
    osv.requests.length = 0;
    await guarded.feeds.refresh();
    await guarded.feeds.learn('acme/other' as PackageName);
    expect(guarded.feeds.statuses()[0]?.problem).toContain('127.0.0.1 is not public');
    expect(osv.requests).toEqual([]);
  });

  it('fails on a later page leaves the packages of that request as they were, and takes the others', async () => {
    put(3);
    osv.pageSize = 2;
    const many = Array.from({ length: 1000 }, (_, at) => `aaa/p${at}`);
    for (const name of many) opened.names.add(name);
    await opened.feeds.refresh();
    osv.advisories.delete('GHSA-0');
    osv.advisories.set('GHSA-9', advisory('GHSA-9', 'aaa/p0'));
    let pages = 0;
    const { instead } = osv;
    // the first request is about aaa/*, the second about acme/*; the third is the second page
    const counting: Answering = (_request, response) => {
      pages += 1;
      if (pages === 1)
        return jsonAnswer({
          results: many
            .toSorted()
            .map((name) => (name === 'aaa/p0' ? { vulns: [{ id: 'GHSA-9', modified: '2026-01-01T00:00:00Z' }] } : {})),
        })(_request, response);
      return void response.destroy();
    };
    instead('/v1/querybatch', counting);
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-0', 'GHSA-1', 'GHSA-2']);
    expect(standing()?.failingSince).not.toBeNull();
  });
});

describe('a feed that', () => {
  it('has less than half of its rows is an alarm, until it recovers', async () => {
    put(20);
    await opened.feeds.refresh();
    const { generation } = opened.feeds.lists();
    put(9);
    await opened.feeds.refresh();
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toHaveLength(20);
    expect(opened.feeds.lists().generation).toBe(generation);
    expect(standing()).toMatchObject({
      rows: 20,
      shrunk: { from: 20, to: 9 },
      problem: expect.stringContaining('accept'),
    });
    expect(opened.events.filter(({ kind }) => kind === 'feed-shrunk')).toHaveLength(1);
    put(19);
    await opened.feeds.refresh();
    expect(standing()).toMatchObject({ rows: 19, shrunk: null, problem: null });
    expect(await opened.feeds.accept('osv')).toBe(false);
  });

  it('is empty after it was full is an alarm, until a person accepts it in any process', async () => {
    put(1);
    await opened.feeds.refresh();
    put(0);
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toEqual(['GHSA-0']);
    await using other = openFeeds(folder.path, osv.url, { isLeader: () => false });
    expect(other.feeds.statuses()[0]).toMatchObject({ rows: 1, shrunk: { from: 1, to: 0 } });
    expect(await other.feeds.accept('nothing')).toBe(false);
    expect(await other.feeds.accept('osv')).toBe(true);
    for (const one of [other, opened]) {
      expect(one.ids('acme/lib')).toEqual([]);
      expect(one.feeds.statuses()[0]).toMatchObject({ rows: 0, shrunk: null });
    }
    await opened.feeds.refresh();
    expect(standing()).toMatchObject({ problem: null, shrunk: null });
  });

  it('is asked about fewer packages keeps the rows of the others', async () => {
    put(30);
    await opened.feeds.refresh();
    opened.names.clear();
    await opened.feeds.refresh();
    expect(opened.ids('acme/lib')).toHaveLength(30);
    expect(standing()).toMatchObject({ shrunk: null, problem: null });
  });

  it('cannot be asked, because the names are unknown, changes nothing', async () => {
    put(3);
    await opened.feeds.refresh();
    await using other = openFeeds(folder.path, osv.url, {
      names: () => Promise.reject(new Error('The index is damaged.')),
    });
    await other.feeds.refresh();
    expect(other.ids('acme/lib')).toHaveLength(3);
    expect(other.feeds.statuses()[0]?.problem).toBe('The index is damaged.');
  });
});
