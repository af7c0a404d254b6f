// Tests HEAD: the headers of GET without the body, counted as one request.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import { runProxy, type Reply, type RunningProxy } from '../util/running-proxy.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

let served: RunningProxy;
let registry: RunningManagement;
let session: string;

beforeAll(async () => {
  served = await runProxy({ tokens: { reader: 1000 } });
  served.tree.put('acme/hello', [
    { version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') },
    { version: '2.0.0', normalized: '2.0.0.0', zip: zipBytes('large', 500_000) },
  ]);
  served.tree.publish();
  registry = await runManagement();
  session = (await registry.signIn('admin')).token;
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

/** The headers without those that change from one answer to the next. */
function lasting({ status, headers }: Reply): unknown {
  return [
    status,
    Object.entries(headers).filter(
      ([name]) => !['date', 'connection', 'keep-alive', 'x-ratelimit-remaining', 'x-ratelimit-reset'].includes(name),
    ),
  ];
}

it.each([
  '/packages.json',
  '/p2/acme/hello.json',
  '/p2/acme/hello~dev.json',
  '/dist/acme/hello/1.0.0.zip',
  '/dist/acme/hello/2.0.0.zip',
  '/dist/acme/hello/3.0.0.zip',
  '/health',
  '/nowhere',
])('row 17: HEAD %s has the headers of GET and no body, and counts once', async (path) => {
  const before = await served.get('/packages.json');
  const head = await served.get(path, {}, 'HEAD');
  const after = await served.get('/packages.json');
  const get = await served.get(path);
  expect(lasting(head)).toEqual(lasting(get));
  expect(head.body).toHaveLength(0);
  expect(Number(head.headers['content-length'])).toBe(get.body.length);
  const counted = Number(before.headers['x-ratelimit-remaining']) - Number(after.headers['x-ratelimit-remaining']) - 1;
  expect(counted).toBe(path === '/health' ? 0 : 1);
  expect(served.lines.findLast((line) => line['method'] === 'HEAD')).toMatchObject({ bytes: 0, path });
});

it.each([
  '/api/status',
  '/api/tokens',
  '/api/users',
  '/api/repositories',
  '/api/packages',
  '/api/settings',
  '/api/audit',
  '/api/openapi.json',
  '/api/docs/',
  '/api/tokens/tok_0000000000000000',
])('row 17: HEAD %s has the headers of GET and no body', async (path) => {
  const [get, head] = [
    await registry.call('GET', path, { as: session }),
    await registry.proxy.send('HEAD', path, { authorization: `Bearer ${session}` }),
  ];
  const ofBoth = ({ status, headers }: Reply): unknown => [status, headers['content-type'], headers['cache-control']];
  expect(ofBoth(head)).toEqual(ofBoth(get));
  expect(head.body).toHaveLength(0);
});
