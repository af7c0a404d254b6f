// Tests a tree at an object store while things change: publications during requests, credentials and clocks, and
// addresses at the store for large archives.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { HostileStore } from '../util/hostile-store.ts';
import { incompressibleBytes } from '../util/incompressible-bytes.ts';
import { below } from '../util/package-tree.ts';
import { startRoleServices } from '../util/role-services.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { serveStore, versionsIn, type ServedStore } from '../util/served-store.ts';
import { whoLibrary } from '../util/who-library.ts';
import { describeInSeries, itInSeries, playsSeries } from '../util/series.ts';

let served: ServedStore;
afterEach(() => served[Symbol.asyncDispose]());

describe('publications during requests', () => {
  it('are each seen as a whole, and never an older one after a newer one', async () => {
    const publications = playsSeries ? 20 : 4;
    const random = seededRandom(seedOf('SERIES_SEED'));
    served = await serveStore();
    const names = ['acme/a', 'acme/b', 'acme/c', 'acme/d'];
    const publish = (number: number) =>
      served.publish(
        Object.assign(
          below(`one/new-${number}`, whoLibrary(`acme/n${number}`, '1.0.0')),
          ...names.map((name) => below(`one/${name}`, whoLibrary(name, undefined, { description: `${number}` }))),
        ),
      );
    await publish(1);
    served.store.fault = () => ({ delayMs: Math.floor(random() * 8) });
    let isOver = false;
    const seen = new Set<number>();
    /** The number of the publication in one answer. */
    const read = async (): Promise<number> => {
      const name = names[Math.floor(random() * (names.length + 1))];
      if (name === undefined) {
        const listed = (await served.proxy.get('/packages.json')).json()['available-packages'] as readonly string[];
        return listed.filter((one) => one.startsWith('acme/n')).length;
      }
      const entry = versionsIn(await served.proxy.get(`/p2/${name}~dev.json`), name)['dev-main'];
      if (random() < 0.2)
        expect((await served.proxy.get(new URL(entry?.dist.url ?? '', 'http://host').href.slice(11))).status).toBe(200);
      return Number(entry?.description);
    };
    let reads = 0;
    const client = async (): Promise<void> => {
      for (let last = 0; !isOver; reads += 1) {
        const found = await read();
        expect(found).toBeGreaterThanOrEqual(last);
        seen.add(found);
        last = found;
        await sleep(random() * (playsSeries ? 20 : 60));
      }
    };
    const clients = Promise.all(Array.from({ length: playsSeries ? 6 : 3 }, client));
    for (let number = 2; number <= publications; number += 1) await publish(number);
    await expect.poll(read).toBe(publications);
    isOver = true;
    await clients;
    expect(reads).toBeGreaterThan(publications * 10);
    expect(seen.size).toBeGreaterThan(publications / 4);
    expect(served.notices).toEqual([]);
  });
});

describeInSeries('a publication that is being read', () => {
  it('does not show its documents before it is in effect', async () => {
    served = await serveStore();
    const publish = (number: number) =>
      served.publish({
        ...below('one/a', whoLibrary('acme/a', undefined, { description: `${number}` })),
        ...below('one/b', whoLibrary('acme/b', undefined, { description: `${number}` })),
      });
    const read = async (name: string): Promise<string | undefined> =>
      versionsIn(await served.proxy.get(`/p2/${name}~dev.json`), name)['dev-main']?.description;
    await publish(1);
    expect(await read('acme/a')).toBe('1');
    await publish(2);
    let asked = false;
    const isAnnouncement = (key = ''): boolean =>
      served.store.objects.get(key)?.bytes.includes('"published_at"') === true && key.includes('/documents/');
    served.store.fault = ({ key }) => {
      if (!isAnnouncement(key)) return undefined;
      asked = true;
      // longer than requests wait for it
      return { delayMs: 5000 };
    };
    await expect.poll(async () => [await read('acme/a'), asked]).toEqual(['1', true]);
    expect(await Promise.all([read('acme/b'), read('acme/a')])).toEqual(['1', '1']);
    await expect.poll(() => read('acme/b')).toBe('2');
  });
});

