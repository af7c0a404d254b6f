// Tests a tree at an object store: what a proxy serves, what it asks the store for, and its answers while the store
// fails.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { incompressibleBytes } from '../util/incompressible-bytes.ts';
import { below } from '../util/package-tree.ts';
import { firstOf, itInSeries } from '../util/series.ts';
import { serveStore, versionsIn, type ServedStore, type ServedStoreOptions } from '../util/served-store.ts';
import { whoLibrary } from '../util/who-library.ts';

let served: ServedStore;
const start = async (options: ServedStoreOptions = {}): Promise<void> => {
  served = await serveStore(options);
  await served.publish({
    ...below('one/small', whoLibrary('acme/hello', '1.0.0')),
    ...below('one/large', whoLibrary('acme/hello', '2.0.0')),
    'one/large/blob.bin': incompressibleBytes(600_000).toString('latin1'),
    ...below('one/other', whoLibrary('acme/other', '1.0.0')),
  });
  served.asked();
};
afterEach(() => served[Symbol.asyncDispose]());

const get: ServedStore['proxy']['get'] = (...asked) => served.proxy.get(...asked);
const versions = async (name = 'acme/hello'): Promise<unknown> => {
  const reply = await get(`/p2/${name}.json`);
  return reply.status === 200 ? Object.keys(versionsIn(reply, name)) : reply.status;
};
const distOf = async (version: string): Promise<{ path: string; shasum: string }> => {
  const dist = versionsIn(await get('/p2/acme/hello.json'), 'acme/hello')[version]?.dist;
  return { path: new URL(dist?.url ?? '', 'http://host').href.slice('http://host'.length), shasum: dist?.shasum ?? '' };
};
const sha1 = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex');
const nextCheck = (): Promise<void> => sleep(250);

describe.each(firstOf(['aws', 'ceph', 'minio-2024'] as const, 1))(
  'a registry at a store of the dialect %s',
  (dialect) => {
    it('is served with its documents and archives', async () => {
      await start({ store: { dialect } });
      const built = served.store.requests.length;
      expect((await get('/packages.json')).json()).toMatchObject({
        'available-packages': ['acme/hello', 'acme/other'],
      });
      expect(await versions()).toEqual(['2.0.0', '1.0.0']);
      for (const version of ['1.0.0', '2.0.0']) {
        const { path, shasum } = await distOf(version);
        const { status, body, headers } = await get(path);
        expect([status, sha1(body), headers['etag']]).toEqual([200, shasum, `"${shasum}"`]);
        expect((await get(path, {}, 'HEAD')).status).toBe(200);
        expect((await get(path, { 'if-none-match': `"${shasum}"` })).status).toBe(304);
      }
      expect(served.store.requests.slice(built).filter(({ status }) => status >= 400)).toEqual([]);
    });
  },
);

