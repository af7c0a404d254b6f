// Servers on loopback whose responses end in every possible way: complete, cut off, reset, with a bad chunk, with
// trailers, with too much data. A seed determines the response of each path, which stays the same.

import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from './seeded-random.ts';

/** The permitted results for a client; `either`: the whole body arrived, and then the connection broke. */
export type Expected = 'whole' | 'error' | 'either';

const endings = [
  'whole',
  'whole',
  'cut',
  'reset',
  'before the last chunk',
  'bad chunk',
  'nothing',
  'half a head',
  'reset behind it',
  'too much',
] as const;

export interface Plan {
  readonly ending: (typeof endings)[number];
  readonly expected: Expected;
  readonly framing: 'length' | 'chunked' | 'until closed';
  readonly wire: Buffer;
  /** the connection stays open */
  readonly kept: boolean;
  /** the size of each write in bytes */
  readonly piece: number;
}

/** The plan of a response with this body. `random` returns numbers from 0 up to 1; `calm`: always complete. */
export function planOf(body: Buffer, random: () => number, calm: boolean): Plan {
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  const old = random() < 0.4;
  const framing = pick(old ? (['length', 'until closed'] as const) : (['length', 'chunked', 'until closed'] as const));
  const wanted = calm ? 'whole' : pick(endings);
  const ending =
    framing === 'chunked' || (wanted !== 'bad chunk' && wanted !== 'before the last chunk') ? wanted : 'cut';
  const kept = framing !== 'until closed' && ending === 'whole' && random() < 0.4;
  const lines = [
    `HTTP/1.${old ? 0 : 1} 200 OK`,
    kept ? 'Connection: keep-alive' : pick(old ? ['Server: old'] : ['Connection: close', 'Connection: keep-alive']),
  ];
  if (framing === 'length') lines.push(`Content-Length: ${body.length}`);
  if (framing === 'chunked') lines.push('Transfer-Encoding: chunked');
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const whole = Buffer.concat([head, framing === 'chunked' ? chunked(body, random) : body]);
  const cut = head.length + Math.floor(random() * (whole.length - head.length));
  const wires: Readonly<Record<Plan['ending'], () => Buffer>> = {
    whole: () => whole,
    cut: () => whole.subarray(0, cut),
    reset: () => whole.subarray(0, cut),
    'before the last chunk': () => whole.subarray(0, whole.lastIndexOf('0\r\n')),
    'bad chunk': () => Buffer.concat([head, Buffer.from('4\r\nPK\u0003\u0004\r\nzz\r\n', 'latin1')]),
    nothing: () => Buffer.alloc(0),
    'half a head': () => whole.subarray(0, Math.floor(random() * head.length)),
    'reset behind it': () => whole,
    'too much': () => Buffer.concat([whole, framing === 'until closed' ? Buffer.alloc(0) : Buffer.from('more')]),
  };
  const expected =
    ending === 'whole' ? 'whole' : ending === 'reset behind it' || ending === 'too much' ? 'either' : 'error';
  return { ending, expected, framing, wire: wires[ending](), kept, piece: pick([1 << 20, 65_536, 16_384, 50_000]) };
}

function chunked(body: Buffer, random: () => number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const piece = body.subarray(at, at + 1 + Math.floor(random() * 100_000));
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
    at += piece.length;
  }
  return Buffer.concat([...parts, Buffer.from(random() < 0.5 ? '0\r\n\r\n' : '0\r\nX-Trailer: one\r\n\r\n')]);
}

export interface EndingServers extends AsyncDisposable {
  /** each is an origin of its own */
  readonly urls: readonly string[];
}

/** Servers that answer each path by its plan; 404 where there is none. */
export async function startEndingServers(
  count: number,
  planFor: (path: string) => Plan | undefined,
): Promise<EndingServers> {
  const open = new Set<Socket>();
  const listening = Array.from({ length: count }, () =>
    createServer((socket) => {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket)); // clients may hang up at any time
      let asked = '';
      socket.on('data', (part: Buffer) => {
        asked += part.toString('latin1');
        if (!asked.includes('\r\n\r\n')) return;
        const path = / (\S+) HTTP/.exec(asked)?.[1] ?? '';
        asked = '';
        void answer(socket, planFor(path));
      });
    }),
  );
  await Promise.all(listening.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
  return {
    urls: listening.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    [Symbol.asyncDispose]: async () => {
      const closed = listening.map((server) => new Promise((resolve) => server.close(resolve)));
      for (const socket of open) socket.destroy();
      await Promise.all(closed);
    },
  };
}

async function answer(socket: Socket, plan: Plan | undefined): Promise<void> {
  if (plan === undefined)
    return void socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  for (let at = 0; at < plan.wire.length && !socket.destroyed; at += plan.piece) {
    socket.write(plan.wire.subarray(at, at + plan.piece));
    if (plan.wire.length > plan.piece) await sleep(1);
  }
  if (plan.ending.startsWith('reset'))
    await new Promise((resolve) => socket.write('', resolve)).then(() => socket.resetAndDestroy());
  else if (!plan.kept) socket.end();
}

/** A random generator for each text. */
export function randomFor(seed: number, text: string): () => number {
  let mixed = seed >>> 0;
  for (const character of text) mixed = (Math.imul(mixed, 31) + character.charCodeAt(0)) >>> 0;
  return seededRandom(mixed);
}
