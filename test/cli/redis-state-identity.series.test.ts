// Tests a state in Redis that was emptied or replaced by another one: neither commands nor servers use it, and the way
// back is named (I13, I20). Known tokens of an outage survive an earlier reconnection.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { libraryTree, writeTree } from '../util/package-tree.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

describe.skipIf(lacks('redis-server'))('a state in Redis with an identity', () => {
  let folder: TemporaryFolder;
  let redis: RedisServer;
  let server: RunningCli | undefined;
  let url: string;
  let token: string;

  const run = (...args: readonly string[]): Promise<CliOutcome> =>
    runCli(args, { cwd: folder.path, environment: { LIBRETTO_STATE: redis.url, LIBRETTO_STATE_GRACE: '20' } });
  const createToken = async (...args: readonly string[]): Promise<string> =>
    (JSON.parse((await run('token', 'create', '--description', 'x', '--json', ...args)).stdout) as { token: string })
      .token;
  const status = async (bearer: string): Promise<number> => {
    const response = await fetch(`${url}/packages.json`, { headers: { authorization: `Bearer ${bearer}` } });
    await response.arrayBuffer();
    return response.status;
  };
  const setUp = async (): Promise<unknown> => {
    const body = JSON.stringify({
      setup_code: `set_${'0'.repeat(32)}`,
      email: 'ada@example.org',
      name: 'Ada',
      password: 'a long enough password',
    });
    return (
      await fetch(`${url}/api/auth/setup`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    ).json();
  };
  const until = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
    while (!(await holds())) await delay(20);
  };
  /** how many scripts Redis has run: polls of the server, and its reads */
  const scriptCalls = async (): Promise<number> =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(await redis.command('INFO', 'commandstats')))?.[1]);
  const serve = async (): Promise<RunningCli> => {
    const started = startCli(['serve', '--listen', '127.0.0.1:0'], {
      cwd: folder.path,
      environment: { LIBRETTO_STATE: redis.url, LIBRETTO_STATE_GRACE: '20' },
    });
    server = started;
    [url] = (await started.shows(/http:\/\/127\.0\.0\.1:\d+/)) as unknown as [string];
    await started.shows(/There is no user yet/); // the last row that a server writes at its start
    return started;
  };

  beforeAll(async () => void (redis = await startRedis()));
  afterAll(() => redis.stop());
  beforeEach(async () => {
    folder = temporaryFolder('cli-redis-identity');
    await redis.command('FLUSHALL');
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    expect(await run('build', 'hello')).toMatchObject({ exitCode: 0 });
    token = await createToken();
  });
  afterEach(async () => {
    server?.signal('SIGKILL');
    await server?.ended;
    server = undefined;
    await folder.remove();
  });

  itInSeries('is missed by commands that read it where neither a data folder nor a state is', async () => {
    const options = { cwd: folder.at('hello'), environment: { LIBRETTO_STATE: `${redis.url}/7` } };
    const commands = ['token list', 'audit verify', 'user list', 'config export --out -'];
    for (const { exitCode, stdout, stderr } of await Promise.all(
      commands.map((command) => runCli(command.split(' '), options)),
    ))
      expect([exitCode, stdout, stderr]).toEqual([
        2,
        '',
        expect.stringMatching(/There is no state in redis:\S+\/7\. Check the address, and the number of the database/),
      ]);
  });

  it('that was emptied is refused by commands and servers, and works again after a restore', async () => {
    const serving = await serve();
    expect(await run('backup', 'kept')).toMatchObject({ exitCode: 0 });
    expect(await status(token)).toBe(200);
    await redis.command('FLUSHALL');
    const refused = {
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /There is no state in redis:.*`libretto restore BACKUP --state-only`.*`libretto restore --empty --force`/,
      ) as string,
    };
    expect(
      await Promise.all([
        run('token', 'create', '--description', 'y'),
        run('token', 'list'),
        run('backup', 'worthless'),
      ]),
    ).toEqual([refused, refused, refused]);
    expect(await redis.command('DBSIZE')).toBe(0);
    // the server accepts a known token until its next poll (I13)
    await serving.shows(/The state is gone/);
    expect([await status(token), await setUp()]).toEqual([500, expect.objectContaining({ code: 'STATE_BUSY' })]);

    // a data folder without a recorded identity starts a new state there, and the server does not use it
    const foreign = await createToken('--data', 'elsewhere');
    expect([await status(foreign), await status(token)]).toEqual([500, 500]);
    expect(await run('token', 'list')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is not the state of this data folder') as string,
    });

    await redis.command('FLUSHALL');
    expect(await run('restore', 'kept', '--state-only')).toMatchObject({ exitCode: 0 });
    await until(async () => (await status(token)) === 200);
    expect(await status(foreign)).toBe(401);
  });

  itInSeries(
    'belongs to a data folder from its first build, and is not replaced by a state in the folder',
    async () => {
      const local = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
      const forgotten = ['token', 'create', '--description', 'x', '--data', 'first'];
      expect(await run('build', 'hello', '--data', 'first')).toMatchObject({ exitCode: 0 });
      expect(await local(...forgotten)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('is in a Redis (redis://127.0.0.1:') as string,
      });
      expect(await run(...forgotten)).toMatchObject({ exitCode: 0 });

      await redis.command('FLUSHALL');
      expect(await run(...forgotten)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('but this data folder had one (st_') as string,
      });
      expect(await local('restore', '--empty', '--force', '--data', 'first')).toMatchObject({ exitCode: 0 });
      expect(await local(...forgotten)).toMatchObject({ exitCode: 0 });
    },
  );

  itInSeries(
    'that was damaged is replaced by a restore, and the server continues; a sound state is left alone',
    async () => {
      await serve();
      expect(await run('backup', 'kept')).toMatchObject({ exitCode: 0 });
      expect(await run('restore', 'kept', '--state-only')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('already contains a state') as string,
      });
      const [known, later] = [await status(token), await createToken()];
      expect([known, await status(later)]).toEqual([200, 200]);
      await redis.command('HSET', 'libretto:state:rows', 'audit/head', '9:5');
      expect(await run('doctor')).toMatchObject({
        exitCode: 1,
        stdout: expect.stringMatching(/"audit" is malformed.*`libretto restore BACKUP --state-only`/) as string,
      });
      expect(await run('restore', 'kept', '--state-only')).toMatchObject({
        exitCode: 0,
        stderr: expect.stringMatching(/kept as the keys libretto:state:replaced-\S+:\* of redis:/) as string,
      });
      await until(async () => (await status(later)) === 401 && (await status(token)) === 200);
      expect(await run('token', 'list')).toMatchObject({ exitCode: 0 });
      expect(await redis.command('KEYS', 'libretto:state:replaced-*')).toHaveLength(3);
    },
  );

  itInSeries.each([
    ['its identity is lost', ['HDEL', 'libretto:state:meta', 'identity'], 'has no identity'],
    ['its meta is lost', ['DEL', 'libretto:state:meta'], 'is missing, and the key libretto:state:rows holds'],
  ])(
    'that is damaged because %s is only read by commands, the log names the reason, and a restore repairs it',
    async (_what, loss, words) => {
      const serving = await serve();
      expect(await run('backup', 'kept')).toMatchObject({ exitCode: 0 });
      expect(await status(token)).toBe(200);
      await redis.command(...(loss as [string, ...string[]]));
      const fields = await redis.command('HGETALL', 'libretto:state:meta');
      const damage = new RegExp(
        `is damaged: the key libretto:state:meta ${words}.*\`libretto restore BACKUP --state-only\``,
      );
      await serving.shows(damage);
      expect(await status(token)).toBe(500);
      expect(await run('token', 'list')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(damage) as string,
      });
      expect(await run('doctor')).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(damage) as string });
      expect(await redis.command('HGETALL', 'libretto:state:meta')).toEqual(fields);
      expect(await run('restore', 'kept', '--state-only')).toMatchObject({ exitCode: 0 });
      await until(async () => (await status(token)) === 200);
      expect(await run('token', 'list')).toMatchObject({ exitCode: 0 });
    },
  );

  it.each([
    ['a row', 'rows', 'audit/head', '9:{'],
    ['its identity', 'meta', 'identity', 'x'],
  ])('with %s damaged is given up by `restore --empty --force` alone', async (_what, hash, field, value) => {
    await redis.command('HSET', `libretto:state:${hash}`, field, value);
    expect(await run('doctor')).toMatchObject({ exitCode: 1 });
    expect(await run('restore', '--empty', '--force')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /An empty state was made.*[^]*is kept as the keys libretto:state:replaced-/,
      ) as string,
    });
    expect(await run('token', 'list')).toMatchObject({ exitCode: 0 });
  });

  itInSeries(
    'that was started anew by `restore --empty --force` is used by a new server, and not by a running one',
    async () => {
      const before = await serve();
      await redis.command('FLUSHALL');
      expect(await run('restore', '--empty')).toMatchObject({ exitCode: 2 });
      expect(await run('restore', '--empty', '--force')).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('An empty state was made in redis://') as string,
      });
      const next = await createToken();
      expect([await status(next), await status(token)]).toEqual([500, 500]);
      before.signal('SIGTERM');
      await before.ended;
      await serve();
      expect([await status(next), await status(token)]).toEqual([200, 401]);
    },
  );

  it('keeps idle tokens valid through an outage after a reconnection, and not those revoked meanwhile', async () => {
    const serving = await serve();
    const [idle, revoked] = [
      await createToken(),
      JSON.parse((await run('token', 'create', '--description', 'x', '--json')).stdout) as {
        id: string;
        token: string;
      },
    ];
    for (const known of [token, idle, revoked.token]) expect(await status(known)).toBe(200);
    redis.freeze();
    await serving.shows(/The Redis of the state cannot be used/);
    redis.thaw();
    for (const type of ['normal', 'pubsub']) await redis.command('CLIENT', 'KILL', 'TYPE', type);
    expect(await run('token', 'revoke', revoked.id)).toMatchObject({ exitCode: 0 });
    await serving.shows(/The Redis of the state is back/);
    await until(async () => (await status(token)) === 200 && (await status(revoked.token)) === 401);
    // with the answer to its next poll, the server reads its known rows again
    const before = await scriptCalls();
    await until(async () => (await scriptCalls()) >= before + 3);
    await redis.kill();
    expect(await status(idle)).toBe(200);
    expect([401, 500]).toContain(await status(revoked.token));
    await redis.restart();
  });

  itInSeries('makes a command exit with 75 when Redis stopped, whether it is gone or silent', async () => {
    redis.freeze();
    expect(await run('token', 'list')).toMatchObject({
      exitCode: 75,
      stderr: expect.stringContaining('Check that this Redis runs') as string,
    });
    redis.thaw();
    await redis.kill();
    expect(await run('token', 'create', '--description', 'x')).toMatchObject({ exitCode: 75, stdout: '' });
  });
});
