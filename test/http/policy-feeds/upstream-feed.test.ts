// Tests the feeds of upstreams on real sockets: advisories of `api-url`, and filter lists of `api-url` or
// `summary-url`. An upstream learns no private name.

import { describe, expect, it } from 'vitest';
import type { PackageName } from '../../../build/contract/name.ts';
import { jsonAnswer, startAdvisoryFeed } from '../../util/advisory-feed.ts';
import { openFeeds, type OpenedFeeds } from '../../util/opened-feeds.ts';
import type { Answering } from '../../util/dist-server.ts';
import { runMirror, type RunningMirror } from '../../util/running-mirror.ts';
import { startUpstream, type TestUpstream } from '../../util/upstream.ts';

const advisory = {
  advisoryId: 'PKSA-1',
  packageName: 'some/lib',
  affectedVersions: '>=1.0,<1.2',
  title: 'Bad',
  cve: 'CVE-2026-1',
  link: 'https://some.example/1',
  severity: 'high',
  reportedAt: '2026-03-01 12:00:00',
  sources: [
    { name: 'GitHub', remoteId: 'GHSA-1' },
    { name: 'FriendsOfPHP', remoteId: 'some/lib/CVE-2026-1.yaml' },
  ],
};
const lists = { metadata: true, lists: { malware: { enabled: true }, silent: { enabled: false } } };
const root = {
  'security-advisories': { metadata: true, 'api-url': '/api/advisories' },
  filter: { ...lists, 'api-url': '/api/filter' },
};

/** Answers a path, and gives the bodies of its requests. */
function serve(upstream: TestUpstream, path: string, json: unknown): string[] {
  const bodies: string[] = [];
  const answering: Answering = (request, response) => {
    const pieces: Buffer[] = [];
    request
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => {
        bodies.push(decodeURIComponent(Buffer.concat(pieces).toString()));
        jsonAnswer(json)(request, response);
      });
  };
  upstream.instead(path, answering);
  return bodies;
}

const openOn = (running: RunningMirror, of: readonly string[]): OpenedFeeds =>
  openFeeds(running.folder.at('feeds'), undefined, { of, mirror: () => running.mirror.settings() });

