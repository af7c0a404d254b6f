// Tests one connection with requests with and without a body: requests without a body take a cheaper path, and every
// answer stays the same.

import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../util/eventually.ts';
import { exchange, openConnection } from '../util/raw-client.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';

let registry: RunningManagement;
let token: string;
beforeAll(async () => {
  registry = await runManagement();
  token = await registry.createToken('read');
});
afterAll(() => registry[Symbol.asyncDispose]());

const request = (method: string, path: string, rest = '\r\n'): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${rest}`;
const withBody = (body: string): string =>
  `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const statusesIn = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status);

/** Requests that one connection can carry in any order, each with its answer. */
const all = (): readonly (readonly [text: string, status: string])[] => [
  [request('GET', '/health'), '200'],
  [request('POST', '/downloads', withBody('{"downloads":[]}')), '200'],
  [request('HEAD', '/health'), '200'],
  [request('GET', '/api/nothing', 'Content-Length: 0\r\n\r\n'), '404'],
  [
    request(
      'POST',
      '/downloads',
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{"downloads":[]}\r\n0\r\n\r\n',
    ),
    '200',
  ],
  [request('POST', '/downloads', 'Content-Type: application/json\r\n\r\n'), '400'],
  [request('GET', '/health'), '200'],
];

describe('one connection', () => {
  it.each([
    ['at once', () => all()],
    ['at once, the other way round', () => all().toReversed()],
  ])('carries requests with and without a body, sent %s', async (_, made) => {
    const requests = made();
    const reply = await exchange(registry.proxy.port, requests.map(([text]) => text).join(''));
    expect(statusesIn(reply.text)).toEqual(requests.map(([, status]) => status));
  });

  it('carries these requests one after another, and closes with its client', async () => {
    const before = registry.proxy.proxy.connections();
    const connection = await openConnection(registry.proxy.port);
    for (const [text, status] of [...all(), ...all().toReversed()]) {
      connection.write(text);
      const [answer] = (await once(connection, 'data')) as [Buffer];
      expect(statusesIn(answer.toString('latin1'))).toEqual([status]);
    }
    connection.destroy();
    await eventually(() => registry.proxy.proxy.connections() <= before);
  });

  it('ends after a GET with a body', async () => {
    const reply = await exchange(
      registry.proxy.port,
      request('GET', '/health', withBody('{}')) + request('GET', '/health'),
    );
    expect([statusesIn(reply.text), reply.closed]).toEqual([['400'], true]);
  });
});
