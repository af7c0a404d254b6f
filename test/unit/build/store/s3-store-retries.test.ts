// Tests repetitions: which faults are repeated, how often, and what a lost answer to a conditional put means.

import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '../../../../build/shared/text/digest-of.ts';
import type { ObjectStore, Precondition } from '../../../../build/store/object-store.ts';
import { StoreFailure } from '../../../../build/store/store-failure.ts';
import { putHeaders, putText } from '../../../contract/object-store.ts';
import { everyNth, startHostileStore, type Fault, type HostileStore } from '../../../util/hostile-store.ts';
import { incompressibleBytes } from '../../../util/incompressible-bytes.ts';
import { openStore } from '../../../util/opened-store.ts';
import { seedOf } from '../../../util/seeds.ts';
import { seededRandom } from '../../../util/seeded-random.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

let server: HostileStore;
let store: ObjectStore;
let waits: number[];

beforeEach(async () => {
  server = await startHostileStore();
  waits = [];
  store = openStore(server, { sleep: async (ms) => void waits.push(ms) });
});

afterEach(async () => {
  store.close();
  await server.close();
});

/** These faults, for the first requests. */
const first =
  (...faults: readonly Fault[]): HostileStore['fault'] =>
  (_request, number) =>
    faults[number - 1];
const statuses = (): number[] => server.requests.map(({ status }) => status);
const textIn = (key: string): string | undefined => server.objects.get(`some/where/${key}`)?.bytes.toString();

const putLarge = (condition?: Precondition) => {
  const bytes = incompressibleBytes(100_001);
  return store.put('large', { bytes, sha256: digestOf(bytes) }, putHeaders, condition);
};

