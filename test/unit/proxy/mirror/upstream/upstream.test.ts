// Tests an upstream's list of names, which is requested again for a package that it lacks, and documents whose SHA-256
// is in that list (providers-url).

import { mkdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allFiles } from '../../../../util/published-tree.ts';
import { runMirror, standardRules, type MirrorReply, type RunningMirror } from '../../../../util/running-mirror.ts';
import { sha256Of, startUpstream, type TestUpstream } from '../../../../util/upstream.ts';

const release = (version: string): { version: string } => ({ version });
const labels = (reply: MirrorReply | undefined, name = 'some/new'): readonly string[] | undefined =>
  reply && Object.keys(reply.json().packages[name] ?? {});

/** packages.json of `upstream` lists exactly these names from now on. */
function list(upstream: TestUpstream, ...names: readonly string[]): void {
  const root = { packages: [], 'metadata-url': '/p2/%package%.json', 'available-packages': names };
  upstream.instead('/packages.json', (_request, response) => void response.end(JSON.stringify(root)));
}

describe('a list of names', () => {
  it('is requested again for a name that it lacks, once in ten seconds for all names', async () => {
    await using upstream = await startUpstream();
    list(upstream, 'some/old');
    for (const name of ['some/old', 'some/new']) upstream.put(name, [release('1.0.0')]);
    await using running = runMirror([upstream.url]);
    const misses = async (): Promise<number> => {
      for (const name of ['some/a', 'some/b', 'some/c']) expect(await running.provider(name)).toBeUndefined();
      return upstream.asked('/packages.json');
    };
    expect(await misses()).toBe(1);
    expect(await running.provider('some/new')).toBeUndefined();
    list(upstream, 'some/old', 'some/new');
    running.clock.nowMs += 61_000; // `fresh` is ten minutes, `missing` one
    expect(labels(await running.provider('some/new'))).toEqual(['1.0.0']);
    expect(await misses()).toBe(2);
    running.clock.nowMs += 9000;
    expect(labels(await running.provider('some/old'), 'some/old')).toEqual(['1.0.0']);
    expect(upstream.asked('/packages.json')).toBe(2);
  });

  it('is requested by one of many clients, and all wait for it', async () => {
    await using upstream = await startUpstream();
    list(upstream, 'some/old');
    await using running = runMirror([upstream.url]);
    expect(await running.provider('some/other')).toBeUndefined();
    const names = Array.from({ length: 20 }, (_, at) => `some/new${at}`);
    for (const name of names) upstream.put(name, [release('1.0.0')]);
    list(upstream, ...names);
    running.clock.nowMs += 11_000;
    const replies = await Promise.all(names.map((name) => running.provider(name)));
    expect(replies.map((reply) => reply?.status)).toEqual(names.map(() => 200));
    expect(upstream.asked('/packages.json')).toBe(2);
  });

  it.each<readonly [what: string, act: (running: RunningMirror) => void]>([
    ['a changed setting', ({ setRules }) => setRules({ freshness: { ...standardRules.freshness, missingMs: 61_000 } })],
    [
      'the signal of `libretto mirror refresh`',
      ({ folder, clock }) => {
        mkdirSync(folder.at('mirror'), { recursive: true });
        writeFileSync(folder.at('mirror/refreshed'), '');
        clock.nowMs += 1000;
      },
    ],
  ])('and missing documents are requested again after %s', async (_what, act) => {
    await using listing = await startUpstream();
    await using other = await startUpstream();
    list(listing, 'some/old');
    await using running = runMirror([], {
      set: {
        upstreams: [
          { id: 'l', url: listing.url, allow: ['some/*'], deny: [] },
          { id: 'o', url: other.url, allow: ['other/*'], deny: [] },
        ],
      },
    });
    for (const name of ['some/new', 'other/new']) expect(await running.provider(name)).toBeUndefined();
    listing.put('some/new', [release('1.0.0')]);
    other.put('other/new', [release('2.0.0')]);
    list(listing, 'some/old', 'some/new');
    for (const name of ['some/new', 'other/new']) expect(await running.provider(name)).toBeUndefined();
    running.clock.nowMs += 1000;
    act(running);
    expect(labels(await running.provider('some/new'))).toEqual(['1.0.0']);
    expect(labels(await running.provider('other/new'), 'other/new')).toEqual(['2.0.0']);
  });

  it('names without a document take no file', async () => {
    await using upstream = await startUpstream();
    await using running = runMirror([upstream.url]);
    for (let at = 0; at < 50; at += 1) expect(await running.provider(`some/lib${at}`)).toBeUndefined();
    await running.mirror.written();
    expect(allFiles(running.folder.at('mirror/p2')).map((path) => basename(path))).toEqual(['packages.json']);
    const asked = upstream.asked('/p2/');
    await running.provider('some/lib0');
    expect(upstream.asked('/p2/'), 'it is remembered').toBe(asked);
  });
});