describe('a proxy of a store', () => {
  beforeEach(() => start());

  it('asks for the head alone while nothing is published, and for no absent path', async () => {
    await versions();
    expect(await versions('acme/unknown')).toBe(404);
    served.asked();
    await nextCheck();
    expect(await versions()).toEqual(['2.0.0', '1.0.0']);
    expect(await versions('acme/unknown')).toBe(404);
    expect(await versions('acme/stranger')).toBe(404);
    await nextCheck();
    expect(served.asked().filter((key) => key !== 'index/_head.json')).toEqual([]);
  });

  it('sends nothing of a client to the store', async () => {
    const { path } = await distOf('2.0.0');
    const before = served.store.requests.length;
    await get(path, { cookie: 'session=of-the-client', 'x-forwarded-for': '192.0.2.1', 'user-agent': 'of-the-client' });
    const [sent, ...others] = served.store.requests.slice(before).filter(({ key }) => key?.endsWith('.zip'));
    expect(others).toEqual([]);
    expect(JSON.stringify(sent)).not.toMatch(/of-the-client|192\.0\.2\.1|Bearer/);
  });

  itInSeries('reads after a publication what it has changed, and no unchanged document', async () => {
    await versions();
    await versions('acme/other');
    await served.publish(below('one/new', whoLibrary('acme/other', '1.1.0')));
    served.asked();
    await nextCheck();
    await versions();
    await expect.poll(() => versions('acme/other')).toEqual(['1.1.0', '1.0.0']);
    expect(await versions()).toEqual(['2.0.0', '1.0.0']);
    // the root of the listing, its parts, the announcement, the index and the document
    expect(served.asked().filter((key) => key !== 'index/_head.json').length).toBeLessThanOrEqual(6);
  });

  itInSeries('serves a republished version', async () => {
    const before = await distOf('1.0.0');
    await served.publish(below('one/small', whoLibrary('acme/hello', '1.0.0', {}, 'again')), { allowRepublish: true });
    await expect.poll(async () => (await distOf('1.0.0')).shasum).not.toBe(before.shasum);
    const { path, shasum } = await distOf('1.0.0');
    expect(sha1((await get(path)).body)).toBe(shasum);
  });

  it('serves an archive whose path has other bytes at the store', async () => {
    const [other] = [...served.store.objects].flatMap(([key, held]) => (key.endsWith('.zip') ? [held] : []));
    if (other !== undefined) served.store.objects.set('some/where/public/dist/acme/hello/3.0.0.zip', other);
    await served.publish(below('one/third', whoLibrary('acme/hello', '3.0.0')));
    await expect.poll(versions).toEqual(['3.0.0', '2.0.0', '1.0.0']);
    served.asked();
    const { path, shasum } = await distOf('3.0.0');
    expect(sha1((await get(path)).body)).toBe(shasum);
    expect(served.asked().filter((key) => key.endsWith('.zip'))).toEqual([
      expect.stringMatching(/^index\/archives\/[0-9a-f]{64}\.zip$/),
    ]);
  });

  it('serves what it knows while the store is down, tells it once, and recovers', async () => {
    const small = await distOf('1.0.0');
    await get(small.path);
    served.store.fault = () => ({ status: 503, code: 'SlowDown' });
    await nextCheck();
    expect(await versions()).toEqual(['2.0.0', '1.0.0']);
    await sleep(1500);
    expect([await versions(), (await get(small.path)).status]).toEqual([['2.0.0', '1.0.0'], 200]);
    const large = await get((await distOf('2.0.0')).path);
    expect([large.status, large.headers['retry-after'], large.json()['code']]).toEqual([
      500,
      expect.any(String),
      'UPSTREAM_UNAVAILABLE',
    ]);
    const failing = served.notices.filter(({ state }) => state === 'failing');
    expect(failing.length).toBeLessThanOrEqual(2);
    expect(failing[0]?.reason).toContain('503 SlowDown');
    served.store.fault = () => undefined;
    await expect.poll(async () => (await get((await distOf('2.0.0')).path)).status).toBe(200);
    await expect.poll(async () => [await versions(), served.notices.at(-1)]).toContainEqual({ state: 'recovered' });
  });

  it('never sends a torn archive as a whole one, and continues when an object is lost', async () => {
    const { path } = await distOf('2.0.0');
    served.store.fault = ({ key }) => (key?.endsWith('.zip') === true ? { reset: 'half-answer' } : undefined);
    await expect(get(path)).rejects.toThrow();
    served.store.fault = ({ key }) => (key?.endsWith('.zip') === true ? { status: 404, code: 'NoSuchKey' } : undefined);
    expect((await get(path)).status).toBe(500);
    served.store.fault = ({ key }) => (key?.endsWith('_head.json') === true ? { status: 404 } : undefined);
    await nextCheck();
    expect(await versions()).toEqual(['2.0.0', '1.0.0']);
    await expect.poll(() => served.notices.map(({ reason }) => reason).join('\n')).toContain('has no index/_head.json');
    expect(await versions()).toEqual(['2.0.0', '1.0.0']);
  });
});
