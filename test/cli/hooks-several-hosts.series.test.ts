// Tests webhooks on three servers with one state in Redis and one shared data folder (row 91): each delivery counts
// once, and no repository is synced twice at once.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { sendGitHubHook, type HookReply } from '../util/github-hook.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

type Json = Record<string, unknown>;
interface Hook {
  readonly deliveries: readonly { readonly provider_id: string; readonly syncs: readonly Json[] }[];
}

describe.skipIf(lacks('redis-server'))('three hosts', () => {
  let folder: TemporaryFolder;
  let redis: RedisServer;
  let id = '';
  let secret = '';
  let urls: readonly string[] = [];
  const servers: RunningCli[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    folder = temporaryFolder('hook-hosts');
    mkdirSync(folder.at('sources/tool'), { recursive: true });
    writeFileSync(folder.at('sources/tool/composer.json'), JSON.stringify({ name: 'acme/tool', version: '1.0.0' }));
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', sourceRoots: [folder.at('sources')] }));
    const added = await cli('repository', 'add', folder.at('sources'), '--type', 'directory', '--json');
    id = String((JSON.parse(added) as Json)['id']);
    secret = (await cli('repository', 'hook', id)).trim();
    for (let count = 0; count < 3; count += 1)
      servers.push(startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment: environment() }));
    urls = await Promise.all(servers.map(async (server) => (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0]));
  });
  afterAll(async () => {
    for (const server of servers) {
      server.signal('SIGTERM');
      await server.ended;
    }
    await redis.stop();
    await folder.remove();
  });

  const environment = (): Record<string, string> => ({ LIBRETTO_STATE: redis.url });
  const cli = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout } = await runCli(args, { cwd: folder.path, environment: environment() });
    expect(exitCode).toBe(0);
    return stdout;
  };
  const send = (url: string, delivery: string): Promise<HookReply> =>
    sendGitHubHook({ address: `${url}/hooks/${id}`, secret, delivery });
  const hook = async (): Promise<Hook> => JSON.parse(await cli('repository', 'hook', id, '--json')) as Hook;
  const answered = (count: number): Promise<Hook> =>
    vi.waitFor(
      async () => {
        const found = await hook();
        const done = found.deliveries.filter(({ syncs }) => syncs[0]?.['state'] === 'succeeded');
        expect(done).toHaveLength(count);
        return found;
      },
      { timeout: 60_000, interval: 300 },
    );

  it('take each delivery once, whichever of them gets it first', async () => {
    const statuses = (await Promise.all(urls.map((url) => send(url, 'same')))).map(({ status, json }) => [
      status,
      json['status'],
    ]);
    expect(statuses.toSorted()).toEqual([
      [202, 'accepted'],
      [202, 'repeated'],
      [202, 'repeated'],
    ]);
    expect((await answered(1)).deliveries).toHaveLength(1);
  });

  it('together run one sync of a repository at a time, and one more for what arrived meanwhile', async () => {
    const sent = await Promise.all(Array.from({ length: 9 }, (_, at) => send(urls[at % 3]!, `push ${at}`)));
    expect(new Set(sent.map(({ json }) => json['status']))).toEqual(new Set(['accepted']));
    const { deliveries } = await answered(10);
    const jobs = new Set(deliveries.flatMap(({ syncs }) => syncs.map((sync) => sync['job_id'])));
    expect(jobs.size).toBeLessThanOrEqual(3);
  });

  it('answer 503 with Retry-After while their Redis is away, and keep the same delivery afterwards', async () => {
    await redis.command('SAVE');
    await redis.kill();
    expect(await send(urls[0]!, 'later')).toMatchObject({
      status: 503,
      retryAfter: 5,
      json: { code: 'HOOK_NOT_KEPT', details: {} },
    });
    await redis.restart();
    await vi.waitFor(
      async () => expect(await send(urls[0]!, 'later')).toMatchObject({ status: 202, json: { status: 'accepted' } }),
      { timeout: 60_000, interval: 200 },
    );
  });
});