describe('the feed of an upstream', () => {
  it('has its advisories and the entries of its filter lists, about mirrored packages alone', async () => {
    await using upstream = await startUpstream({ root });
    await using running = runMirror([upstream.url]);
    running.privates.add('acme/own');
    const asked = serve(upstream, '/api/advisories', { advisories: { 'some/lib': [advisory] } });
    const filtered = serve(upstream, '/api/filter', {
      filter: { malware: [{ package: 'some/other', constraint: '2.0.1', reason: 'It steals.', id: 7 }] },
    });
    await using opened = openOn(running, ['some/lib', 'some/other', 'acme/own']);
    await opened.feeds.refresh();
    expect(opened.feeds.lists().advisoriesOf('some/lib' as PackageName)).toEqual([
      {
        id: 'PKSA-1',
        aliases: ['CVE-2026-1', 'GHSA-1'],
        severity: 'high',
        constraint: '>=1.0,<1.2',
        title: 'Bad',
        link: 'https://some.example/1',
        feed: 'upstream-u1',
      },
    ]);
    expect(opened.feeds.lists().entriesOf('some/other' as PackageName)).toEqual([
      { list: 'malware', constraint: '2.0.1', reason: 'It steals.', feed: 'upstream-u1' },
    ]);
    const askedLater = serve(upstream, '/api/advisories', { advisories: {} });
    const filteredLater = serve(upstream, '/api/filter', { filter: {} });
    await opened.feeds.learn('acme/own' as PackageName);
    await opened.feeds.learn('some/third' as PackageName);
    expect([asked, askedLater]).toEqual([['packages[]=some/lib&packages[]=some/other'], ['packages[]=some/third']]);
    expect([filtered, filteredLater]).toEqual([
      ['{"packages":["pkg://composer/some/lib","pkg://composer/some/other"],"lists":["malware"]}'],
      ['{"packages":["pkg://composer/some/third"],"lists":["malware"]}'],
    ]);
    expect(opened.feeds.statuses()).toMatchObject([
      { id: 'upstream-u1', kind: 'upstream', url: upstream.url, rows: 2, problem: null },
    ]);
  });

  it('takes the entries of a summary, which is about all packages', async () => {
    await using upstream = await startUpstream({ root: { filter: { ...lists, 'summary-url': '/api/summary' } } });
    await using running = runMirror([upstream.url]);
    serve(upstream, '/api/summary', {
      filter: { malware: { 'some/lib': '>=1,<2', 'far/away': '*' }, silent: { 'some/lib': '*' } },
    });
    await using opened = openOn(running, ['some/lib']);
    await opened.feeds.refresh();
    expect(opened.entries('some/lib')).toEqual(['malware >=1,<2']);
    expect(opened.feeds.lists().isLookedUp('far/away' as PackageName)).toBe(false);
  });

  it('asks about 500 packages in one request', async () => {
    await using upstream = await startUpstream({ root });
    await using running = runMirror([upstream.url]);
    const asked = serve(upstream, '/api/advisories', { advisories: [] });
    serve(upstream, '/api/filter', { filter: [] });
    await using opened = openOn(
      running,
      Array.from({ length: 501 }, (_, at) => `some/p${at}`),
    );
    await opened.feeds.refresh();
    expect(asked.map((body) => body.split('packages[]').length - 1)).toEqual([500, 1]);
    expect(opened.feeds.statuses()[0]).toMatchObject({ problem: null, failingSince: null });
  });

  it('forgets a package that became private, and nothing while the private names are unknown', async () => {
    await using upstream = await startUpstream({ root });
    let unknown: string | undefined;
    const privates = new Set<string>();
    await using running = runMirror([upstream.url], {
      privateNames: () => ({
        has: (name: string) => privates.has(name),
        hasVendor: () => false,
        ...(unknown === undefined ? {} : { unknown }),
      }),
    });
    serve(upstream, '/api/advisories', { advisories: { 'some/lib': [advisory] } });
    serve(upstream, '/api/filter', { filter: {} });
    await using opened = openOn(running, ['some/lib']);
    await opened.feeds.refresh();
    unknown = 'the list is missing';
    await opened.feeds.refresh();
    expect(opened.ids('some/lib')).toEqual(['PKSA-1']);
    expect(opened.feeds.statuses()[0]?.problem).toContain('The list of private names is missing');
    unknown = undefined;
    privates.add('some/lib');
    await opened.feeds.refresh();
    expect(opened.ids('some/lib')).toEqual([]);
  });

  it.each<[string, string, unknown]>([
    ['is about other packages', '/api/advisories', { advisories: { 'some/lib': [], 'far/away': [] } }],
    ['has no advisories', '/api/advisories', {}],
    ['has a list that is none', '/api/advisories', { advisories: { 'some/lib': 'all' } }],
    [
      'has an advisory without an identifier',
      '/api/advisories',
      { advisories: { 'some/lib': [{ affectedVersions: '*' }] } },
    ],
    [
      'has an advisory about another package',
      '/api/advisories',
      { advisories: { 'some/lib': [{ ...advisory, packageName: 'far/away' }] } },
    ],
    ['has no filter', '/api/filter', { malware: [] }],
    ['has a list that was not asked for', '/api/filter', { filter: { silent: [] } }],
    [
      'has entries about other packages',
      '/api/filter',
      { filter: { malware: [{ package: 'far/away', constraint: '*' }] } },
    ],
    ['has a malformed entry', '/api/filter', { filter: { malware: [{ package: 'some/lib' }] } }],
  ])('is not used if it %s', async (_title, path, json) => {
    await using upstream = await startUpstream({ root });
    await using running = runMirror([upstream.url]);
    serve(upstream, '/api/advisories', { advisories: { 'some/lib': [advisory] } });
    serve(upstream, '/api/filter', { filter: { malware: [{ package: 'some/lib', constraint: '*' }] } });
    await using opened = openOn(running, ['some/lib']);
    await opened.feeds.refresh();
    serve(upstream, path, json);
    await opened.feeds.refresh();
    expect([opened.ids('some/lib'), opened.entries('some/lib')]).toEqual([['PKSA-1'], ['malware *']]);
    expect(opened.feeds.statuses()[0]?.problem).toContain(`${path} is not used, because`);
  });

  it('is an alarm if one of both lists is empty after it was full', async () => {
    await using upstream = await startUpstream({ root });
    await using running = runMirror([upstream.url]);
    serve(upstream, '/api/advisories', { advisories: { 'some/lib': [advisory] } });
    serve(upstream, '/api/filter', { filter: { malware: [{ package: 'some/lib', constraint: '*' }] } });
    await using opened = openOn(running, ['some/lib']);
    await opened.feeds.refresh();
    serve(upstream, '/api/filter', { filter: { malware: [] } });
    await opened.feeds.refresh();
    expect(opened.entries('some/lib')).toEqual(['malware *']);
    expect(opened.feeds.statuses()[0]?.shrunk).toEqual({ from: 1, to: 0 });
    expect(await opened.feeds.accept('upstream-u1')).toBe(true);
    expect([opened.ids('some/lib'), opened.entries('some/lib')]).toEqual([['PKSA-1'], []]);
  });

  it('is an alarm if one filter list is empty after it was full, while another one grows', async () => {
    const two = { ...lists, lists: { malware: { enabled: true }, phishing: { enabled: true } } };
    await using upstream = await startUpstream({ root: { filter: { ...two, 'api-url': '/api/filter' } } });
    await using running = runMirror([upstream.url]);
    const row = (constraint: string) => ({ package: 'some/lib', constraint });
    serve(upstream, '/api/filter', { filter: { malware: [row('*')], phishing: [row('1.0')] } });
    await using opened = openOn(running, ['some/lib']);
    await opened.feeds.refresh();
    serve(upstream, '/api/filter', { filter: { malware: [], phishing: [row('1.0'), row('2.0')] } });
    await opened.feeds.refresh();
    expect(opened.entries('some/lib')).toContain('malware *');
    expect(opened.feeds.statuses()[0]).toMatchObject({
      shrunk: { from: 1, to: 0 },
      problem: expect.stringContaining('(the filter list malware)') as string,
    });
  });

  it('is asked again about a new package that it failed to answer, while another feed has answered', async () => {
    await using osv = await startAdvisoryFeed();
    await using upstream = await startUpstream({ root });
    await using running = runMirror([upstream.url]);
    upstream.instead('/api/advisories', (_request, response) => void response.destroy());
    serve(upstream, '/api/filter', { filter: {} });
    await using opened = openFeeds(running.folder.at('feeds'), osv.url, { mirror: () => running.mirror.settings() });
    const lib = 'some/lib' as PackageName;
    await opened.feeds.learn(lib);
    expect([osv.asked(), opened.feeds.lists().isLookedUp(lib)]).toEqual([['some/lib'], false]);
    serve(upstream, '/api/advisories', { advisories: { 'some/lib': [advisory] } });
    opened.clock.nowMs += 60_000;
    await opened.feeds.learn(lib);
    expect([opened.feeds.lists().isLookedUp(lib), opened.ids('some/lib')]).toEqual([true, ['PKSA-1']]);
    expect(osv.asked()).toEqual(['some/lib']);
  });

  it('need not know a name that does not belong to it', async () => {
    await using osv = await startAdvisoryFeed();
    await using upstream = await startUpstream({ root });
    await using running = runMirror([upstream.url]);
    const lib = 'acme/lib' as PackageName;
    running.privates.add(lib);
    await using opened = openFeeds(running.folder.at('feeds'), osv.url, { mirror: () => running.mirror.settings() });
    await opened.feeds.learn(lib);
    expect(opened.feeds.lists().isLookedUp(lib)).toBe(true);
  });

  it('counts advisories whose versions Composer cannot parse', async () => {
    await using upstream = await startUpstream({ root });
    await using running = runMirror([upstream.url]);
    const odd = { ...advisory, advisoryId: 'PKSA-2', affectedVersions: 'the old ones' };
    serve(upstream, '/api/advisories', { advisories: { 'some/lib': [advisory, odd] } });
    serve(upstream, '/api/filter', { filter: {} });
    await using opened = openOn(running, ['some/lib']);
    await opened.feeds.refresh();
    expect(opened.ids('some/lib')).toEqual(['PKSA-1']);
    expect(opened.feeds.statuses()[0]?.problem).toContain('cannot be written as a constraint: 1.');
  });

  it('gets the credential of its repository, at its own address only', async () => {
    await using upstream = await startUpstream({ root: { ...root, filter: {} }, authorization: 'Bearer secret' });
    const credential = { kind: 'bearer', token: 'secret' } as const;
    await using running = runMirror([], {
      set: { upstreams: [{ id: 'u1', url: upstream.url, allow: [], deny: [], credential }] },
    });
    serve(upstream, '/api/advisories', { advisories: { 'some/lib': [advisory] } });
    await using opened = openOn(running, ['some/lib']);
    await opened.feeds.refresh();
    expect(opened.ids('some/lib')).toEqual(['PKSA-1']);
  });

  it('is not used any more when its upstream is removed', async () => {
    await using upstream = await startUpstream({ root });
    await using running = runMirror([upstream.url]);
    serve(upstream, '/api/advisories', { advisories: { 'some/lib': [advisory] } });
    serve(upstream, '/api/filter', { filter: {} });
    await using opened = openOn(running, ['some/lib']);
    await opened.feeds.refresh();
    running.setRules({ upstreams: [] });
    await opened.feeds.refresh();
    expect([opened.ids('some/lib'), opened.feeds.statuses()]).toEqual([[], []]);
  });
});
