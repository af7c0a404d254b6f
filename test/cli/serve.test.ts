// Tests `libretto serve`: its messages, refusals and signals (row 88). Commands apply to a running server at once.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { libraryTree, writeTree } from '../util/package-tree.ts';
import { logLines, runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let running: RunningCli | undefined;
beforeEach(() => void (folder = temporaryFolder('cli-serve')));
afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
  running = undefined;
  await folder.remove();
});

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const serve = async (...flags: readonly string[]): Promise<{ readonly server: RunningCli; readonly url: string }> => {
  const server = startCli(['serve', '--listen', '127.0.0.1:0', ...flags], { cwd: folder.path });
  running = server;
  return { server, url: (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0] };
};
const buildHello = async (size = 10): Promise<void> => {
  // incompressible
  writeTree(folder.at('hello'), { ...libraryTree('acme/hello', { version: '1.0.0' }), noise: randomBytes(size) });
  expect((await run('build', 'hello')).exitCode).toBe(0);
};
const createToken = async (...flags: readonly string[]): Promise<{ readonly id: string; readonly token: string }> =>
  JSON.parse((await run('token', 'create', '--description', 'x', '--json', ...flags)).stdout) as {
    id: string;
    token: string;
  };
const fetchStatus = async (
  url: string,
  token: string,
): Promise<{ readonly status: number; readonly remaining: string | null }> => {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return { status: response.status, remaining: response.headers.get('x-ratelimit-remaining') };
};
const download = (url: string, token: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) =>
    get(url, { headers: { authorization: `Bearer ${token}` } }, resolve).on('error', reject),
  );

describe('the messages of serve', () => {
  it('name the address and the metadata-url on standard error, and standard output has the request log', async () => {
    await buildHello();
    const { token } = await createToken();
    const { server, url } = await serve();
    expect((await fetchStatus(`${url}/packages.json`, token)).status).toBe(200);
    server.signal('SIGTERM');
    const { exitCode, stdout, stderr } = await server.ended;
    expect(exitCode).toBe(0);
    expect(stderr.replace(/set_\w+/, 'set_…')).toBe(
      `Data folder: ${folder.at('var')} (default)\nServing 1 package on ${url}.\nThere is no user yet. To create the first admin, open this page within an hour:\n  ${url}/ui/setup?code=set_…\nOr run \`libretto user create --admin --email EMAIL\` here.\nStopping after the requests in progress. Press Ctrl+C again to stop at once.\n`,
    );
    expect(logLines(stdout)).toMatchObject([{ method: 'GET', path: '/packages.json', status: 200 }]);
    expect(stdout).not.toContain(token);

    // a clean restart keeps the counts, and limits.read applies
    writeTree(folder.path, { 'libretto.json': { json: { limits: { read: 10 } } } });
    const second = await serve();
    expect((await fetchStatus(`${second.url}/packages.json`, token)).remaining).toBe('8');
  });

  itInSeries('appear with --log none too, only without the request log', async () => {
    await buildHello();
    const { token } = await createToken();
    const { server, url } = await serve('--log', 'none');
    expect((await fetchStatus(`${url}/packages.json`, token)).status).toBe(200);
    writeFileSync(folder.at('var/public/packages.json'), 'damaged');
    expect((await fetchStatus(`${url}/health/ready`, token)).status).toBe(500);
    server.signal('SIGTERM');
    const { stdout } = await server.ended;
    expect(logLines(stdout)).toMatchObject([{ level: 50, msg: 'a request failed' }]);
  });

  itInSeries(
    'say the limit of open files, and the number that a server needs, where the limit is too low',
    async () => {
      await buildHello();
      const through = ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'];
      const outcome = await startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, through }).ended;
      expect([outcome.exitCode, outcome.stderr]).toEqual([
        1,
        expect.stringMatching(
          /^libretto: too many open files: this process may open 64, and a server needs 10000\. Raise/m,
        ),
      ]);
      expect(outcome.stderr).not.toContain('unexpected');
    },
  );

  itInSeries(
    'report a degraded server while its Redis is missing; --metadata-url replaces the one of the build',
    async () => {
      await buildHello();
      const { token } = await createToken();
      const flags = ['--redis', 'redis://:hunter2@127.0.0.1:1/0', '--metadata-url', '/p2/%package%.json'];
      const { server, url } = await serve(...flags);
      await server.shows(
        /Degraded: Redis cannot be used \(.*\)\. Requests are counted in this process until it is back\./,
      );
      expect(await fetchStatus(`${url}/packages.json`, token)).toEqual({ status: 200, remaining: '999' });
      expect(server.output().stderr).not.toContain('hunter2');
      const headers = { authorization: `Bearer ${token}` };
      const root = (await (await fetch(`${url}/packages.json`, { headers })).json()) as Record<string, unknown>;
      expect(root['metadata-url']).toBe('/p2/%package%.json');
    },
  );
});