describe('a request that fails', () => {
  it('is repeated after statuses that pass', async () => {
    await putText(store, 'a', 'text');
    server.requests.length = 0;
    server.fault = first(...[500, 502, 503, 504, 429].map((status) => ({ status, code: 'SlowDown' })));
    expect((await store.get('a', 10))?.bytes.toString()).toBe('text');
    expect(statuses()).toEqual([500, 502, 503, 504, 429, 200]);
  });

  it('is repeated five times, after growing waits of a random length, and not more', async () => {
    server.fault = () => ({ status: 503, code: 'SlowDown' });
    await expect(store.get('a', 10)).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('503'),
    });
    expect(server.requests).toHaveLength(6);
    for (const [at, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(100 * 2 ** at);
      expect(wait).toBeLessThanOrEqual(200 * 2 ** at);
    }
    expect(new Set(waits.map((wait, at) => wait / 2 ** at)).size).toBe(5);
  });

  it('is not repeated when its time is over', async () => {
    let atMs = Date.now();
    const late = openStore(server, { now: () => atMs, sleep: async () => void (atMs += 60_000) });
    server.fault = () => ({ status: 503 });
    await expect(late.get('a', 10)).rejects.toThrow('503');
    expect(server.requests).toHaveLength(4);
    late.close();
  });

  it.each([400, 403, 404, 405, 416, 501])('is not repeated after %i', async (status) => {
    server.fault = () => ({ status, code: 'Other' });
    await expect(
      store.copy('a', 'b').then((found) => (found ? 'copied' : Promise.reject(new Error('no')))),
    ).rejects.toThrow();
    expect(server.requests).toHaveLength(1);
  });

  it.each<Fault>([{ reset: 'before' }, { reset: 'after' }, { reset: 'half-answer' }])(
    'is repeated after %j',
    async (fault) => {
      await using folder = temporaryFolder('torn');
      server.fault = first(fault, fault);
      await putText(store, 'a', 'x'.repeat(5000));
      const numbered = server.requests.length;
      server.fault = (_request, number) => (number <= numbered + 2 ? fault : undefined);
      const expected = { size: 5000, sha256: digestOf('x'.repeat(5000)) };
      expect(await store.download('a', folder.at('target'), expected)).toBe(true);
      expect(readFileSync(folder.at('target'), 'utf8')).toBe('x'.repeat(5000));
      expect(server.requests.filter(({ method }) => method === 'GET')).toHaveLength(3);
    },
  );

  it('is repeated after silence, and after an attempt without an end', async () => {
    for (const limits of [
      { attemptMs: 60_000, silenceMs: 500 },
      { attemptMs: 500, silenceMs: 60_000 },
    ]) {
      const patient = openStore(server, { limits });
      server.requests.length = 0;
      server.fault = first({ delayMs: 3000 });
      expect(await patient.get('a', 10)).toBeUndefined();
      // a busy machine may need one attempt more
      expect(server.requests.length).toBeGreaterThan(1);
      patient.close();
    }
  });

  it('is repeated if the store is away, and then says so', async () => {
    await server.close();
    await expect(store.get('a', 10)).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('check the endpoint'),
    });
    expect(waits).toHaveLength(5);
    server = await startHostileStore();
  });

  it('is repeated if it failed after a status of 200', async () => {
    await putText(store, 'a', 'text');
    server.requests.length = 0;
    server.fault = first({ status: 200, code: 'InternalError' });
    expect(await store.copy('a', 'b')).toBe(true);
    server.fault = ({ query, method }, number) =>
      method === 'POST' && query.has('uploadId') && number < 8 ? { status: 200, code: 'InternalError' } : undefined;
    expect(await putLarge()).toMatchObject({ outcome: 'written' });
    server.fault = () => ({ status: 200, code: 'AccessDenied' });
    await expect(store.copy('a', 'c')).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

describe('a conditional put whose answer was lost', () => {
  const lost: readonly Fault[] = [{ reset: 'after' }, { status: 500, effect: true }, { status: 503, effect: true }];

  it.each(lost)('counts as written if its content is there: %j', async (fault) => {
    server.fault = first(fault);
    const created = await putText(store, 'a', 'first', 'absent');
    expect(created).toEqual({ outcome: 'written', etag: (await store.head('a'))?.etag });
    server.requests.length = 0;
    const etag = created.outcome === 'written' ? created.etag : '';
    expect(await putText(store, 'a', 'second', { etag })).toMatchObject({ outcome: 'written' });
    expect(textIn('a')).toBe('second');
  });

  it.each(lost)('counts as refused if other content is there: %j', async (fault) => {
    server.fault = first({ ...fault, ...(fault.reset && { reset: 'before' }), effect: false });
    server.objects.set('some/where/a', { bytes: Buffer.from('of another'), etag: '"1"', headers: {} });
    expect(await putText(store, 'a', 'mine', 'absent')).toEqual({ outcome: 'refused' });
    server.requests.length = 0;
    expect(await putText(store, 'a', 'mine', { etag: '"0"' })).toEqual({ outcome: 'refused' });
    expect(textIn('a')).toBe('of another');
  });

  it('is not taken for written at the first refusal, even with the same content', async () => {
    await putText(store, 'a', 'text');
    expect(await putText(store, 'a', 'text', 'absent')).toEqual({ outcome: 'refused' });
    expect(statuses()).toEqual([200, 412]);
  });

  it('is settled for an object in parts, too', async () => {
    for (const condition of ['absent', undefined] as const) {
      let torn = 0;
      server.fault = ({ method, query }) =>
        method === 'POST' && query.has('uploadId') && (torn += 1) === 1 ? { reset: 'after' } : undefined;
      expect(await putLarge(condition)).toMatchObject({ outcome: 'written' });
      expect([torn, server.unfinishedUploads()]).toEqual([2, 0]);
    }
  });

  it('is repeated after a conflict with another writer', async () => {
    server.fault = first({ status: 409, code: 'ConditionalRequestConflict' });
    expect(await putText(store, 'a', 'text', 'absent')).toMatchObject({ outcome: 'written' });
    expect(statuses()).toEqual([409, 200]);
    server.fault = () => ({ status: 409, code: 'BucketNotEmpty' });
    await expect(putText(store, 'a', 'text', 'absent')).rejects.toThrow(StoreFailure);
    expect(server.requests).toHaveLength(3);
  });

  it('starts its parts anew after such a conflict, three times at most', async () => {
    let conflicts = 0;
    const conflict =
      (most: number): HostileStore['fault'] =>
      ({ method, query }) =>
        method === 'POST' && query.has('uploadId') && (conflicts += 1) <= most
          ? { status: 409, code: 'ConditionalRequestConflict' }
          : undefined;
    server.fault = conflict(2);
    expect(await putLarge('absent')).toMatchObject({ outcome: 'written' });
    expect([conflicts, server.unfinishedUploads()]).toEqual([3, 0]);
    conflicts = 0;
    server.fault = conflict(9);
    await expect(putLarge({ etag: '"0"' })).rejects.toThrow('others write this object');
    expect([conflicts, server.unfinishedUploads()]).toEqual([3, 0]);
  });

  it('removes the parts of an upload that failed', async () => {
    server.fault = ({ query }) => (query.get('partNumber') === '2' ? { status: 403, code: 'AccessDenied' } : undefined);
    await expect(putLarge()).rejects.toMatchObject({ kind: 'forbidden' });
    expect([server.unfinishedUploads(), server.objects.size]).toEqual([0, 0]);
  });
});

/** Adds a text to a list. False: another writer was first. */
async function append(own: ObjectStore, id: string): Promise<boolean> {
  const found = await own.get('list', 10_000);
  const list = [...(JSON.parse(found?.bytes.toString() ?? '[]') as string[]), id];
  const condition = found === undefined ? 'absent' : { etag: found.etag };
  return (await putText(own, 'list', JSON.stringify(list), condition)).outcome === 'written';
}

/** All repetitions met a fault: nobody knows whether it was written. */
function notWritten(error: unknown): boolean {
  if (error instanceof StoreFailure && error.kind === 'unreachable') return false;
  throw error;
}

describe('a series of faults', () => {
  it('loses no acknowledged write of four writers with compare-and-swap', async () => {
    const random = seededRandom(seedOf('SERIES_SEED'));
    const kinds: readonly Fault[] = [
      { reset: 'before' },
      { reset: 'after' },
      { reset: 'half-answer' },
      { status: 500 },
      { status: 503, effect: true },
      { status: 409, code: 'ConditionalRequestConflict' },
    ];
    let streak = 0;
    server.fault = ({ method }) => {
      const delayMs = random() * 5;
      const fault = kinds[Math.floor(random() * kinds.length)];
      const isPossible = method === 'PUT' || fault?.status !== 409;
      streak = isPossible && streak < 3 && random() < 0.25 ? streak + 1 : 0;
      return streak === 0 ? { delayMs } : { ...fault, delayMs };
    };
    const writer = async (name: string): Promise<string[]> => {
      const own = openStore(server);
      const acknowledged: string[] = [];
      while (acknowledged.length < 8) {
        const id = `${name}${acknowledged.length}`;
        if (await append(own, id).catch(notWritten)) acknowledged.push(id);
      }
      own.close();
      return acknowledged;
    };
    const acknowledged = (await Promise.all(['a', 'b', 'c', 'd'].map(writer))).flat();
    const stored = JSON.parse(textIn('list') ?? '[]') as string[];
    expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
    expect(acknowledged).toHaveLength(32);
  });

  it('uploads and lists while one request of three fails', async () => {
    server.fault = everyNth(3, { status: 503 });
    const names = Array.from({ length: 10 }, (_, at) => `k${at}`);
    for (const name of names) await putText(store, name, name, 'absent');
    const keys: string[] = [];
    for await (const { key } of store.list('')) keys.push(key);
    expect(keys).toEqual(names);
    expect(statuses().filter((status) => status === 503)).toHaveLength(5);
  });
});
