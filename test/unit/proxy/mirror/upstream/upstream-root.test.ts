// Tests the list of an upstream's packages: its packages.json and the included files. If the list cannot be read, no
// other upstream replaces this one.

import { describe, expect, it } from 'vitest';
import { runMirror, type MirrorReply } from '../../../../util/running-mirror.ts';
import { sha1Of, startUpstream, type TestUpstream } from '../../../../util/upstream.ts';

const release = (version: string): { version: string } => ({ version });
const labels = (reply: MirrorReply | undefined, name: string): string[] => {
  const found: unknown = reply?.json().packages[name] ?? [];
  return (Array.isArray(found) ? found : Object.values(found as object)).map(
    ({ version }: { version: string }) => version,
  );
};
const sendJson = (upstream: TestUpstream, path: string, json: unknown): Buffer => {
  const bytes = Buffer.from(JSON.stringify(json));
  upstream.instead(path, (_request, response) => void response.end(bytes));
  return bytes;
};
const gone = (upstream: TestUpstream, path: string): void =>
  upstream.instead(path, (_request, response) => void response.writeHead(404).end());

describe('an upstream without packages.json', () => {
  it('is not skipped for the next upstream', async () => {
    await using first = await startUpstream();
    await using second = await startUpstream();
    first.put('corp/secret', [release('1.0.0')]);
    for (const name of ['corp/secret', 'some/lib']) second.put(name, [release('99.0.0')]);
    gone(first, '/packages.json');
    await using running = runMirror([first.url, second.url]);
    for (const name of ['corp/secret', 'some/lib']) {
      const reply = await running.provider(name);
      expect([reply?.status, reply?.json()]).toMatchObject([500, { code: 'UPSTREAM_UNAVAILABLE' }]);
      expect(running.messages()[0]).toContain('packages.json is missing');
    }
    expect((await running.archive('corp/secret', '99.0.0'))?.status).toBe(500);
    expect(second.server.requests).toEqual([]);
    first.instead('/packages.json', undefined);
    running.clock.nowMs += 120_000;
    expect(labels(await running.provider('corp/secret'), 'corp/secret')).toEqual(['1.0.0']);
    expect(
      labels(await running.provider('some/lib'), 'some/lib'),
      'a packages.json that is there says whether it may be asked',
    ).toEqual(['99.0.0']);
  });

  it.each([
    [
      'has an address that is none',
      { 'metadata-url': 'http://[%package%' },
      'metadata-url of packages.json is "http://[%package%", which is no address',
    ],
    [
      'has addresses with a digest, and no list of digests',
      { packages: [], 'providers-url': '/p/%package%$%hash%.json' },
      'packages.json has providers-url, and neither providers nor provider-includes',
    ],
  ])('or with one that %s is not skipped either', async (_what, root, reason) => {
    await using first = await startUpstream();
    await using second = await startUpstream();
    second.put('corp/secret', [release('99.0.0')]);
    sendJson(first, '/packages.json', root);
    await using running = runMirror([first.url, second.url]);
    expect((await running.provider('corp/secret'))?.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(running.messages()[0]).toContain(reason);
    expect(second.server.requests).toEqual([]);
  });

  it('keeps its last known packages, however long it is gone, and after a restart', async () => {
    await using first = await startUpstream();
    await using second = await startUpstream();
    first.put('corp/secret', [release('1.0.0')]);
    second.put('corp/secret', [release('99.0.0')]);
    await using running = runMirror([first.url, second.url]);
    await running.provider('corp/secret');
    gone(first, '/packages.json');
    for (let hour = 0; hour < 5; hour += 1) {
      running.clock.nowMs += 3_600_000;
      expect(labels(await running.provider('corp/secret'), 'corp/secret')).toEqual(['1.0.0']);
    }
    await running.mirror.close();
    await using restarted = runMirror([first.url, second.url], { at: running.folder });
    restarted.clock.nowMs = running.clock.nowMs + 3_600_000;
    expect(labels(await restarted.provider('corp/secret'), 'corp/secret')).toEqual(['1.0.0']);
    expect(second.server.requests).toEqual([]);
  });
});

describe('an upstream', () => {
  it('an upstream that lists a name without a document may have the package, and no other upstream is asked', async () => {
    await using first = await startUpstream({ root: { 'available-packages': ['corp/secret', 'corp/listed'] } });
    await using second = await startUpstream();
    for (const name of ['corp/secret', 'corp/other']) second.put(name, [release('99.0.0')]);
    await using running = runMirror([first.url, second.url]);
    expect((await running.provider('corp/secret'))?.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(running.messages()[0]).toContain('lists corp/secret');
    expect(second.server.requests).toEqual([]);
    expect(labels(await running.provider('corp/other'), 'corp/other')).toEqual(['99.0.0']);
  });

  it('an upstream with an invalid packages.json cannot be used', async () => {
    await using first = await startUpstream();
    await using second = await startUpstream();
    second.put('some/lib', [release('99.0.0')]);
    sendJson(first, '/packages.json', { error: 'no such project' });
    await using running = runMirror([first.url, second.url]);
    expect((await running.provider('some/lib'))?.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(second.server.requests).toEqual([]);
  });
});

describe('a file that packages.json includes', () => {
  const record = (version: string): object => ({
    name: 'some/lib',
    version,
    dist: { type: 'zip', url: 'https://x.example/a.zip', reference: 'a'.repeat(40) },
  });
  const including = (...versions: readonly string[]): object => ({
    packages: { 'some/lib': Object.fromEntries(versions.map((version) => [version, record(version)])) },
  });

  it('must have its SHA-1, and is not requested again while that stays', async () => {
    await using upstream = await startUpstream();
    await using second = await startUpstream();
    second.put('some/lib', [release('99.0.0')]);
    const bytes = sendJson(upstream, '/all.json', including('1.0.0'));
    sendJson(upstream, '/packages.json', { packages: [], includes: { 'all.json': { sha1: 'b'.repeat(40) } } });
    await using running = runMirror([upstream.url, second.url]);
    expect((await running.provider('some/lib'))?.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(running.messages()[0]).toContain('SHA-1');
    sendJson(upstream, '/packages.json', {
      packages: [],
      includes: { 'all.json': { sha1: sha1Of(bytes).toUpperCase() } },
    });
    running.clock.nowMs += 700_000;
    expect(labels(await running.provider('some/lib'), 'some/lib')).toEqual(['1.0.0']);
    const asked = upstream.asked('/all.json');
    running.clock.nowMs += 700_000;
    expect(labels(await running.provider('some/lib'), 'some/lib')).toEqual(['1.0.0']);
    expect(upstream.asked('/all.json')).toBe(asked);
    expect(second.server.requests).toEqual([]);
  });

  it('is requested again where no SHA-1 is given, although packages.json is unchanged', async () => {
    await using upstream = await startUpstream();
    sendJson(upstream, '/packages.json', { packages: [], includes: { 'all.json': {} } });
    sendJson(upstream, '/all.json', including('1.0.0'));
    await using running = runMirror([upstream.url]);
    const before = await running.provider('some/lib');
    expect(labels(before, 'some/lib')).toEqual(['1.0.0']);
    sendJson(upstream, '/all.json', including('1.1.0', '1.0.0'));
    expect(labels(await running.provider('some/lib'), 'some/lib')).toEqual(['1.0.0']);
    running.clock.nowMs += 700_000;
    const after = await running.provider('some/lib', 'stable', { ifModifiedSince: before?.headers['last-modified'] });
    expect(labels(after, 'some/lib')).toEqual(['1.1.0', '1.0.0']);
    upstream.failing.status = 503;
    running.clock.nowMs += 700_000;
    const stale = await running.provider('some/lib');
    expect([labels(stale, 'some/lib'), stale?.headers['x-libretto-stale-since']]).toEqual([
      ['1.1.0', '1.0.0'],
      expect.stringMatching(/GMT$/),
    ]);
  });

  it('may include more files, and itself', async () => {
    await using upstream = await startUpstream();
    sendJson(upstream, '/packages.json', { packages: [], includes: { 'all.json': {} } });
    sendJson(upstream, '/all.json', { packages: [], includes: { 'more/one.json': {}, 'all.json': {} } });
    sendJson(upstream, '/more/one.json', { ...including('1.0.0'), includes: { 'more/two.json': {} } });
    sendJson(upstream, '/more/two.json', including('0.9.0'));
    await using running = runMirror([upstream.url]);
    expect(labels(await running.provider('some/lib'), 'some/lib')).toEqual(['1.0.0', '0.9.0']);
    sendJson(upstream, '/packages.json', {
      packages: [],
      includes: Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`${at}.json`, {}])),
    });
    running.clock.nowMs += 700_000;
    const stale = await running.provider('some/lib');
    expect([labels(stale, 'some/lib'), running.of('document-failed')]).toMatchObject([
      ['1.0.0', '0.9.0'],
      [{ message: expect.stringContaining('1001 files') as string }],
    ]);
  });

  it('must exist', async () => {
    await using upstream = await startUpstream();
    await using second = await startUpstream();
    second.put('some/lib', [release('99.0.0')]);
    sendJson(upstream, '/packages.json', { packages: [], includes: { 'all.json': {}, 'more.json': {} } });
    sendJson(upstream, '/all.json', including());
    await using running = runMirror([upstream.url, second.url]);
    expect((await running.provider('some/lib'))?.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(second.server.requests).toEqual([]);
  });
});