describe('the refusals of serve', () => {
  it('name the setting of a port in use, with exit code 2, and leave no new data folder', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      expect(
        await runCli(['serve', '--data', 'new'], {
          cwd: folder.path,
          environment: { LIBRETTO_LISTEN: `127.0.0.1:${port}` },
        }),
      ).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: `libretto: Cannot listen on 127.0.0.1:${port} (LIBRETTO_LISTEN): another program listens there already. Stop it, or choose another address with --listen.`,
      });
      for (const args of [
        ['start', '--data', 'new', '--listen', `127.0.0.1:${port}`],
        ['serve', '--data', 'new', '--listen', '127.0.0.1:0', '--metrics', `127.0.0.1:${port}`],
        ['serve', '--data', 'new', '--listen', '127.0.0.1:0', '--console-listen', `127.0.0.1:${port}`],
        ['serve', '--data', 'new', '--listen', `127.0.0.1:${port}`, '--workers', '2', '--redis', 'redis://127.0.0.1:1'],
      ])
        expect(await runCli(args, { cwd: folder.path }), args.join(' ')).toMatchObject({
          exitCode: 2,
          stderr: expect.stringContaining(`libretto: Cannot listen on 127.0.0.1:${port} (`),
        });
      expect(existsSync(folder.at('new'))).toBe(false);
    } finally {
      other.close();
    }
  });

  it('name an address of another machine and an unwritable log, with exit code 2', async () => {
    expect(await run('serve', '--listen', '192.0.2.1:8080')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('this machine does not have that address') as string,
    });
    expect(await run('serve', '--listen', '127.0.0.1:0', '--log', folder.path)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/^libretto: The request log .* \(--log\) cannot be written: /) as string,
    });
  });
});

describe('commands on a running server', () => {
  it('building, and creating, updating and revoking a token apply to the next request', async () => {
    const { server, url } = await serve();
    const { id, token } = await createToken();
    expect(server.output().stderr).toContain(
      `Warning: nothing is published in ${folder.at('var')}. Run \`libretto build SOURCE\`; this server serves the packages at once.`,
    );
    expect((await fetchStatus(`${url}/packages.json`, token)).status).toBe(500);
    await buildHello();
    expect(await fetchStatus(`${url}/packages.json`, token)).toEqual({ status: 200, remaining: '998' });
    await run('token', 'update', id, '--limit', '4');
    expect(await fetchStatus(`${url}/packages.json`, token)).toEqual({ status: 200, remaining: '1' });
    await run('token', 'update', id, '--limit', '0');
    expect(await fetchStatus(`${url}/packages.json`, token)).toEqual({ status: 200, remaining: null });
    await run('token', 'revoke', id);
    expect(await fetchStatus(`${url}/packages.json`, token)).toEqual({ status: 401, remaining: null });
  });
});

describe('signals to serve', () => {
  itInSeries('a second SIGINT ends the server at once, even during a download', async () => {
    await buildHello(16_000_000);
    const { token } = await createToken();
    const { server, url } = await serve();
    const response = await download(`${url}/dist/acme/hello/1.0.0.zip`, token); // the client does not read it
    response.on('error', () => undefined);
    server.signal('SIGINT');
    await server.shows(/Stopping/);
    const again = setInterval(() => server.signal('SIGINT'), 100); // an immediate repetition counts as the same signal
    expect((await server.ended).exitCode).toBe(130);
    clearInterval(again);
  });

  it('SIGHUP reopens the log after it was moved away, and SIGTERM lets a download finish', async () => {
    await buildHello(4_000_000);
    const { token } = await createToken();
    const { server, url } = await serve('--log', 'logs/requests.log');
    await server.shows(/Requests are logged to .*logs\/requests\.log\./);
    await fetchStatus(`${url}/packages.json`, token);
    renameSync(folder.at('logs/requests.log'), folder.at('logs/old.log'));
    server.signal('SIGHUP');
    while (!existsSync(folder.at('logs/requests.log'))) await delay(20);
    const archive = '/dist/acme/hello/1.0.0.zip';
    const response = await download(`${url}${archive}`, token);
    server.signal('SIGTERM');
    await server.shows(/Stopping/);
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(Number(response.headers['content-length']));
    expect((await server.ended).exitCode).toBe(0);
    for (const file of ['logs/old.log', 'logs/requests.log'])
      expect(statSync(folder.at(file)).mode & 0o007, file).toBe(0); // client addresses are private
    const paths = (file: string): unknown[] => logLines(readFileSync(folder.at(file), 'utf8')).map(({ path }) => path);
    expect(paths('logs/old.log').concat(paths('logs/requests.log'))).toEqual(['/packages.json', archive]);
  });
});