describe('a publication whose packages.json', () => {
  const listed = async (): Promise<unknown> => (await served.proxy.get('/packages.json')).json()['available-packages'];
  const isReady = async (): Promise<boolean> => (await served.proxy.get('/health/ready')).status === 200;
  /** Two publications. The server has read the first one, and no client has asked for packages.json. */
  const publishTwice = async (): Promise<void> => {
    served = await serveStore();
    await served.publish(below('one/a', whoLibrary('acme/a', '1.0.0')));
    expect((await served.proxy.get('/p2/acme/a.json')).status).toBe(200);
    await served.publish(below('one/b', whoLibrary('acme/b', '1.0.0')));
    await sleep(250);
  };
  const isRoot = (key = ''): boolean => served.store.objects.get(key)?.bytes.includes('"metadata-url"') === true;
  const failing: HostileStore['fault'] = () => ({ status: 503, code: 'SlowDown' });

  it('cannot be read leaves the former one in use until it can', async () => {
    await publishTwice();
    served.store.fault = (request, number) => (isRoot(request.key) ? failing(request, number) : undefined);
    await expect.poll(async () => (await served.proxy.get('/p2/acme/b.json')).status).toBe(200);
    served.store.fault = failing;
    expect([await listed(), await isReady()]).toEqual([['acme/a'], true]);
    served.store.fault = () => undefined;
    await expect.poll(listed).toEqual(['acme/a', 'acme/b']);
  });

  itInSeries('does not come because the store hangs leaves the server ready', async () => {
    await publishTwice();
    expect(await isReady()).toBe(true);
    await served.publish(below('one/c', whoLibrary('acme/c', '1.0.0')));
    await sleep(250);
    const hanging = { delayMs: 60_000 };
    served.store.fault = ({ key }) => (isRoot(key) ? hanging : undefined);
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await served.proxy.get('/p2/acme/a.json')).status).toBe(200);
      await sleep(100);
    }
    served.store.fault = () => hanging;
    expect([await isReady(), await isReady(), await listed()]).toEqual([true, true, expect.anything()]);
  });
});

const large = {
  ...below('one/large', whoLibrary('acme/hello', '2.0.0')),
  'one/large/blob.bin': incompressibleBytes(600_000).toString('latin1'),
};

describe('credentials and clocks', () => {
  it('are renewed and corrected, and no log has a secret', async () => {
    const roles = await startRoleServices();
    try {
      const [day, start] = [86_400_000, Date.now()];
      let key = 'FIRST';
      roles.role(key, start + day);
      served = await serveStore({
        store: { now: () => Date.now() - day / 24 },
        reader: { environment: {}, metadataOrigin: roles.origin },
      });
      const allow = (): void =>
        void served.store.keys.set(key, { secret: `secret of ${key}`, token: `token of ${key}` });
      allow();
      await served.publish(large);
      expect((await served.proxy.get('/dist/acme/hello/2.0.0.zip')).status).toBe(200);
      served.store.keys.delete('FIRST');
      roles.role((key = 'SECOND'), start + day);
      allow();
      expect((await served.proxy.get('/dist/acme/hello/2.0.0.zip')).status).toBe(200);
      served.store.keys.clear();
      expect((await served.proxy.get('/dist/acme/hello/2.0.0.zip')).status).toBe(500);
      const told = JSON.stringify([served.notices, served.proxy.lines]);
      expect(told).toContain('InvalidAccessKeyId');
      expect(told).not.toMatch(/secret of|token of|Signature=|X-Amz-/);
    } finally {
      await roles.close();
    }
  });
});

describe('archives above the size of a redirect', () => {
  it('are fetched from the store by an address of a minute, and smaller ones from the proxy', async () => {
    const counted: string[] = [];
    served = await serveStore({
      redirectAbove: 100_000,
      proxy: { onDownload: (name, version) => void counted.push(`${name} ${version}`) },
    });
    await served.publish({ ...large, ...below('one/small', whoLibrary('acme/hello', '1.0.0')) });
    const reply = await served.proxy.get('/dist/acme/hello/2.0.0.zip');
    expect([reply.status, reply.headers['cache-control'], reply.body.length]).toEqual([302, 'no-store', 0]);
    const location = new URL(reply.headers['location'] ?? '');
    expect([location.origin, location.searchParams.get('X-Amz-Expires')]).toEqual([served.store.endpoint, '60']);
    const fetched = Buffer.from(await (await fetch(location)).arrayBuffer());
    expect(fetched.length).toBeGreaterThan(600_000);
    expect((await served.proxy.get('/dist/acme/hello/1.0.0.zip')).status).toBe(200);
    expect(counted).toEqual(['acme/hello 2.0.0', 'acme/hello 1.0.0']);
    const head = await served.proxy.get('/dist/acme/hello/2.0.0.zip', {}, 'HEAD');
    expect([head.status, head.headers['content-length']]).toEqual([200, String(fetched.length)]);
    const known = { 'if-none-match': String(head.headers['etag']) };
    expect((await served.proxy.get('/dist/acme/hello/2.0.0.zip', known)).status).toBe(304);
    expect((await served.proxy.get('/dist/acme/hello/2.0.0.zip', { authorization: '' })).status).toBe(401);
    expect(JSON.stringify(served.proxy.lines)).not.toContain('X-Amz');
  });
});
