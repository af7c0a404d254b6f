// Tests a Redis that returns without its last changes, as after a power loss: the server reports how many are lost at
// least. A snapshot before the revocation plays the disk.

import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { libraryTree, writeTree } from '../util/package-tree.ts';
import { startRedis } from '../util/redis-server.ts';
import { runCli, startCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

it.skipIf(lacks('redis-server'))(
  'a revocation that Redis lost is reported, and applies once it is repeated',
  async () => {
    const folder = temporaryFolder('cli-redis-lost-changes');
    const redis = await startRedis();
    const environment = { LIBRETTO_STATE: redis.url };
    const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path, environment });
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    expect(await run('build', 'hello')).toMatchObject({ exitCode: 0 });
    const { id, token } = JSON.parse((await run('token', 'create', '--description', 'x', '--json')).stdout) as {
      id: string;
      token: string;
    };
    const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment });
    try {
      const [url] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
      await server.shows(/There is no user yet/); // the last change that the server makes at its start
      const answers = async (wanted: number): Promise<void> => {
        const ask = async (): Promise<number> => {
          const response = await fetch(`${url}/packages.json`, { headers: { authorization: `Bearer ${token}` } });
          await response.arrayBuffer();
          return response.status;
        };
        while ((await ask()) !== wanted) await delay(20);
      };
      await answers(200);
      await redis.command('SAVE');
      expect(await run('token', 'revoke', id)).toMatchObject({ exitCode: 0 });
      await answers(401);
      await redis.kill();
      await server.shows(/The Redis of the state cannot be used/);
      await redis.restart();
      await server.shows(/came back without its last changes, 1 at least\. .*`libretto audit list`/);
      await answers(200);
      expect(await run('token', 'revoke', id)).toMatchObject({ exitCode: 0 });
      await answers(401);
      expect(server.output().stderr.match(/without its last changes/g)).toHaveLength(1);
    } finally {
      server.signal('SIGKILL');
      await server.ended;
      await redis.stop();
      await folder.remove();
    }
  },
);