describe('an upstream with providers-url', () => {
  it('is asked for a document only when its digest changes, and keeps the last one', async () => {
    await using upstream = await startUpstream({ layout: 'providers' });
    upstream.put('some/new', [release('1.0.0'), release('dev-main')]);
    await using running = runMirror([upstream.url]);
    expect(labels(await running.provider('some/new'))).toEqual(['1.0.0']);
    expect(labels(await running.provider('some/new', 'dev'))).toEqual(['dev-main']);
    const asked = upstream.asked('/p/');
    running.clock.nowMs += 700_000;
    expect(labels(await running.provider('some/new'))).toEqual(['1.0.0']);
    expect([upstream.asked('/p/'), upstream.asked('/packages.json')]).toEqual([asked, 2]);
    upstream.put('some/new', [release('1.1.0'), release('1.0.0')]);
    running.clock.nowMs += 700_000;
    expect(labels(await running.provider('some/new'))).toEqual(['1.1.0', '1.0.0']);
    upstream.failing.status = 500;
    running.clock.nowMs += 700_000;
    const stale = await running.provider('some/new');
    expect([labels(stale), stale?.headers['x-libretto-stale-since']]).toEqual([
      ['1.1.0', '1.0.0'],
      expect.stringMatching(/GMT$/),
    ]);
  });

  it('and a new package is found as soon as its list has it', async () => {
    await using upstream = await startUpstream({ layout: 'providers' });
    upstream.put('some/old', [release('1.0.0')]);
    await using running = runMirror([upstream.url]);
    expect(await running.provider('some/new')).toBeUndefined();
    upstream.put('some/new', [release('1.0.0')]);
    running.clock.nowMs += 61_000;
    expect(labels(await running.provider('some/new'))).toEqual(['1.0.0']);
  });

  it('whose document or list is another one than its digest says gives no package, and no other upstream is asked', async () => {
    await using upstream = await startUpstream();
    await using second = await startUpstream();
    for (const name of ['some/new', 'some/other']) second.put(name, [release('99.0.0')]);
    const document = JSON.stringify({ packages: { 'some/new': [] } });
    const send = (path: string, text: string): void =>
      upstream.instead(path, (_request, response) => void response.end(text));
    const listed = JSON.stringify({
      providers: { 'some/new': { sha256: sha256Of(Buffer.from('else')) }, 'some/other': {} },
    });
    const hash = sha256Of(Buffer.from(listed));
    const root = {
      'providers-url': '/p/%package%$%hash%.json',
      'provider-includes': { 'p/a$%hash%.json': { sha256: hash } },
    };
    send('/packages.json', JSON.stringify(root));
    send(`/p/a%24${hash}.json`, listed);
    send(`/p/some/new%24${sha256Of(Buffer.from('else'))}.json`, document);
    send('/p/some/other%24.json', document);
    await using running = runMirror([upstream.url, second.url]);
    for (const name of ['some/new', 'some/other'])
      expect((await running.provider(name))?.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(running.messages()[0]).toContain('SHA-256');
    send(`/p/a%24${hash}.json`, `${listed} `);
    await using fresh = runMirror([upstream.url, second.url]);
    expect((await fresh.provider('some/free'))?.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(second.server.requests).toEqual([]);
  });

  it('asks at providers-lazy-url for names that its list lacks', async () => {
    await using upstream = await startUpstream({
      layout: 'lazy',
      root: { 'providers-url': '/p/%package%$%hash%.json', providers: {} },
    });
    upstream.put('some/new', [release('1.0.0'), release('dev-main')]);
    await using running = runMirror([upstream.url]);
    expect(labels(await running.provider('some/new'))).toEqual(['1.0.0']);
    expect(labels(await running.provider('some/new', 'dev'))).toEqual(['dev-main']);
  });
});
