// Tests SIGTERM under load on the compiled program (F14 and row 88).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, type Authority } from '../util/certificate.ts';
import { connectHttp2 } from '../util/http2-client.ts';
import { openConnection } from '../util/raw-client.ts';
import { logLines, runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { HandMadeTree, zipBytes } from '../util/hand-made-tree.ts';

const large = zipBytes('large', 3_000_000);

describe.skipIf(lacks('openssl'))('F14: SIGTERM under load', () => {
  const folder = temporaryFolder('drain');
  let authority: Authority;
  let token: string;

  beforeAll(async () => {
    authority = createAuthority(folder.path);
    const tree = new HandMadeTree(folder.at('var'));
    tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: large }]);
    tree.publish();
    token = (await runCli(['token', 'create', '--description', 'x', '--limit', '0'], { cwd: folder.path })).stdout;
  });
  afterAll(() => folder.remove());

  async function serve(...flags: readonly string[]): Promise<{ readonly server: RunningCli; readonly port: number }> {
    const server = startCli(['serve', '--listen', '127.0.0.1:0', ...flags], { cwd: folder.path });
    return { server, port: Number((await server.shows(/https?:\/\/127\.0\.0\.1:(\d+)/))[1]) };
  }

  const paths = ['/p2/acme/hello.json', '/packages.json', '/dist/acme/hello/1.0.0.zip'];

  interface Outcome {
    readonly whole: number;
    /** the answer that broke off */
    readonly broken: number;
    /**
     * The request that met the end of an idle connection. A machine that stops the client for a quarter of a second
     * makes it late; no server received it, and a client repeats it (RFC 9112 §9.3.1).
     */
    readonly late: number;
  }

  /** Sends one request after another on one connection until the server ends it. */
  async function askOn(port: number, onAnswer: () => void): Promise<Outcome> {
    const socket = await openConnection(port);
    let whole = 0;
    for (let turn = 0; ; turn += 1) {
      socket.write(`GET ${paths[turn % paths.length]} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      const { complete, last, begun } = await oneAnswer(socket);
      if (!complete) return { whole, broken: begun ? 1 : 0, late: begun ? 0 : 1 };
      whole += 1;
      onAnswer();
      if (last) return { whole, broken: 0, late: 0 };
    }
  }

  function oneAnswer(
    socket: Awaited<ReturnType<typeof openConnection>>,
  ): Promise<{ readonly complete: boolean; readonly last: boolean; readonly begun: boolean }> {
    return new Promise((resolve) => {
      const parts: Buffer[] = [];
      let [size, wanted, head] = [0, Infinity, ''];
      const settle = (complete: boolean): void => {
        socket.off('data', take);
        socket.off('close', lost);
        resolve({ complete, last: /^connection: close/im.test(head), begun: size > 0 });
      };
      const lost = (): void => settle(false);
      const take = (part: Buffer): void => {
        parts.push(part);
        size += part.length;
        if (wanted === Infinity) {
          head = Buffer.concat(parts).toString('latin1').split('\r\n\r\n', 1)[0] ?? '';
          wanted = head.length + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1]);
        }
        if (size >= wanted) settle(head.startsWith('HTTP/1.1 200'));
      };
      socket.on('data', take);
      socket.on('close', lost);
    });
  }

  it('aborts no answer over HTTP/1.1, and the process exits with 0', async () => {
    const { server, port } = await serve();
    let answers = 0;
    const clients = Array.from({ length: 24 }, () =>
      askOn(port, () => {
        answers += 1;
        if (answers === 300) server.signal('SIGTERM');
      }),
    );
    const outcomes = await Promise.all(clients);
    const { exitCode, stdout } = await server.ended;
    const sumOf = (what: keyof Outcome): number => outcomes.reduce((sum, outcome) => sum + outcome[what], 0);
    expect([exitCode, sumOf('broken'), sumOf('late') < clients.length]).toEqual([0, 0, true]);
    const served = logLines(stdout).filter((line) => line['method'] !== undefined);
    // a received request without an answer would be a line too
    expect([served.length, served.filter(({ aborted }) => aborted === true)]).toEqual([sumOf('whole'), []]);
  });

  it('aborts no answer over HTTP/2, and the process exits with 0', async () => {
    const { certFile, keyFile } = authority.issue('one');
    const { server, port } = await serve('--tls-cert', certFile, '--tls-key', keyFile);
    let [answers, signalled] = [0, false];
    const clients = await Promise.all(Array.from({ length: 4 }, () => connectHttp2(port, authority)));
    await Promise.all(
      clients.map(async (client) => {
        for (let turn = 0; !client.session.closed && !client.session.destroyed; turn += 1) {
          const asked = Array.from({ length: 8 }, (_, at) =>
            client.ask(paths[(turn + at) % paths.length] ?? '/', { authorization: `Bearer ${token}` }),
          );
          for (const outcome of await Promise.allSettled(asked))
            if (outcome.status === 'fulfilled' && outcome.value.status === 200) answers += 1;
          if (answers > 200 && !signalled) {
            signalled = true;
            server.signal('SIGTERM');
          }
        }
      }),
    );
    const { exitCode, stdout } = await server.ended;
    const served = logLines(stdout).filter((line) => line['method'] !== undefined);
    // the GOAWAY tells the client that later requests were not processed
    expect([
      exitCode,
      served.length,
      served.filter(({ status, aborted }) => status !== 200 || aborted === true),
    ]).toEqual([0, answers, []]);
    for (const client of clients) await client[Symbol.asyncDispose]();
  });
});
