// Tests faults of a server that no request causes: a crash (row 87), a second server, damaged data,
// an unreadable standard error.

import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { libraryTree, writeTree } from '../util/package-tree.ts';
import { startRedis } from '../util/redis-server.ts';
import {
  binary,
  cleanEnvironment,
  logLines,
  runCli,
  startCli,
  type CliOutcome,
  type RunningCli,
} from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { describeInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
const running: RunningCli[] = [];
beforeEach(() => void (folder = temporaryFolder('cli-serve')));
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.signal('SIGKILL');
    await server.ended;
  }
  await folder.remove();
});

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const serve = async (
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly server: RunningCli; readonly url: string }> => {
  const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment });
  running.push(server);
  return { server, url: (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0] };
};
const buildHello = async (size = 10): Promise<void> => {
  writeTree(folder.at('hello'), { ...libraryTree('acme/hello', { version: '1.0.0' }), noise: randomBytes(size) });
  expect((await run('build', 'hello')).exitCode).toBe(0);
};
const createToken = async (): Promise<string> => (await run('token', 'create', '--description', 'x')).stdout;
const download = (url: string, token: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) =>
    get(url, { headers: { authorization: `Bearer ${token}` } }, resolve).on('error', reject),
  );

/** Resolves once no server answers at the address. */
async function refused(url: string): Promise<void> {
  for (;;) {
    const answered = await download(`${url}/health`, '').then(
      (response) => response.resume(),
      (error: Error & { code?: string }) => error.code,
    );
    if (answered === 'ECONNREFUSED') return;
  }
}

describeInSeries('a crash', () => {
  it('completes running requests, accepts no new ones, is logged, and exits with 1', async () => {
    await buildHello(4_000_000);
    const token = await createToken();
    writeFileSync(
      folder.at('crash.mjs'),
      "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('boom'); }));",
    );
    const { server, url } = await serve({ NODE_OPTIONS: `--import ${folder.at('crash.mjs')}` });
    const response = await download(`${url}/dist/acme/hello/1.0.0.zip`, token);
    server.signal('SIGUSR2');
    await server.shows(/unexpected error: boom/);
    await refused(url);
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(Number(response.headers['content-length']));
    const { exitCode, stdout } = await server.ended;
    expect(exitCode).toBe(1);
    expect(logLines(stdout).filter(({ path }) => path !== '/health')).toMatchObject([
      { level: 60, err: { message: 'boom', stack: expect.stringContaining('crash.mjs') as string } },
      { status: 200, bytes },
    ]);
  });
});

describe('two servers on one data folder', () => {
  it('the second server without a Redis refuses and names the first; after a hard crash or a clean end it starts', async () => {
    await buildHello();
    const { server } = await serve();
    const { exitCode, stdout, stderr } = await run('serve', '--listen', '127.0.0.1:0');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^libretto: The process ${server.pid} on .* already uses this data folder .*--redis URL\\.$`),
    );
    server.signal('SIGKILL');
    await server.ended;
    expect(existsSync(folder.at('var/state/serve.lock'))).toBe(true);
    const next = await serve();
    next.server.signal('SIGTERM');
    expect((await next.server.ended).exitCode).toBe(0);
    expect(existsSync(folder.at('var/state/serve.lock'))).toBe(false);
  });
});

describeInSeries.skipIf(lacks('redis-server'))(
  'a server with its own counters next to one that counts in Redis',
  () => {
    it('refuses whichever starts second, with the next step; several servers with one Redis start', async () => {
      await buildHello();
      const redis = await startRedis();
      try {
        const shared = await serve({ LIBRETTO_REDIS: redis.url });
        const second = await serve({ LIBRETTO_REDIS: redis.url });
        const alone = await run('serve', '--listen', '127.0.0.1:0');
        expect(alone).toMatchObject({
          exitCode: 2,
          stdout: '',
          stderr: expect.stringMatching(
            /^libretto: The process \d+ on .* already uses this data folder .* It counts requests in a Redis, and this server would count them for itself.*--redis URL/,
          ) as string,
        });
        shared.server.signal('SIGKILL'); // its remains block no other server
        await shared.server.ended;
        second.server.signal('SIGTERM');
        await second.server.ended;
        const { server } = await serve();
        const beside = await run('serve', '--listen', '127.0.0.1:0', '--redis', redis.url);
        expect(beside).toMatchObject({
          exitCode: 2,
          stdout: '',
          stderr: expect.stringMatching(
            new RegExp(
              `^libretto: The process ${server.pid} on .* It counts requests for itself, and this server would count them in a Redis.*--redis URL`,
            ),
          ) as string,
        });
        expect(readdirSync(folder.at('var/state/serving'))).toEqual([]);
      } finally {
        await redis.stop();
      }
    });
  },
);

describe('unusable data', () => {
  it.each([[['serve', '--listen', '127.0.0.1:0']], [['token', 'list']]])(
    'that is damaged makes %j exit with 2 and name the restore',
    async (command) => {
      await createToken();
      writeFileSync(folder.at('var/state/data.mdb'), 'junk');
      expect(await run(...command)).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^libretto: The state .* is damaged: .*`libretto restore BACKUP --state-only`/,
        ) as string,
      });
    },
  );
});

describeInSeries('a standard error that cannot be written', () => {
  it.skipIf(!existsSync('/dev/full'))('stops neither a build nor the creation of a token', async () => {
    writeTree(folder.at('hello'), { ...libraryTree('acme/hello', { version: '1.0.0' }) });
    writeTree(folder.at('bad'), { 'composer.json': '{' });
    const deaf = async (
      ...args: readonly string[]
    ): Promise<readonly [exitCode: number | undefined, stdout: string]> => {
      const { exitCode, stdout } = await execa(
        'sh',
        ['-c', 'exec "$0" "$@" 2> /dev/full', process.execPath, binary, ...args],
        { cwd: folder.path, env: cleanEnvironment(), extendEnv: false, reject: false },
      );
      return [exitCode, stdout];
    };
    // 1 because of the excluded version
    expect(await deaf('build', 'hello', 'bad')).toEqual([1, expect.stringContaining('Published: 1 added')]);
    expect(await deaf('token', 'create', '--description', 'x')).toEqual([0, expect.stringMatching(/^lib_r_\w+$/)]);
  });
});
