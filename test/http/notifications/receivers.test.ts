// Tests deliveries to receivers that fail in every way (rows 92 and 93). The sockets are real; the clock of the
// schedule is the test's own.

import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryRecord } from '../../../proxy/notifications/model/delivery.ts';
import type { IssuedEndpoint } from '../../../proxy/notifications/endpoints/endpoints.ts';
import { createAuthority } from '../../util/certificate.ts';
import { eventAt, sentNotifications, type SentNotifications, type SentOptions } from '../../util/sent-notifications.ts';
import { temporaryFolder } from '../../util/temporary-folder.ts';
import { lacks } from '../../util/tool.ts';
import { answering, startReceiver, type WebhookReceiver } from '../../util/webhook-receiver.ts';

const [second, minute, hour] = [1000, 60_000, 3_600_000];

let receiver: WebhookReceiver;
let sent: SentNotifications;
beforeEach(async () => {
  receiver = await startReceiver();
  sent = sentNotifications();
});
afterEach(async () => {
  await sent[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const restart = async (options: SentOptions): Promise<void> => {
  await sent[Symbol.asyncDispose]();
  sent = sentNotifications(options);
};
const make = (url = `${receiver.url}/hook`, more = {}): Promise<IssuedEndpoint> =>
  sent.make({ url, events: ['repository.sync.failed'], ...more });

/** The delivery of one event after its first attempt. */
async function tried(url?: string): Promise<DeliveryRecord> {
  const { record } = await make(url);
  await sent.hand(eventAt(sent.nowMs()));
  await sent.look();
  const [delivery] = await sent.deliveriesOf(record.id);
  return delivery!;
}

const errorOf = ({ attempts }: DeliveryRecord): string => attempts.at(-1)?.error ?? '';
const waitOf = ({ next_at: next }: DeliveryRecord): number => Date.parse(next ?? '') - sent.nowMs();

/** A server that speaks no HTTP of its own. */
async function rawServer(onSocket: (socket: Socket) => void): Promise<{ url: string; close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T0/SECRETPATH`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('a receiver that does not answer', () => {
  it.each<[string, (socket: Socket) => void, RegExp]>([
    ['hangs', () => undefined, /did not answer within 0.3 s/],
    [
      'sends its answer byte by byte',
      (socket) => {
        const text = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
        let at = 0;
        const timer = setInterval(() => void socket.write(text[(at += 1) - 1] ?? ' '), 50);
        socket.on('close', () => clearInterval(timer));
      },
      /did not answer within 0.3 s/,
    ],
    ['resets the connection', (socket) => void socket.on('data', () => socket.resetAndDestroy()), /was closed/],
    ['is no HTTP server', (socket) => void socket.on('data', () => socket.end('220 smtp\r\n')), /could not be reached/],
  ])('that %s is tried again, and its error names no secret part of the address', async (_what, onSocket, message) => {
    await restart({ timeoutMs: 300 });
    const raw = await rawServer(onSocket);
    try {
      for (const form of ['standard', 'slack']) {
        const { record } = await make(`${raw.url}?key=T0PSECRET`, { form });
        await sent.hand(eventAt(sent.nowMs()));
        await sent.look();
        const [delivery] = await sent.deliveriesOf(record.id);
        expect(delivery).toMatchObject({ state: 'pending', failures: 1, attempts: [{ status: null }] });
        expect(errorOf(delivery!)).toMatch(message);
        expect(waitOf(delivery!)).toBe(5 * second);
        const shown = JSON.stringify([await sent.deliveriesOf(record.id), await sent.statusOf(record.id)]);
        expect(shown).not.toContain('T0PSECRET');
        if (form === 'slack') expect(shown).not.toContain('SECRETPATH');
      }
    } finally {
      raw.close();
    }
  });

  it('that says a secret part of its own address in its answer does not make it readable', async () => {
    receiver.answer((response, { path }) => void response.writeHead(404).end(`Cannot POST ${path}`));
    const { record } = await make(`${receiver.url}/services/T0/SECRETPATH`, { form: 'slack' });
    await sent.hand(eventAt(sent.nowMs()));
    await sent.look();
    const [delivery] = await sent.deliveriesOf(record.id);
    expect(errorOf(delivery!)).toMatch(/status 404: Cannot POST/);
    expect(JSON.stringify(delivery)).not.toContain('SECRETPATH');
  });

  it('that is slow behind the head of a bad answer still ends in time', async () => {
    await restart({ timeoutMs: 300 });
    receiver.answer((response) => {
      response.writeHead(503);
      response.write('b');
    });
    const delivery = await tried();
    expect(delivery.attempts).toMatchObject([{ status: 503 }]);
    expect(errorOf(delivery)).toMatch(/status 503/);
  });
});

describe('a receiver that answers 500', () => {
  it('for an hour gets each attempt at its time, is asked less and less, and gets everything in the end', async () => {
    receiver.answer(answering(500, {}, 'away'));
    const { record } = await make();
    const began = sent.nowMs();
    const events = Array.from({ length: 5 }, (_, number) => eventAt(began, number));
    await sent.hand(...events);
    const asked: number[] = [];
    const pauses: number[] = [];
    for (; sent.nowMs() < began + hour; sent.pass(second)) {
      const before = receiver.requests.length;
      await sent.look();
      asked.push(...receiver.requests.slice(before).map(() => sent.nowMs() - began));
      const { paused_until: until } = await sent.statusOf(record.id);
      const pause = until === null ? 0 : Date.parse(until) - sent.nowMs();
      if (receiver.requests.length > before && pause > 0) pauses.push(pause);
    }
    // without a pause, five deliveries would be tried four times each in that hour
    expect(asked.length).toBeLessThan(20);
    expect(asked.slice(0, 2)).toEqual([0, 0]);
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(16 * minute);
    expect(pauses.every((pause) => pause <= hour)).toBe(true);
    receiver.answer(answering(204));
    for (let turn = 0; turn < 4 * 60; turn += 1) {
      sent.pass(minute);
      await sent.look();
    }
    const deliveries = await sent.deliveriesOf(record.id);
    expect(deliveries.map(({ state }) => state)).toEqual(events.map(() => 'delivered'));
    expect(await sent.statusOf(record.id)).toMatchObject({ failures: 0, paused_until: null });
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set(events.map(({ id }) => id)),
    );
  });

  it('for days gets ten attempts by the schedule, with jitter of a tenth, and none after them', async () => {
    const randoms = [0, 0.999, 0.25, 0.75, 0.5, 0, 0.999, 0.5, 0.5, 0.5];
    let at = 0;
    await restart({ random: () => randoms[(at += 1) - 1] ?? 0.5 });
    receiver.answer(answering(500));
    const { record } = await make();
    await sent.hand(eventAt(sent.nowMs()));
    await sent.look();
    const waits: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const [delivery] = await sent.deliveriesOf(record.id);
      if (delivery!.next_at === null) break;
      waits.push(waitOf(delivery!));
      // not before its time
      sent.pass(waitOf(delivery!) - 1);
      const before = receiver.requests.length;
      await sent.look();
      expect(receiver.requests).toHaveLength(before);
      sent.pass(1);
      const { paused_until: until } = await sent.statusOf(record.id);
      if (until !== null) sent.pass(Math.max(0, Date.parse(until) - sent.nowMs()));
      await sent.look();
    }
    const plain = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
    expect(waits).toHaveLength(plain.length);
    for (const [turn, wait] of waits.entries())
      expect(wait / plain[turn]!).toBeCloseTo(1 + 0.1 * (2 * randoms[turn]! - 1), 3);
    expect(receiver.requests).toHaveLength(10);
    expect(await sent.deliveriesOf(record.id)).toMatchObject([{ state: 'failed', failures: 10, next_at: null }]);
  });

  it('gets one request at a time, and a healthy one at most four', async () => {
    let [open, most] = [0, 0];
    let status = 204;
    receiver.answer((response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => response.writeHead(status).end(() => void (open -= 1)), 20);
    });
    await make();
    await sent.hand(...Array.from({ length: 60 }, (_, number) => eventAt(sent.nowMs(), number)));
    await sent.look();
    expect(receiver.requests).toHaveLength(60);
    expect(most).toBe(4);
    status = 500;
    await sent.hand(...Array.from({ length: 20 }, (_, number) => eventAt(sent.nowMs(), 100 + number)));
    await sent.look();
    most = 0;
    sent.pass(minute);
    await sent.look();
    expect(most).toBe(1);
  });
});

describe('a receiver that asks for a wait', () => {
  const inTwoHours = (): string => new Date(sent.nowMs() + 2 * hour).toUTCString();
  it.each<[string, () => Record<string, string>, number]>([
    ['in seconds', () => ({ 'retry-after': '600' }), 600 * second],
    ['as a date', () => ({ 'retry-after': inTwoHours() }), 2 * hour],
    ['that is shorter than the schedule', () => ({ 'retry-after': '1' }), 5 * second],
    ['that is absurd', () => ({ 'retry-after': '999999999' }), 24 * hour],
    ['that cannot be read', () => ({ 'retry-after': 'soon' }), 5 * second],
  ])('%s gets it, and nothing else before', async (_what, headers, wait) => {
    receiver.answer(answering(429, headers()));
    const delivery = await tried();
    expect(delivery).toMatchObject({ state: 'pending', attempts: [{ status: 429 }] });
    expect(waitOf(delivery)).toBeGreaterThan(wait - 1000);
    expect(waitOf(delivery)).toBeLessThanOrEqual(wait);
    receiver.answer(answering(204));
    await sent.hand(eventAt(sent.nowMs(), 1));
    await sent.look();
    // the whole endpoint waits as it asked; the schedule is of one delivery
    const isPaused = headers()['retry-after'] !== 'soon';
    expect(receiver.requests).toHaveLength(isPaused ? 1 : 2);
    sent.pass(wait);
    await sent.look();
    expect((await sent.deliveriesOf(delivery.endpoint)).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });
});

describe('a receiver that answers something else', () => {
  it('with 410 gets nothing any more', async () => {
    receiver.answer(answering(410, {}, 'bye'));
    const delivery = await tried();
    expect(delivery).toMatchObject({ state: 'failed', next_at: null });
    await sent.hand(eventAt(sent.nowMs(), 1));
    sent.pass(hour);
    await sent.look();
    expect(receiver.requests).toHaveLength(1);
    expect(await sent.deliveriesOf(delivery.endpoint)).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])('with %i is not followed', async (status) => {
    receiver.answer(answering(status, { location: `${receiver.url}/elsewhere` }));
    const delivery = await tried();
    expect(delivery).toMatchObject({ state: 'pending', attempts: [{ status }] });
    expect(errorOf(delivery)).toMatch(/redirects.*Enter the address/);
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook']);
  });

  it.each([200, 500])('with %i and a body of 300 MB is not read, and costs no memory', async (status) => {
    let written = 0;
    receiver.answer((response) => {
      response.writeHead(status);
      const chunk = Buffer.alloc(1 << 20, 'x');
      const more = (): void => {
        if (written >= 300 || response.destroyed) return void response.end();
        written += 1;
        response.write(chunk, more);
      };
      more();
    });
    const before = process.memoryUsage().rss;
    const delivery = await tried();
    expect(delivery.attempts[0]).toMatchObject({ status });
    expect(errorOf(delivery).length).toBeLessThan(400);
    expect(written).toBeLessThan(40);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20);
  });
});

describe('the guard of egress', () => {
  it('refuses private addresses when an endpoint is made', async () => {
    await restart({ allow: [] });
    for (const url of ['http://127.0.0.1/', 'https://10.1.2.3/', 'https://[::1]/', 'https://169.254.169.254/latest'])
      await expect(make(url), url).rejects.toMatchObject({ code: 'EGRESS_DENIED' });
  });

  it('refuses a name whose address became private, at each attempt', async () => {
    let address = '8.8.8.8';
    await restart({ allow: [], resolve: async () => [{ address, family: 4 }] });
    const { port } = new URL(receiver.url);
    const { record } = await make(`https://hooks.example.org:${port}/x`);
    address = '127.0.0.1';
    await sent.hand(eventAt(sent.nowMs()));
    await sent.look();
    const [delivery] = await sent.deliveriesOf(record.id);
    expect(delivery).toMatchObject({ state: 'pending', attempts: [{ status: null }] });
    expect(errorOf(delivery!)).toMatch(/has the address 127.0.0.1, which is not public/);
    expect(receiver.requests).toEqual([]);
  });

  it('refuses a literal address that the operator allows no longer', async () => {
    const allow = ['127.0.0.0/8'];
    await restart({ allow });
    const { record } = await make();
    allow.length = 0;
    await sent.hand(eventAt(sent.nowMs()));
    await sent.look();
    const [delivery] = await sent.deliveriesOf(record.id);
    expect(errorOf(delivery!)).toMatch(/The address 127.0.0.1 is not public/);
    expect(receiver.requests).toEqual([]);
  });

  it.skipIf(lacks('openssl'))('refuses a certificate that nobody vouches for, and says so', async () => {
    await using folder = temporaryFolder('receiver-tls');
    const { cert, key } = createAuthority(folder.path).issue('receiver');
    const server = createTlsServer({ cert, key }, (_request, response) => void response.end());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    try {
      const delivery = await tried(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      expect(errorOf(delivery)).toMatch(/certificate|self-signed/);
      expect(delivery.state).toBe('pending');
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

describe('an endpoint that is removed', () => {
  it('while an event is handed to it leaves no rows behind', async () => {
    const { record } = await make();
    await sent.hand(eventAt(sent.nowMs(), 1));
    const { range } = sent.state;
    let isHanded = false;
    Object.assign(sent.state, {
      range: async (...asked: Parameters<typeof range>) => {
        const rows = await range(...asked);
        // behind the look of the removal, and before its commit
        if (asked[0] === `notify-due/${record.id}/` && !isHanded) {
          isHanded = true;
          await sent.hand(eventAt(sent.nowMs(), 2));
        }
        return rows;
      },
    });
    await sent.endpoints().remove(record.id);
    expect(isHanded).toBe(true);
    expect(await sent.state.range('notify-')).toEqual([]);
  });
});
