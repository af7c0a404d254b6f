// Tests a state in Redis whose key has another type, or whose row is missing or no JSON. Each command that checks the
// state names the damage and the way back. A server neither starts on the state nor accepts any token (I13, I20).

import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { libraryTree, writeTree } from '../util/package-tree.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const [rows, order, meta] = ['rows', 'order', 'meta'].map((name) => `libretto:state:${name}`) as [
  string,
  string,
  string,
];
const limit = 'setting/limits.read';
/** A row that no server reads at its start, unless it reads all rows. */
const event = 'audit/event/000000000001';

/** Commands of redis-cli, and the damage that each message names. */
const damages: readonly (readonly [title: string, commands: readonly (readonly string[])[], named: RegExp])[] = [
  ['the list of keys is a string', [['SET', order, 'x']], /the key libretto:state:order is no sorted set/],
  ['the rows are a list', [['DEL', rows], ['LPUSH', rows, 'x']], /the key libretto:state:rows is no hash/], // oxfmt-ignore
  ['the head is a string', [['SET', meta, 'x']], /the key libretto:state:meta is no hash/],
  ['the list of keys is gone', [['DEL', order]], /the key libretto:state:order lists 0; the row \S+ is missing/],
  ['a row is missing', [['HDEL', rows, limit]], /the row setting\/limits\.read is missing in libretto:state:rows/],
  ['a row is not listed', [['ZREM', order, limit]], /the row setting\/limits\.read is missing in libretto:state:order/],
  [
    'a row is missing and not listed',
    [
      ['HDEL', rows, limit],
      ['ZREM', order, limit],
    ],
    /libretto:state:rows holds \d+ rows, and the last change left \d+/,
  ],
  ['all rows are missing and not listed', [['DEL', rows, order]], /libretto:state:rows holds 0 rows/],
  ['a row is no JSON', [['HSET', rows, event, '9:{']], /The row audit\/event\/0+1 .*is malformed/],
  ['a row has no revision', [['HSET', rows, event, 'x:7']], /The row audit\/event\/0+1 .*is malformed/],
];

/** One damage of each kind. `doctor`, `backup` and `serve` name each. */
const checkedByAll = new Set(['the list of keys is a string', 'a row is missing', 'a row is no JSON']);

describe.skipIf(lacks('redis-server'))('a damaged state in Redis', () => {
  let folder: TemporaryFolder;
  let redis: RedisServer;
  let environment: Readonly<Record<string, string>>;
  let server: RunningCli | undefined;

  const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path, environment });
  const createToken = async (): Promise<{ readonly id: string; readonly token: string }> =>
    JSON.parse((await run('token', 'create', '--description', 'x', '--json')).stdout) as { id: string; token: string };
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await delay(50); // fewer requests than the limit has, until the state is checked
  };

  beforeAll(async () => void (redis = await startRedis()));
  afterAll(() => redis.stop());
  beforeEach(async () => {
    folder = temporaryFolder('cli-redis-damage');
    await redis.command('FLUSHALL');
    environment = { LIBRETTO_STATE: redis.url };
    expect(await run('settings', 'set', 'limits.read', '70')).toMatchObject({ exitCode: 0 });
  });
  afterEach(async () => {
    server?.signal('SIGKILL');
    await server?.ended;
    server = undefined;
    await folder.remove();
  });

  it.each(damages)('makes commands name the damage and the way back: %s', async (title, commands, named) => {
    for (const [name = '', ...args] of commands) await redis.command(name, ...args);
    const examined = await run('doctor');
    const copied = await run('backup', 'kept');
    expect([examined.exitCode, copied.exitCode]).toEqual([1, 2]);
    const said = [examined.stdout, copied.stderr];
    if (checkedByAll.has(title)) {
      const served = await run('serve', '--listen', '127.0.0.1:0', '--data', folder.at('new-host'));
      expect(served.exitCode).toBe(2);
      said.push(served.stderr);
    }
    expect(existsSync(folder.at('kept'))).toBe(false);
    for (const text of said) {
      expect(text).toMatch(named);
      expect(text).toMatch(
        /`libretto restore BACKUP --state-only(?: --data \S+)?`.*`libretto restore --empty --force(?: --data \S+)?`/,
      );
    }
  });

  it('stops authentication when a key gets another type, and the server continues after a restore', async () => {
    const [known, revoked] = [await createToken(), await createToken()];
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    for (const args of [
      ['build', 'hello'],
      ['token', 'revoke', revoked.id],
      ['backup', 'kept'],
    ])
      expect(await run(...args)).toMatchObject({ exitCode: 0 });
    const serving = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment });
    server = serving;
    const [url] = await serving.shows(/http:\/\/127\.0\.0\.1:\d+/);
    const ask = async (token: string): Promise<readonly [number, string | null]> => {
      const response = await fetch(`${url}/packages.json`, { headers: { authorization: `Bearer ${token}` } });
      await response.arrayBuffer();
      return [response.status, response.headers.get('retry-after')];
    };
    const answers = async (): Promise<unknown> => [await ask(known.token), await ask(revoked.token)];
    const sound = [
      [200, null],
      [401, null],
    ];
    expect(await answers()).toEqual(sound);

    for (const [name = '', ...args] of [
      ['SET', order, 'x'],
      ['DEL', order],
      ['SET', rows, 'x'],
    ]) {
      // oxfmt-ignore
      await redis.command(name, ...args);
      await until(async () => (await ask(known.token))[0] === 500);
      expect(await answers()).toEqual([
        [500, '5'],
        [500, '5'],
      ]);
    }
    await serving.shows(
      /The state is damaged: the key libretto:state:order is no sorted set\. .*`libretto restore BACKUP --state-only`/,
    );
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
      status: 'degraded',
      metadata_url: null,
      tree: 'ok',
      state: 'unreadable',
    });
    expect(await run('token', 'revoke', known.id)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('libretto:state:rows is no hash') as string,
    });

    expect(await run('restore', 'kept', '--state-only')).toMatchObject({ exitCode: 0 });
    await until(async () => (await ask(known.token))[0] === 200);
    expect(await answers()).toEqual(sound);
    expect(serving.output().stderr.match(/The state is damaged/g)).toHaveLength(1);

    // /health and /health/ready report the state alike, in whichever way it is unreadable
    const saysUnreadable = async (path: string): Promise<boolean> =>
      (await (await fetch(`${url}/${path}`)).text()).includes('"state":"unreadable"');
    for (const [name = '', ...args] of [['HDEL', meta, 'identity'], ['FLUSHALL']]) {
      await redis.command(name, ...args);
      await until(() => saysUnreadable('health/ready'));
      expect([name, await saysUnreadable('health')]).toEqual([name, true]);
    }
  });
});
