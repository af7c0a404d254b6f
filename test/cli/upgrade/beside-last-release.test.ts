// Tests today's program on a state in Redis that servers of version 0.2.0 use, too (state-0.2.0.json, by
// write-state-rows.mjs): it reads their rows, and its own rows of the same kinds have all fields that 0.2.0 reads.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis, type RedisServer } from '../../util/redis-server.ts';
import { libraryTree, writeTree } from '../../util/package-tree.ts';
import { runCli, startCli, type CliOutcome } from '../../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../../util/temporary-folder.ts';
import { lacks } from '../../util/tool.ts';

type Fields = Readonly<Record<string, string>>;
const then = JSON.parse(readFileSync(join(import.meta.dirname, 'state-0.2.0.json'), 'utf8')) as {
  readonly tokens: Fields;
  readonly meta: Fields;
  readonly rows: Fields;
};

/** Kind of a row → the fields of its records. */
function fieldsByKind(rows: Fields): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [key, text] of Object.entries(rows)) {
    const value: unknown = JSON.parse(text.slice(text.indexOf(':') + 1));
    const kind = key.slice(0, key.indexOf('/'));
    if (typeof value !== 'object' || value === null || Array.isArray(value) || key.startsWith('audit/head')) continue;
    const fields = Object.keys(value);
    found.set(kind, new Set(found.has(kind) ? fields.filter((field) => found.get(kind)?.has(field)) : fields));
  }
  return found;
}

describe.skipIf(lacks('redis-server'))('beside 0.2.0', () => {
  let redis: RedisServer;
  let folder: TemporaryFolder;
  const libretto = (line: string, input = ''): Promise<CliOutcome> =>
    runCli(line.split(' '), { cwd: folder.path, environment: { LIBRETTO_STATE: redis.url }, input });

  beforeAll(async () => {
    redis = await startRedis();
    folder = temporaryFolder('beside');
    await redis.command('HSET', 'libretto:state:meta', ...Object.entries(then.meta).flat());
    await redis.command('HSET', 'libretto:state:rows', ...Object.entries(then.rows).flat());
    await redis.command('ZADD', 'libretto:state:order', ...Object.keys(then.rows).flatMap((key) => [0, key]));
    for (const name of ['hello', 'other'])
      writeTree(folder.at('src', name), libraryTree(`acme/${name}`, { version: '1.0.0' }));
    expect(await libretto('build src --data data')).toMatchObject({ exitCode: 0 });
  });
  afterAll(async () => {
    await redis.stop();
    await folder.remove();
  });

  it('the tokens, people, settings and sources of 0.2.0 are read, and the audit log stays sound', async () => {
    const server = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0', '--log', 'none'], {
      cwd: folder.path,
      environment: { LIBRETTO_STATE: redis.url },
    });
    const [url = ''] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
    const status = async (token: string, path: string): Promise<number> =>
      (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${then.tokens[token]}` } })).status;
    expect([
      await status('all', '/p2/acme/other.json'),
      await status('hello', '/p2/acme/hello.json'),
      await status('hello', '/p2/acme/other.json'),
      await status('revoked', '/packages.json'),
      await status('write', '/api/repositories'),
    ]).toEqual([200, 200, 404, 401, 200]);
    server.signal('SIGTERM');
    await server.ended;
    for (const [command, shown] of [
      ['user list', 'ada@example.org'],
      ['team list', 'front'],
      ['settings list', '777'],
      ['repository list', 'git.example.org'],
      ['publisher list', 'acme/tool'],
      ['notify list', 'chat'],
    ] as const)
      expect((await libretto(`${command} --data data`)).stdout).toContain(shown);
    expect(await libretto('audit verify --data data')).toMatchObject({ exitCode: 0 });
  });

  it('new and changed rows of each kind that 0.2.0 knows have the fields that it reads', async () => {
    for (const [line, input] of [
      ['token create --description now'],
      ['token create --description narrow --package acme/hello:^1 --kind write'],
      ['user create --email eve@example.org --name Eve --role admin --password-stdin', 'a very long password 2\n'],
      ['team create back --package acme/* --member eve@example.org'],
      ['settings set limits.write 99'],
      ['repository add https://git.example.org/acme/new.git --type git'],
      ['publisher add --issuer github --repository acme/new --workflow release.yml --package acme/new'],
      ['notify add https://chat.example.org/new --name new'],
    ])
      expect([line, (await libretto(`${line} --data data`, input)).exitCode]).toEqual([line, 0]);
    const pairs = (await redis.command('HGETALL', 'libretto:state:rows')) as string[];
    const now: Record<string, string> = {};
    for (let at = 0; at < pairs.length; at += 2)
      if (then.rows[pairs[at]!] !== pairs[at + 1]) now[pairs[at]!] = pairs[at + 1]!;
    const written = fieldsByKind(now);
    const missing = [...fieldsByKind(then.rows)].flatMap(([kind, fields]) =>
      [...fields].filter((field) => written.get(kind)?.has(field) !== true).map((field) => `${kind}: ${field}`),
    );
    expect(missing).toEqual([]);
  });
});
