// Tests the client of object stores at its socket: what it sends, and what it says of refusals. The contract of all
// stores is in test/contract/object-store.ts.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { digestOf } from '../../../../build/shared/text/digest-of.ts';
import { parseStoreAddress } from '../../../../build/store/address.ts';
import type { ObjectStore } from '../../../../build/store/object-store.ts';
import type { S3StoreOptions } from '../../../../build/store/s3-store.ts';
import { StoreFailure } from '../../../../build/store/store-failure.ts';
import { putHeaders, putText } from '../../../contract/object-store.ts';
import { listening, startHostileStore, testKeys, type Fault, type HostileStore } from '../../../util/hostile-store.ts';
import { incompressibleBytes } from '../../../util/incompressible-bytes.ts';
import { openStore } from '../../../util/opened-store.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const opened: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function open(options: Partial<S3StoreOptions> = {}): Promise<{ server: HostileStore; store: ObjectStore }> {
  const server = await startHostileStore();
  const store = openStore(server, options);
  opened.push(server.close, () => store.close());
  return { server, store };
}

const failureOf = async (work: Promise<unknown>): Promise<StoreFailure> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StoreFailure);
  return error as StoreFailure;
};

describe('the client of an object store', () => {
  it('writes below its prefix, with type, caching and digest', async () => {
    const { server, store } = await open();
    expect(store.name).toBe(`s3://${server.bucket}/some/where`);
    await putText(store, 'a', 'text');
    await putText(store, 'large', 'x'.repeat(100_001));
    expect([...server.objects.keys()]).toEqual(['some/where/a', 'some/where/large']);
    for (const [key, text] of [
      ['a', 'text'],
      ['large', 'x'.repeat(100_001)],
    ] as const)
      expect(server.objects.get(`some/where/${key}`)?.headers).toEqual({
        'content-type': putHeaders.contentType,
        'cache-control': putHeaders.cacheControl,
        'x-amz-meta-sha256': digestOf(text),
      });
  });

  it('sees nothing beside its prefix, and knows no digest of objects of others', async () => {
    const { server, store } = await open();
    for (const key of ['some/where-else/x', 'some/wherex', 'some/where/own'])
      server.objects.set(key, { bytes: Buffer.from('x'), etag: '"1"', headers: {} });
    const keys: string[] = [];
    for await (const { key } of store.list('')) keys.push(key);
    expect(keys).toEqual(['own']);
    expect(await store.head('own')).toEqual({ key: 'own', size: 1, etag: '"1"', sha256: undefined });
  });

  it('returns an object that looks like an error of the store', async () => {
    const { store } = await open();
    const text = '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>';
    await putText(store, 'a', text);
    expect((await store.get('a', 1000))?.bytes.toString()).toBe(text);
  });

  it('sends a request for each object and page, and no more', async () => {
    const { server, store } = await open();
    await putText(store, 'a', 'text');
    await putText(store, 'b', 'x'.repeat(100_001));
    await store.get('a', 10);
    for await (const facts of store.list('')) expect(facts.size).toBeGreaterThan(0);
    expect(server.requests.map(({ method, status }) => `${method} ${status}`)).toEqual([
      'PUT 200',
      // in parts
      'POST 200',
      'PUT 200',
      'PUT 200',
      'PUT 200',
      'POST 200',
      // the object and the list
      'GET 200',
      'GET 200',
    ]);
  });

  it('has no more requests at once than it may', async () => {
    const { server, store } = await open({ connections: 3 });
    let [running, most] = [0, 0];
    server.fault = () => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => (running -= 1), 5);
      return { delayMs: 10 };
    };
    await Promise.all(Array.from({ length: 20 }, (_, at) => putText(store, `${at}`, 'text')));
    expect(most).toBe(3);
  });

  it('follows no redirect, and names the region of the bucket', async () => {
    const { server, store } = await open();
    const elsewhere = await startHostileStore();
    opened.push(elsewhere.close);
    const headers = { location: `${elsewhere.endpoint}/x`, 'x-amz-bucket-region': 'eu-west-3' };
    for (const status of [301, 307]) {
      server.fault = () => ({ status, code: 'PermanentRedirect', headers });
      for (const work of [() => store.get('a', 10), () => store.head('a'), () => putText(store, 'a', 'text')])
        expect(await failureOf(work())).toMatchObject({
          kind: 'no-bucket',
          message: expect.stringContaining('Set AWS_REGION=eu-west-3.'),
        });
    }
    expect(elsewhere.requests).toEqual([]);
  });

  it('names the region that a signature must have', async () => {
    const server = await startHostileStore({ region: 'eu-north-1' });
    const environment = { ...server.environment, AWS_REGION: 'us-east-1' };
    const store = openStore({ ...server, environment });
    opened.push(server.close, () => store.close());
    for (const work of [() => store.get('a', 10), () => store.head('a'), () => store.copy('a', 'b')])
      expect((await failureOf(work())).message).toContain('Set AWS_REGION=eu-north-1.');
  });

  it.each<[string, Fault, StoreFailure['kind'], string]>([
    [
      'a denied request',
      { status: 403, code: 'AccessDenied' },
      'forbidden',
      'Allow s3:(?:Get|Put|Delete)Object for its objects',
    ],
    ['a missing bucket', { status: 404, code: 'NoSuchBucket' }, 'no-bucket', 'Create the bucket'],
    ['an unknown operation', { status: 501, code: 'NotImplemented' }, 'unsupported', 'does not know this operation'],
    ['an answer without a code', { status: 418, code: '<b>' }, 'unreachable', 'Try again later'],
  ])('explains %s', async (_title, fault, kind, advice) => {
    const { server, store } = await open();
    server.fault = () => fault;
    for (const work of [
      () => store.get('a', 10),
      () => putText(store, 'a', 'text', 'absent'),
      () => store.remove(['a']),
    ])
      expect(await failureOf(work())).toMatchObject({
        kind,
        message: expect.stringMatching(new RegExp(`^[^<>]*${advice}[^<>]*$`)),
      });
  });

  it('asks why a HEAD was refused, since its answer has no body', async () => {
    const { server, store } = await open();
    server.keys.clear();
    const failure = await failureOf(store.head('a'));
    expect(failure).toMatchObject({
      kind: 'refused-credentials',
      message: expect.stringContaining('InvalidAccessKeyId'),
    });
  });

  it('shows no signature, token or key in any message', async () => {
    const { server } = await open();
    const token = 'session-token-of-a-role';
    const hidden = [testKeys.secret, testKeys.id, token, 'Signature=', 'X-Amz-'];
    const environments = [
      { ...server.environment, AWS_SECRET_ACCESS_KEY: 'wrong', AWS_SESSION_TOKEN: token },
      { ...server.environment, AWS_SECRET_ACCESS_KEY: `${testKeys.secret}x` },
      { ...server.environment, AWS_ACCESS_KEY_ID: `${testKeys.id}X` },
    ];
    for (const environment of environments) {
      const store = openStore({ bucket: server.bucket, environment });
      opened.push(() => store.close());
      for (const work of [() => store.get('a', 10), () => store.head('a'), () => putText(store, 'a', 'text')]) {
        const failure = await failureOf(work());
        expect(failure.kind).toBe('refused-credentials');
        const shown = `${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`;
        expect(hidden.filter((text) => shown.includes(text))).toEqual([]);
      }
    }
  });

  it('corrects its clock once by the date of the store', async () => {
    const now = () => Date.now() + 3_600_000;
    const { server, store } = await open({ now });
    await putText(store, 'a', 'text');
    await putText(store, 'b', 'text');
    expect(server.requests.map(({ status }) => status)).toEqual([403, 200, 200]);
    expect((await fetch(await store.presign('a', 60))).status).toBe(200);
    server.fault = () => ({ status: 403, code: 'RequestTimeTooSkewed' });
    const failure = await failureOf(store.get('a', 10));
    expect(failure.message).toContain('Set the clock.');
    expect(server.requests.filter(({ method }) => method === 'GET')).toHaveLength(3);
  });

  it('reaches a store behind a private name, as named', async () => {
    const server = await startHostileStore();
    const { port } = new URL(server.endpoint);
    const environment = { ...server.environment, AWS_ENDPOINT_URL_S3: `http://store.internal:${port}` };
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const address = parseStoreAddress(`s3://${server.bucket}`, { environment });
    const store = openStore({ ...server, environment }, { address, resolve });
    opened.push(server.close, () => store.close());
    await putText(store, 'a', 'text');
    expect([asked, [...server.objects.keys()]]).toEqual([['store.internal'], ['a']]);
  });

  it('says that a file changed while it was sent', async () => {
    await using folder = temporaryFolder('changed');
    const { server, store } = await open();
    const file = folder.at('file');
    for (const size of [1000, 150_000]) {
      const sha256 = digestOf(incompressibleBytes(size));
      for (const bytes of [incompressibleBytes(size - 1), Buffer.alloc(size)]) {
        writeFileSync(file, bytes);
        const failure = await failureOf(store.put('a', { file, size, sha256 }, putHeaders));
        expect(failure.kind).toBe('damaged');
      }
    }
    const failure = await failureOf(
      store.put('a', { file: folder.at('none'), size: 1, sha256: digestOf('') }, putHeaders),
    );
    expect(failure.message).toContain('could not be read');
    expect([server.objects.size, server.unfinishedUploads()]).toEqual([0, 0]);
  });

  it('takes a refusal that comes before the body was sent', async () => {
    await using folder = temporaryFolder('early');
    const { server, store } = await open({ multipartAbove: 1e9 });
    const bytes = incompressibleBytes(8_000_000);
    writeFileSync(folder.at('file'), bytes);
    server.fault = ({ method }) =>
      method === 'PUT' ? { status: 412, code: 'PreconditionFailed', early: true } : undefined;
    const body = { file: folder.at('file'), size: bytes.length, sha256: digestOf(bytes) };
    expect(await store.put('a', body, putHeaders, 'absent')).toEqual({ outcome: 'refused' });
    expect(server.requests).toHaveLength(1);
  });

  it('ends the transfer of an answer that it does not take', async () => {
    let isOver = false;
    const endless = createServer((_request, response) => {
      const more = (): void =>
        void (response.destroyed || response.write(Buffer.alloc(65_536), () => setImmediate(more)));
      response.on('close', () => (isOver = true));
      response.writeHead(200, { etag: '"1"' });
      more();
    });
    const { endpoint, close } = await listening(endless);
    const environment = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL_S3: endpoint };
    const store = openStore({ bucket: 'libretto-test', environment });
    opened.push(close, () => store.close());
    await using folder = temporaryFolder('endless');
    writeFileSync(folder.at('mine'), '');
    const expected = { size: 1, sha256: digestOf('x') };
    await expect(store.download('a', folder.at('mine'), expected)).rejects.toThrow('EEXIST');
    await expect.poll(() => isOver).toBe(true);
    expect(await failureOf(store.get('a', 10))).toMatchObject({ kind: 'damaged' });
    // its beginning is the expected object
    const beginning = { size: 65_536, sha256: createHash('sha256').update(Buffer.alloc(65_536)).digest('hex') };
    expect(await failureOf(store.download('a', folder.at('new'), beginning))).toMatchObject({ kind: 'damaged' });
  });

  it('ends its requests when it is closed, also those that wait', async () => {
    const { server, store } = await open({ connections: 1 });
    server.fault = () => ({ delayMs: 60_000 });
    const work = Promise.all(['a', 'b'].map((key) => failureOf(store.get(key, 10))));
    await expect.poll(() => server.requests.length).toBe(1);
    store.close();
    expect((await work).map(({ kind }) => kind)).toEqual(['unreachable', 'unreachable']);
    expect(server.requests).toHaveLength(1);
  });
});
