// Tests bodies with broken framing: each gets its 400 in the error body, on every route, and the connection ends.

import { readdirSync } from 'node:fs';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../util/raw-client.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';

let registry: RunningManagement;
let admin: string;
let reader: string;
beforeAll(async () => {
  registry = await runManagement();
  admin = (await registry.signIn('admin')).token;
  reader = await registry.createToken('read');
});
afterAll(() => registry[Symbol.asyncDispose]());

/** Sends the chunks one after another, and returns all received bytes until the connection ends. */
async function send(...pieces: readonly string[]): Promise<string> {
  const socket = await openConnection(registry.proxy.port);
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  const closed = once(socket, 'close');
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await closed;
  return text;
}

const head = (target: string, type: string, token: string): string =>
  `POST ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const form = 'multipart/form-data; boundary=cut';
const formHead = '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

function expectBadRequest(text: string): void {
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toMatch(/^connection: close\r$/im);
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))).toMatchObject({
    error: expect.any(String) as string,
    code: 'BAD_REQUEST',
  });
}

describe('a malformed chunk', () => {
  const routes = (): readonly (readonly [string, string, string])[] => [
    ['/api/tokens', 'application/json', admin],
    ['/api/auth/login', 'application/json', ''],
    ['/api/artifacts', 'application/zip', admin],
    ['/api/artifacts', form, admin],
    ['/downloads', 'application/json', reader],
    ['/security-advisories', 'application/x-www-form-urlencoded', reader],
  ];

  it.each([0, 1, 2, 3, 4, 5])(
    'gets its 400 with the headers, later, and after a valid chunk (route %i)',
    async (at) => {
      const [target, type, token] = routes()[at]!;
      const begin = head(target, type, token);
      expectBadRequest(await send(`${begin}zz\r\n`));
      expectBadRequest(await send(begin, 'zz\r\n', 'more of it', 'and more'));
      expectBadRequest(
        await send(`${begin}${chunk(type === form ? formHead : '{"a":')}`, '5\r\nlonger than five\r\n', '0\r\n\r\n'),
      );
    },
  );

  it('after a request in progress gets its answer after that answer', async () => {
    const [first, second] = (
      await send(
        `GET /api/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin}\r\n\r\n${head('/api/tokens', 'application/json', admin)}zz\r\n`,
      )
    ).split(/(?=HTTP\/1\.1 )/);
    expect(first).toMatch(/^HTTP\/1\.1 200 /);
    expectBadRequest(second ?? '');
  });

  it('from a caller without permission changes nothing, leaves no file, and is one line of the log', async () => {
    expect(await send(head('/api/tokens', 'application/json', 'nonsense'), 'zz\r\n')).toMatch(/^HTTP\/1\.1 401 /);
    const lines = registry.proxy.lines.filter(({ path }) => path === '/api/artifacts');
    expect(new Set(lines.map(({ status }) => status))).toEqual(new Set([400]));
    expect(lines).toHaveLength(6);
    expect(readdirSync(`${registry.data}/artifacts/.staging`)).toEqual([]);
    expect((await registry.call('GET', '/api/auth/me', { as: admin })).status).toBe(200);
  });
});
