// Tests documents of upstreams: their content for clients, the number of requests to upstreams, and the answers while
// an upstream fails. The upstream is a server on loopback.

import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { releaseRules } from '../../../../util/release-rules.ts';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { expandVersions } from '../../../../util/minified-versions.ts';
import { runMirror, type MirrorReply } from '../../../../util/running-mirror.ts';
import { startUpstream } from '../../../../util/upstream.ts';

const versionsOf = (reply: MirrorReply | undefined, name: string): readonly JsonObject[] => {
  const found: JsonObject | readonly JsonObject[] = reply?.json().packages[name] ?? [];
  return Array.isArray(found)
    ? expandVersions(found as readonly JsonObject[])
    : Object.entries(found as unknown as Readonly<Record<string, JsonObject>>).map(([label, record]) => {
        expect(record['version']).toBe(label);
        return record;
      });
};
const labels = (reply: MirrorReply | undefined, name: string): string[] =>
  versionsOf(reply, name).map(({ version }) => String(version));
const bomb = brotliCompressSync(Buffer.alloc(100_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
const release = (version: string): { version: string } => ({ version });

describe('a document of a mirrored package', () => {
  it('has only addresses of this registry', async () => {
    await using upstream = await startUpstream();
    upstream.put('some/lib', [release('2.0.0'), { version: '1.0.0', shasum: '' }]);
    await using running = runMirror([upstream.url]);
    const reply = await running.provider('some/lib');
    expect(reply?.status).toBe(200);
    expect(reply?.body.toString()).not.toMatch(/example|files\/|notification|"source"|mirrors/);
    const [newer, older] = versionsOf(reply, 'some/lib') as unknown as {
      dist: Record<string, string>;
      version_normalized: string;
      autoload: unknown;
    }[];
    expect(newer).toMatchObject({
      version_normalized: '2.0.0.0',
      dist: { type: 'zip', url: '/dist/some/lib/2.0.0.zip' },
    });
    expect(newer?.dist['shasum']).toMatch(/^[0-9a-f]{40}$/);
    expect(newer?.dist['reference']).toMatch(/^[0-9a-f]{40}$/);
    expect(newer?.autoload).toEqual({ 'psr-4': { 'Some\\': 'src/' } });
    expect(older?.dist['shasum']).toBeUndefined();
  });

  it('excludes a version that contains half a surrogate pair, which no client could decode', async () => {
    await using upstream = await startUpstream();
    upstream.put('some/lib', [release('2.0.0'), { version: '1.0.0', extra: { extra: 'x\ud800' } }]);
    await using running = runMirror([upstream.url]);
    const reply = await running.provider('some/lib');
    expect(labels(reply, 'some/lib')).toEqual(['2.0.0']);
    expect(reply?.body.toString()).not.toMatch(/\\ud800/i);
  });

  it.each(['v2', 'single', 'lazy', 'providers', 'inline', 'includes'] as const)(
    'is read from an upstream of the layout %s, minified or not',
    async (layout) => {
      for (const minified of layout === 'v2' ? [false, true] : [false]) {
        await using upstream = await startUpstream({ layout, minified });
        upstream.put('some/lib', [
          release('2.0.0'),
          { version: '1.0.0', extra: { extra: { a: 1 } } },
          release('dev-main'),
        ]);
        await using running = runMirror([upstream.url]);
        expect(labels(await running.provider('some/lib'), 'some/lib')).toEqual(['2.0.0', '1.0.0']);
        expect(labels(await running.provider('some/lib', 'dev'), 'some/lib')).toEqual(['dev-main']);
        expect(versionsOf(await running.provider('some/lib'), 'some/lib').map((record) => record['extra'])).toEqual([
          undefined,
          { a: 1 },
        ]);
        expect(await running.provider('some/other')).toBeUndefined();
        expect((await running.archive('some/lib', '1.0.0'))?.status).toBe(200);
      }
    },
  );

  it.each(['gzip', 'br'] as const)('may be encoded as %s', async (encoding) => {
    await using upstream = await startUpstream({ encoding });
    upstream.put('some/lib', [release('1.0.0')]);
    await using running = runMirror([upstream.url]);
    expect(labels(await running.provider('some/lib'), 'some/lib')).toEqual(['1.0.0']);
  });

  it('keeps its advisories and filters, and has no version that Composer cannot load', async () => {
    await using upstream = await startUpstream();
    const advisories = [{ advisoryId: 'A-1', affectedVersions: '<2' }];
    upstream.put(
      'some/lib',
      [
        release('2.0.0'),
        release('not a version'),
        { version: '1.0.0', extra: { name: 'other/lib' } },
        { version: '0.9.0', extra: { dist: { type: 'tar', url: 'https://x.example/a' } } },
        { version: '0.8.0', extra: { broken: true } },
      ],
      { 'security-advisories': advisories, filter: { malware: [{ constraint: '1.0.0' }] } },
    );
    await using running = runMirror([upstream.url], {
      checkRecord: (record) => (record['broken'] === true ? 'it is broken' : undefined),
    });
    const reply = await running.provider('some/lib');
    expect(labels(reply, 'some/lib')).toEqual(['2.0.0']);
    expect(reply?.json()).toMatchObject({
      'security-advisories': advisories,
      filter: { malware: [{ constraint: '1.0.0' }] },
    });
    expect(running.of('versions-left-out')).toMatchObject([{ name: 'some/lib', count: 4 }]);
  });

  it("is revalidated by clients by its upstream's date, and changes when a rule excludes a version", async () => {
    await using upstream = await startUpstream();
    upstream.put('some/lib', [{ version: '2.0.0', extra: { time: new Date().toISOString() } }, release('1.0.0')]);
    await using running = runMirror([upstream.url]);
    const lastModified = (await running.provider('some/lib'))?.headers['last-modified'] ?? '';
    expect(Date.parse(lastModified)).toBeGreaterThan(1_700_000_000_000);
    expect(await running.provider('some/lib', 'stable', { ifModifiedSince: lastModified })).toMatchObject({
      status: 304,
    });
    running.setRules({ releases: releaseRules({ minimumAgeMs: 3_600_000 }) });
    const younger = await running.provider('some/lib', 'stable', { ifModifiedSince: lastModified });
    expect(labels(younger, 'some/lib')).toEqual(['1.0.0']);
    expect(await running.archive('some/lib', '2.0.0')).toBeUndefined();
    running.clock.nowMs += 3_700_000;
    expect(labels(await running.provider('some/lib'), 'some/lib')).toEqual(['2.0.0', '1.0.0']);
  });
});

describe('requests to upstreams', () => {
  it('row 78: one request serves 500 clients that want the same new package', async () => {
    await using upstream = await startUpstream();
    upstream.put('some/lib', [release('1.0.0')]);
    upstream.instead('/files', undefined);
    await using running = runMirror([upstream.url]);
    const replies = await Promise.all(Array.from({ length: 500 }, () => running.provider('some/lib')));
    expect(replies.every((reply) => reply?.status === 200)).toBe(true);
    expect(upstream.asked('/p2/')).toBe(1);
    expect(upstream.asked('/packages.json')).toBe(1);
    const archives = await Promise.all(Array.from({ length: 500 }, () => running.archive('some/lib', '1.0.0')));
    expect(new Set(archives.map((reply) => `${reply?.status} ${reply?.body.toString('hex')}`)).size).toBe(1);
    expect(upstream.asked('/files/')).toBe(1);
  });

  it('a document is revalidated only when it is no longer fresh, also after a restart', async () => {
    await using upstream = await startUpstream();
    upstream.put('some/lib', [release('1.0.0')]);
    await using running = runMirror([upstream.url]);
    await running.provider('some/lib');
    await running.mirror.close();
    await using restarted = runMirror([upstream.url], { at: running.folder });
    restarted.clock.nowMs = running.clock.nowMs;
    expect(labels(await restarted.provider('some/lib'), 'some/lib')).toEqual(['1.0.0']);
    expect(upstream.asked('/p2/')).toBe(1);
    restarted.clock.nowMs += 601_000;
    await restarted.provider('some/lib');
    expect(restarted.of('document').at(-1)).toMatchObject({ outcome: 'unchanged' });
    upstream.put('some/lib', [release('1.1.0'), release('1.0.0')]);
    expect(labels(await restarted.provider('some/lib'), 'some/lib')).toEqual(['1.0.0']);
    restarted.clock.nowMs += 601_000;
    expect(labels(await restarted.provider('some/lib'), 'some/lib')).toEqual(['1.1.0', '1.0.0']);
  });

  it('documents are served although none can be stored, and the failure to store them is reported', async () => {
    await using upstream = await startUpstream();
    upstream.put('some/lib', [release('1.0.0')]);
    await using running = runMirror([upstream.url]);
    writeFileSync(running.folder.at('mirror'), 'a file where the folder should be');
    expect(labels(await running.provider('some/lib'), 'some/lib')).toEqual(['1.0.0']);
    await running.mirror.close();
    expect(running.of('document-failed')).toMatchObject([
      {
        message: expect.stringContaining('packages.json was fetched, but could not be stored') as unknown,
        stale: false,
      },
      { url: `${upstream.url}/p2/some/lib.json` },
    ]);
  });

  it('each upstream gets its own credentials, and no other host gets them', async () => {
    await using other = await startUpstream();
    await using upstream = await startUpstream({ authorization: 'Bearer s3cret' });
    other.put('some/lib', [release('1.0.0')]);
    upstream.put('some/lib', [{ version: '1.0.0', distUrl: `${other.url}/elsewhere.zip` }]);
    upstream.instead(
      '/p2/some/far.json',
      (_request, response) => void response.writeHead(302, { location: `${other.url}/p2/some/lib.json` }).end(),
    );
    await using running = runMirror([], {
      set: {
        upstreams: [
          { id: 'u', url: upstream.url, allow: [], deny: [], credential: { kind: 'bearer', token: 's3cret' } },
        ],
      },
    });
    expect((await running.provider('some/lib'))?.status).toBe(200);
    await running.provider('some/far');
    await running.archive('some/lib', '1.0.0');
    expect(
      upstream.server.requests.every(
        ({ headers }) => headers.authorization === 'Bearer s3cret' && headers['user-agent'] === 'Libretto/test',
      ),
    ).toBe(true);
    expect(other.asked('/elsewhere.zip')).toBe(1);
    expect(other.server.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });
});

describe('row 75: while the upstream fails', () => {
  const failures: readonly (readonly [string, (upstream: Awaited<ReturnType<typeof startUpstream>>) => void])[] = [
    ['answers with 500', ({ failing }) => (failing.status = 500)],
    [
      'sends what is no JSON',
      ({ instead }) => instead('/p2/some/lib.json', (_request, response) => void response.end('<html>')),
    ],
    [
      'sends JSON that is no document',
      ({ instead }) => instead('/p2/some/lib.json', (_request, response) => void response.end('[]')),
    ],
    [
      'sends more than is read',
      ({ instead }) =>
        instead('/p2/some/lib.json', (_request, response) => void response.end(Buffer.alloc(3_000_000, 32))),
    ],
    [
      'sends a few bytes that unpack to more',
      ({ instead }) =>
        instead(
          '/p2/some/lib.json',
          (_request, response) => void response.writeHead(200, { 'content-encoding': 'br' }).end(bomb),
        ),
    ],
    [
      'breaks off',
      ({ instead }) =>
        instead(
          '/p2/some/lib.json',
          (_request, response) => void response.writeHead(200, { 'content-length': '1000' }).write('{'),
        ),
    ],
    ['is silent', ({ instead }) => instead('/p2/some/lib.json', () => undefined)],
    [
      'says 304 to who has nothing',
      ({ instead }) => instead('/p2/some/lib.json', (_request, response) => void response.writeHead(304).end()),
    ],
    [
      'redirects to what it may not',
      ({ instead }) =>
        instead(
          '/p2/some/lib.json',
          (_request, response) => void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
        ),
    ],
  ];

  it.each(failures)(
    'an upstream that %s gets its last good document served with a mark, and a package without one gets a retry answer',
    async (what, fail) => {
      await using upstream = await startUpstream();
      upstream.put('some/lib', [release('1.0.0')]);
      const client = {
        allowAddresses: ['127.0.0.0/8'],
        userAgent: 'x',
        limits: { documentBytes: 1_000_000, documentMs: 500, idleTimeoutMs: 300 },
      };
      await using running = runMirror([upstream.url], { client });
      await using cold = runMirror([upstream.url], { client });
      await running.provider('some/lib');
      await cold.provider('some/other');
      fail(upstream);
      running.clock.nowMs += 601_000;
      const reply = await running.provider('some/lib');
      expect(labels(reply, 'some/lib')).toEqual(['1.0.0']);
      if (what !== 'says 304 to who has nothing') {
        expect(reply?.headers['x-libretto-stale-since']).toMatch(/GMT$/);
        expect(running.of('document-failed').length).toBeGreaterThan(0);
      }
      const nothing = await cold.provider('some/lib');
      expect(nothing).toMatchObject({ status: 500 });
      expect(nothing?.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
      expect(Number(nothing?.headers['retry-after'])).toBeGreaterThan(0);
    },
  );

  it('a 429 stops the requests for all documents for the announced time', async () => {
    await using upstream = await startUpstream();
    for (const name of ['some/lib', 'some/other']) upstream.put(name, [release('1.0.0')]);
    await using running = runMirror([upstream.url]);
    await running.provider('some/lib');
    running.clock.nowMs += 601_000;
    Object.assign(upstream.failing, { status: 429, headers: { 'retry-after': '120' } });
    expect((await running.provider('some/lib'))?.headers['x-libretto-stale-since']).toBeDefined();
    const before = upstream.server.requests.length;
    running.clock.nowMs += 100_000;
    expect(await running.provider('some/other')).toMatchObject({ status: 500, headers: { 'retry-after': '20' } });
    await running.provider('some/lib');
    expect(upstream.server.requests).toHaveLength(before);
    upstream.failing.status = undefined;
    running.clock.nowMs += 21_000;
    expect((await running.provider('some/lib'))?.headers['x-libretto-stale-since']).toBeUndefined();
    expect((await running.provider('some/other'))?.status).toBe(200);
  });

  it('a dead upstream costs a request now and then, not one for each client', async () => {
    await using upstream = await startUpstream();
    upstream.put('some/lib', [release('1.0.0')]);
    await using running = runMirror([upstream.url]);
    upstream.failing.status = 503;
    for (let turn = 0; turn < 50; turn += 1) expect((await running.provider('some/lib'))?.status).toBe(500);
    expect(upstream.server.requests).toHaveLength(2); // once, and once more
  });

  it('a 404 of a known document is believed after a while; a 404 of an unknown one is cached for a short time', async () => {
    await using upstream = await startUpstream();
    upstream.put('some/lib', [release('1.0.0')]);
    await using running = runMirror([upstream.url]);
    expect(await running.provider('some/new')).toBeUndefined();
    await running.provider('some/lib');
    upstream.drop('some/lib');
    upstream.put('some/new', [release('1.0.0')]);
    expect(await running.provider('some/new')).toBeUndefined();
    running.clock.nowMs += 61_000;
    expect((await running.provider('some/new'))?.status).toBe(200);
    running.clock.nowMs += 601_000;
    expect(await running.provider('some/lib')).toMatchObject({
      status: 200,
      headers: { 'x-libretto-stale-since': expect.any(String) as string },
    });
    running.clock.nowMs += 901_000;
    expect(await running.provider('some/lib')).toBeUndefined();
  });

  it('new releases are served once the upstream is back', async () => {
    await using upstream = await startUpstream();
    upstream.put('some/lib', [release('1.0.0')]);
    await using running = runMirror([upstream.url]);
    await running.provider('some/lib');
    upstream.failing.status = 500;
    running.clock.nowMs += 601_000;
    await running.provider('some/lib');
    upstream.failing.status = undefined;
    upstream.put('some/lib', [release('1.1.0'), release('1.0.0')]);
    running.clock.nowMs += 31_000;
    await sleep(1);
    expect(labels(await running.provider('some/lib'), 'some/lib')).toEqual(['1.1.0', '1.0.0']);
  });
});
