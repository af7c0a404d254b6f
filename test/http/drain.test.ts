// Tests the shutdown: every answer in progress is completed.

import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { eventually, openFilesBelow } from '../util/eventually.ts';
import { exchange, openConnection } from '../util/raw-client.ts';
import { runProxy } from '../util/running-proxy.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

const large = zipBytes('large', 40_000_000);
/** The next piece of an answer; undefined: the connection ended or was reset before. */
const answerOf = (socket: Socket): Promise<string | undefined> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve(undefined);
    socket.once('data', (part: Buffer) => resolve(part.toString('latin1')));
    socket.once('close', () => resolve(undefined));
  });
const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer reader\r\n\r\n`;

describe('F14: closing', () => {
  it('a closing server finishes the running download, answers sent requests with Connection: close, and accepts no connection', async () => {
    await using served = await runProxy();
    served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: large }]);
    served.tree.publish();
    const [idle, silent] = [await openConnection(served.port), await openConnection(served.port)];
    const running = connect(served.port, '127.0.0.1');
    let received = 0;
    running.on('data', (part: Buffer) => (received += part.length));
    running.write(ask('/dist/acme/hello/1.0.0.zip'));
    await once(running, 'data');
    running.pause();
    const silenceEnds = once(silent.resume(), 'close');
    const closed = served.proxy.close();
    idle.write(ask('/packages.json'));
    const [answer] = (await once(idle, 'data')) as [Buffer];
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n/);
    expect((await exchange(served.port, ask('/health'))).status).toBe(0);
    // after the time limit of idle connections
    await silenceEnds;
    running.resume();
    await Promise.all([once(running, 'close'), closed]);
    expect(received).toBeGreaterThan(large.length);
  });

  it('a closing server cuts off answers that take longer than the drain limit', async () => {
    await using served = await runProxy({ limits: { drainMs: 200 } });
    served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: large }]);
    served.tree.publish();
    const stuck = await openConnection(served.port);
    stuck.pause();
    stuck.write(ask('/dist/acme/hello/1.0.0.zip'));
    await eventually(() => openFilesBelow(served.tree.data) > 0);
    await served.proxy.close();
    expect(served.lines.at(-1)).toMatchObject({ aborted: true });
  });

  it('a closing server that was busy reads the requests that wait before it closes idle connections', async () => {
    await using served = await runProxy();
    served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('small') }]);
    served.tree.publish();
    const idle = await openConnection(served.port);
    const closed = served.proxy.close();
    idle.write(ask('/packages.json'));
    // nothing of this process runs for longer than the time limit of idle connections
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    expect(await answerOf(idle)).toMatch(/^HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n/);
    await closed;
  });

  it('a closing server under load answers every request that it receives', async () => {
    await using served = await runProxy({ tokens: { reader: 0 } });
    served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: large }]);
    served.tree.publish();
    const answers: string[] = [];
    let answering = 0;
    const client = async (): Promise<void> => {
      const socket = await openConnection(served.port);
      for (let isReused = false; ; isReused = true) {
        socket.write(ask('/p2/acme/hello.json'));
        const answer = await answerOf(socket);
        // RFC 9112 9.3.1: a server may close a reused connection while a request is on its way; clients repeat it
        if (answer === undefined && isReused) break;
        answers.push(answer ?? 'cut off');
        if (answer === undefined || answer.includes('Connection: close')) break;
        if (!isReused) answering += 1;
        await sleep(2);
      }
      socket.destroy();
    };
    const clients = Array.from({ length: 8 }, client);
    await eventually(() => answering === clients.length);
    await Promise.all([served.proxy.close(), ...clients]);
    expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200'))).toEqual([]);
    // the server received no request beyond those, so that it cut off none
    expect(served.lines.map(({ status, aborted }) => [status, aborted])).toEqual(answers.map(() => [200, undefined]));
  });

  it('a second close changes nothing, and so does a close before listening', async () => {
    await using served = await runProxy();
    await Promise.all([served.proxy.close(), served.proxy.close()]);
  });

  it('the error of an address in use names the address', async () => {
    await using served = await runProxy();
    await expect(runProxy({ port: served.port })).rejects.toMatchObject({ code: 'EADDRINUSE', port: served.port });
  });
});
