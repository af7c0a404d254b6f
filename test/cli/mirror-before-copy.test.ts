// Tests a new host that shares the state of others, mirror settings included, before its copy of the tree has arrived.
// It does not know yet which names are private (I9).

import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { startRedis } from '../util/redis-server.ts';
import { runCli, startCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { startUpstream } from '../util/upstream.ts';

it.skipIf(lacks('redis-server'))(
  'the host requests nothing of another registry until a first copy has arrived',
  async () => {
    const folder = temporaryFolder('before-copy');
    const redis = await startRedis();
    await using upstream = await startUpstream();
    for (const name of ['acme/hello', 'some/lib']) upstream.put(name, [{ version: '9.0.0' }]);
    const environment = { LIBRETTO_STATE: redis.url };
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] } }));
    const run = async (...args: readonly string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await runCli(args, { cwd: folder.path, environment });
      expect(exitCode, stderr).toBe(0);
      return stdout;
    };
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    await run('build', 'hello', '--data', 'first');
    const token = await run('token', 'create', '--description', 'CI', '--data', 'first');
    await run('settings', 'set', 'mirroring.url', upstream.url, '--data', 'first');
    await run('settings', 'set', 'mirroring.enabled', 'true', '--data', 'first');
    mkdirSync(folder.at('second'));
    const server = startCli(['serve', '--listen', '127.0.0.1:0', '--data', 'second'], {
      cwd: folder.path,
      environment,
    });
    try {
      const [, url = ''] = await server.shows(/^Serving .* on (http:\/\/127\.0\.0\.1:\d+)/m);
      const statusOf = async (path: string): Promise<number> =>
        (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
      for (const path of ['/p2/acme/hello.json', '/p2/some/lib.json', '/dist/acme/hello/9.0.0.zip'])
        expect([path, await statusOf(path)]).toEqual([path, 500]);
      // the copy is incomplete: the announcement comes last
      cpSync(folder.at('first/public'), folder.at('second/public'), { recursive: true });
      expect(await statusOf('/p2/some/lib.json')).toBe(500);
      expect(upstream.server.requests).toEqual([]);
      cpSync(folder.at('first/index'), folder.at('second/index'), { recursive: true });
      await expect.poll(() => statusOf('/p2/some/lib.json'), { timeout: 60_000 }).toBe(200);
      expect(await statusOf('/p2/acme/hello.json')).toBe(200);
      expect(upstream.server.requests.filter(({ path }) => path.includes('acme'))).toEqual([]);
    } finally {
      server.signal('SIGKILL');
      await server.ended;
      await redis.stop();
      rmSync(folder.path, { recursive: true, force: true });
    }
  },
);
