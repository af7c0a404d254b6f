// Tests the raw response writer: its bytes equal those of node:http for the same headers, and the connection stays
// usable.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createHeadEnd, serializeHeaders } from '../../../../../proxy/core/http/serialize-headers.ts';
import { endWhole, takesWhole } from '../../../../../proxy/core/http/fast-path.ts';

const keepAliveMs = 65_000;

/** All bytes of the answers to these requests, sent at once over one connection; the last request ends it. */
async function ask(
  requests: readonly string[],
  answer: (response: ServerResponse, url: string) => void,
): Promise<string> {
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) =>
    answer(response, request.url ?? ''),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(requests.join(''), 'latin1');
    let received = '';
    for await (const chunk of socket) received += (chunk as Buffer).toString('latin1');
    return received.replaceAll(/^Date: .*$/gm, 'Date: …');
  } finally {
    server.close();
  }
}

const headers = ['Content-Type', 'application/json', 'Content-Length', '3', 'ETag', '"é"'];
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const last = get('/last', 'Connection: close\r\n');
const asNode = (response: ServerResponse, body: string | Buffer): void =>
  void response.writeHead(200, [...headers]).end(body, 'latin1');
const whole = (response: ServerResponse, body: string | Buffer): void => {
  const head = serializeHeaders(200, headers) + createHeadEnd(() => 0, keepAliveMs)();
  endWhole(response, 200, typeof body === 'string' ? head + body : head, typeof body === 'string' ? undefined : body);
};

describe('a raw response', () => {
  it.each([
    ['text', 'a\u00e9c'],
    ['bytes', Buffer.from('a\u00e9c', 'latin1')],
  ])('equals the response of node:http: %s', async (_name, body) => {
    const usual = await ask([get('/'), get('/'), last], (response) => asNode(response, body));
    const taken: boolean[] = [];
    const found = await ask([get('/'), get('/'), last], (response) => {
      taken.push(takesWhole(response));
      if (takesWhole(response)) whole(response, body);
      else asNode(response, body);
    });
    expect(taken).toEqual([true, true, false]); // the last answer of a connection has another head
    expect(found).toBe(usual);
  });

  it('waits for a slower response before it on the same connection', async () => {
    const found = await ask([get('/slow'), get('/fast'), last], (response, url) => {
      if (url === '/slow') setTimeout(() => asNode(response, 'one'), 30);
      else if (url === '/fast') whole(response, 'two');
      else asNode(response, 'end');
    });
    expect(found.match(/one|two|end/g)).toEqual(['one', 'two', 'end']);
  });
});

describe('a serialized header', () => {
  it('refuses a value that would begin another line', () => {
    expect(() => serializeHeaders(200, ['ETag', '"x"\r\nSet-Cookie: a=b'])).toThrow('ETag');
    expect(() => serializeHeaders(200, ['ETag: x\r\nA', 'b'])).toThrow('Header name');
  });
});
