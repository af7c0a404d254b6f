// Tests one HTTP request with a body in pieces. Other bodies and all faults are tested through the guard, in
// egress.test.ts.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createGuardedAgent, resolveBySystem } from '../../../../build/egress/guarded-agent.ts';
import { exchangeHttp, type OutgoingRequest } from '../../../../build/egress/http-exchange.ts';

const opened: (() => void)[] = [];

afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function start(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = createGuardedAgent(() => true, resolveBySystem);
  opened.push(
    agent.destroy,
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return async (request: Omit<OutgoingRequest, 'signal'>): Promise<string> => {
    const { status, body } = await exchangeHttp(url, agent, { ...request, signal: AbortSignal.timeout(60_000) });
    let text = `${status} `;
    for await (const chunk of body) text += String(chunk);
    return text;
  };
}

const echo = (request: IncomingMessage, response: ServerResponse): void => {
  response.write(
    `${request.method} ${request.headers['transfer-encoding'] ?? request.headers['content-length'] ?? '-'} `,
  );
  request.pipe(response);
};

describe('an HTTP request', () => {
  it('has the method and the body that it is given', async () => {
    const exchange = await start(echo);
    const pieces = async function* () {
      yield Buffer.from('one ');
      yield Buffer.from('two');
    };
    expect(await exchange({ headers: {} })).toBe('200 GET - ');
    expect(await exchange({ headers: {}, method: 'DELETE' })).toBe('200 DELETE - ');
    expect(await exchange({ headers: {}, body: 'text' })).toBe('200 POST 4 text');
    expect(await exchange({ headers: {}, method: 'PUT', body: Buffer.from('bytes') })).toBe('200 PUT 5 bytes');
    expect(await exchange({ headers: { 'content-length': '7' }, method: 'PUT', body: pieces() })).toBe(
      '200 PUT 7 one two',
    );
    expect(await exchange({ headers: {}, method: 'HEAD' })).toBe('200 ');
  });

  it('reads its body as fast as it is sent, and stops after an answer that comes before the end', async () => {
    const exchange = await start((_request, response) => void setTimeout(() => response.end('enough'), 50));
    let [given, ended] = [0, false];
    const pieces = async function* () {
      try {
        for (; given < 2000; given += 1) yield Buffer.alloc(1_000_000);
      } finally {
        ended = true;
      }
    };
    const headers = { 'content-length': String(2_000_000_000) };
    expect(await exchange({ headers, method: 'PUT', body: pieces() })).toBe('200 enough');
    await expect.poll(() => ended).toBe(true);
    expect(given).toBeLessThan(2000);
  });

  it('fails with the error of its body', async () => {
    const exchange = await start(echo);
    const pieces = async function* () {
      yield Buffer.from('one');
      throw new Error('the file is gone');
    };
    const headers = { 'content-length': '1000' };
    await expect(exchange({ headers, method: 'PUT', body: pieces() })).rejects.toThrow('the file is gone');
  });
});
