// Tests a state in the data folder that is damaged, emptied or missing: the program reports it before it serves, checks
// or copies the state, and names the way back. It never starts an empty state by itself (I20).
// test/fault/damaged-pages.series.test.ts damages every page of a state.

import { hash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'lmdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { JsonValue } from '../../build/contract/json.ts';
import { takeLock } from '../../build/output/lock.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { firstOf, itInSeries } from '../util/series.ts';

const pageSize = 4096;

/** Writes a row past the store, over the present one. */
async function putRow(key: string, value: JsonValue): Promise<void> {
  const raw = open({
    path: folder.at('var/state'),
    noSubdir: false,
    encoding: 'json',
    useVersions: true,
    overlappingSync: false,
  });
  await raw.put(key, value, 1);
  await raw.close();
}

let made: TemporaryFolder;
let folder: TemporaryFolder;
let id: string;
let secret: string;
let hashRow: string;
let server: RunningCli | undefined;

beforeAll(async () => {
  made = temporaryFolder('cli-state-made');
  writeTree(made.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
  for (const args of [
    ['build', 'hello'],
    ['token', 'create', '--description', 'known', '--json'],
    ['backup', 'kept'],
  ]) {
    const { exitCode, stdout } = await runCli(args, { cwd: made.path });
    expect(exitCode).toBe(0);
    if (args[0] === 'token') ({ id, token: secret } = JSON.parse(stdout) as { id: string; token: string });
  }
  hashRow = `token-hash/${hash('sha256', secret)}`;
});
afterAll(() => made.remove());
beforeEach(() => {
  folder = temporaryFolder('cli-lost-state');
  cpSync(made.path, folder.path, { recursive: true });
  chmodSync(folder.at('var/state'), 0o700); // Node 24 copies a folder without its mode
});
afterEach(async () => {
  server?.signal('SIGTERM');
  await server?.ended;
  server = undefined;
  await folder.remove();
});

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const file = (): string => folder.at('var/state/data.mdb');
const serve = (): Promise<CliOutcome> => run('serve', '--listen', '127.0.0.1:0');
async function servesAt(): Promise<string> {
  server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
  return (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0];
}

/** Overwrites the pages that contain `text`. */
function damagePagesWith(text: string, fill: (page: Buffer) => void): void {
  const bytes = readFileSync(file());
  let pages = 0;
  for (let at = 0; at < bytes.length; at += pageSize) {
    const page = bytes.subarray(at, at + pageSize);
    if (page.includes(text)) pages += 1;
    if (page.includes(text)) fill(page);
  }
  expect(pages).toBeGreaterThan(0);
  writeFileSync(file(), bytes);
}

const damages: readonly (readonly [string, () => void, RegExp])[] = [
  ['zeros in the pages of tokens', () => damagePagesWith('token/', (page) => void page.fill(0)), /is damaged/],
  [
    'lengths that lead out of the page',
    () => damagePagesWith('token/', (page) => void page.fill(0xff, 20, 60)),
    /is damaged/,
  ],
  [
    'noise before the header of the file',
    () => void writeFileSync(file(), Buffer.concat([Buffer.alloc(24, 0xa5), readFileSync(file()).subarray(24)])),
    /is damaged/,
  ],
  ['no byte at all', () => void writeFileSync(file(), ''), /is damaged: it is empty/],
  ['no folder', () => rmSync(folder.at('var/state'), { recursive: true }), /There is no state in .*had one/],
];

describe('a lost state', () => {
  it.each(firstOf(damages, 1))(
    'with %s is refused by serve, doctor and backup, with the way back',
    async (_name, damage, message) => {
      damage();
      const before = existsSync(file()) ? readFileSync(file()) : undefined;
      const [served, examined, saved] = await Promise.all([serve(), run('doctor', '--json'), run('backup', 'another')]);
      for (const { exitCode, stderr } of [served, saved]) {
        expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
        expect(stderr).toMatch(/`libretto restore BACKUP --state-only`.*`libretto restore --empty --force`/);
        expect(stderr).not.toContain('mdb.c');
      }
      const { checks } = JSON.parse(examined.stdout) as {
        checks: { check: string; verdict: string; message: string }[];
      };
      expect(checks.find(({ check }) => check === 'state')).toMatchObject({
        verdict: 'failed',
        message: expect.stringMatching(message) as string,
      });
      expect(readdirSync(folder.path).filter((name) => name.includes('another'))).toEqual([]);
      expect(existsSync(file()) ? readFileSync(file()) : undefined).toEqual(before);
    },
  );

  it.each([
    [['token', 'list']],
    [['token', 'create', '--description', 'another']],
    [['user', 'list']],
    [['package', 'list', '--purged']],
    [['settings', 'set', 'mirroring.enabled', 'true']],
  ])('with a page of another kind ends %j with the way back', async (command) => {
    damagePagesWith('token/', (page) => void page.writeUInt16LE(0x40, 18));
    const { exitCode, stderr } = await run(...command);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^libretto: The state in .* is damaged: .*`libretto restore BACKUP --state-only`.*`libretto restore --empty --force`/m,
      ),
    ]);
    expect(stderr).not.toContain('unexpected error');
  });

  itInSeries.each([
    ['a token', () => `token/${id}`, 'a record of the kind "token" is malformed'],
    ['a user', () => 'user/usr_0123456789abcdef', 'a record of the kind "user" is malformed'],
    ['an event of the audit log', () => 'audit/event/000000000001', 'its audit log is broken at event 1'],
  ])('with %s replaced by other JSON is reported by doctor and backup', async (_name, key, fault) => {
    const store = await openLmdbStore(folder.at('var/state'));
    await store.commit({ conditions: [], puts: [{ key: key(), value: { hash: 'a secret' } }], deletes: [] });
    await store.close();
    const [examined, saved] = await Promise.all([run('doctor', '--json'), run('backup', 'another')]);
    const { checks } = JSON.parse(examined.stdout) as { checks: { check: string }[] };
    expect(checks.find(({ check }) => check === 'state')).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining(fault) as string,
    });
    expect([saved.exitCode, saved.stderr]).toEqual([2, expect.stringContaining('No backup was made.')]);
    expect(saved.stderr).toMatch(/`libretto restore BACKUP --state-only`/);
    expect(saved.stderr + examined.stdout).not.toContain('a secret');
    expect(readdirSync(folder.path).filter((name) => name.includes('another'))).toEqual([]);
  });

  itInSeries.each<[string, () => string, JsonValue, string]>([
    ['a token whose hash leads elsewhere', () => hashRow, 'tok_0123456789abcdef', '"token-hash"'],
    ['a setting of another kind', () => 'setting/mirroring.enabled', 'yes', '"setting"'],
  ])('with %s is reported by backup and doctor with the kind of the record', async (_name, key, value, fault) => {
    await putRow(key(), value);
    const [saved, shown] = await Promise.all([run('backup', 'another'), run('doctor')]);
    expect([saved.exitCode, saved.stderr]).toEqual([2, expect.stringContaining(fault)]);
    expect([shown.exitCode, shown.stdout]).toEqual([1, expect.stringContaining(fault)]);
  });

  itInSeries(
    'with a malformed count of users serves packages and reports the damage, and all other commands refuse the state',
    async () => {
      await putRow('user-roster', { users: 1 });
      const url = await servesAt();
      await server?.shows(
        /No setup code is offered\. The count of users and admins in the state is malformed\. .*`libretto restore BACKUP --state-only`/,
      );
      expect((await fetch(`${url}/packages.json`, { headers: { authorization: `Bearer ${secret}` } })).status).toBe(
        200,
      );
      const [examined, saved] = await Promise.all([run('doctor', '--json'), run('backup', 'another')]);
      expect([saved.exitCode, saved.stderr]).toEqual([2, expect.stringContaining('"user-roster" is malformed')]);
      expect(examined.stdout).toContain('\\"user-roster\\" is malformed');
    },
  );

  it.each(
    firstOf<[string, string, RegExp]>(
      [
        [
          'a repository',
          'repository/repo_0123456789abcdef',
          /A repository record in the state is malformed\. .*`libretto restore BACKUP --state-only`.*`libretto restore --empty --force`/,
        ],
        [
          'its identity',
          '!identity',
          /its identity or its generation is malformed\. .*`libretto restore BACKUP --state-only`.*`libretto restore --empty --force`/,
        ],
      ],
      1,
    ),
  )('with %s malformed is refused by serve with the way back, which works', async (_name, key, message) => {
    await putRow(key, { o: 1 });
    expect(await serve()).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) as string });
    expect(await run('doctor')).toMatchObject({ exitCode: 1 });
    expect(await run('restore', 'kept', '--state-only')).toMatchObject({ exitCode: 0 });
    await servesAt();
  });

  itInSeries('with a malformed record is given up by `restore --empty --force`, which keeps its file', async () => {
    await putRow(`token/${id}`, 5);
    expect(await run('token', 'list')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/A token record .*`libretto restore --empty --force`/) as string,
    });
    expect(await run('restore', '--empty', '--force')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/The damaged one is kept as .*data\.mdb\.replaced-/) as string,
    });
    expect(await run('token', 'list')).toMatchObject({ exitCode: 0 });
  });

  it('is restored from a backup together with later publications', async () => {
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.1.0' }));
    expect(await run('build')).toMatchObject({ exitCode: 0 });
    damagePagesWith('token/', (page) => void page.fill(0));
    const { exitCode, stderr } = await run('restore', 'kept', '--state-only');
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/The previous state is kept as .*data\.mdb\.replaced-/),
    ]);
    expect((await run('token', 'list')).stdout).toContain(id);
    expect((await run('audit', 'list', '--json')).stdout).toContain('state.restore');
    expect(readFileSync(folder.at('var/public/p2/acme/hello.json'), 'utf8')).toContain('1.1.0');
    expect(await (await fetch(`${await servesAt()}/health/ready`)).json()).toMatchObject({ status: 'ready' });
    expect(await run('restore', 'kept', '--state-only')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Stop it first') as string,
    });
  });

  itInSeries('with a row that is no JSON makes token list exit with 2 and name the way back', async () => {
    damagePagesWith(
      '"token.create"',
      (page) => void page.fill(1, page.indexOf('"token.create"') + 1, page.indexOf('"token.create"') + 4),
    );
    damagePagesWith(
      '"description":"known"',
      (page) => void page.fill(1, page.lastIndexOf('"known"') + 1, page.lastIndexOf('"known"') + 4),
    );
    expect(await run('token', 'list')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/is damaged: a row is not JSON.*restore BACKUP/) as string,
    });
  });

  itInSeries('is restored under the lock of a server, so that neither starts beside the other', async () => {
    const place = await takeLock(folder.at('var/state/serve.lock'), () => new Date());
    const beside = await run('restore', 'kept', '--state-only').finally(place.release);
    expect([beside.exitCode, beside.stderr]).toEqual([2, expect.stringContaining('already uses this data folder')]);
    expect(await run('restore', 'kept', '--state-only')).toMatchObject({ exitCode: 0 });
    await servesAt();
  });

  it('is not opened by a server without its lock on the data folder', async () => {
    writeFileSync(folder.at('var/state.json'), JSON.stringify({ format: 1, state: 'st_0123456789abcdef' }));
    const place = await takeLock(folder.at('var/state/serve.lock'), () => new Date());
    const served = await serve().finally(place.release);
    expect([served.exitCode, served.stderr]).toEqual([2, expect.stringContaining('already uses this data folder')]);
  });

  it('is given up by `restore --empty --force` alone, and a usable state is never emptied', async () => {
    const shown = JSON.parse((await run('restore', '--empty', '--json')).stdout) as { identity: string };
    expect((await run('doctor')).stdout).toContain(`(${shown.identity}) can be read`);
    expect(JSON.parse((await run('restore', '--empty', '--force', '--json')).stdout)).toMatchObject({
      made: false,
      identity: shown.identity,
    });
    rmSync(folder.at('var/state'), { recursive: true });
    expect(await run('token', 'create', '--description', 'x')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(shown.identity) as string,
    });
    expect(await run('restore', '--empty')).toMatchObject({ exitCode: 2 });
    expect(await run('doctor')).toMatchObject({ exitCode: 1 });
    expect(existsSync(folder.at('var/state'))).toBe(false);
    const began = JSON.parse((await run('restore', '--empty', '--force', '--json')).stdout) as { identity: string };
    expect(began).toMatchObject({ made: true });
    expect(began.identity).not.toBe(shown.identity);
    expect((await run('token', 'list', '--json')).stdout).toBe('{\n  "tokens": []\n}');
    expect((await run('audit', 'list', '--json')).stdout).toContain(shown.identity);
    await servesAt();
  });
});

it('a folder in the place of state.json is named with two ways on, and nothing is changed', async () => {
  const remembered = folder.at('var/state.json');
  renameSync(remembered, folder.at('var/state.json.aside'));
  mkdirSync(remembered);
  try {
    for (const command of [
      ['token', 'list'],
      ['restore', '--empty', '--force'],
      ['serve', '--listen', '127.0.0.1:0'],
    ])
      expect(await run(...command), command.join(' ')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(
          /state\.json is a folder, .* Move the folder away\. Then restore state\.json from a backup/,
        ) as string,
      });
  } finally {
    rmSync(remembered, { recursive: true });
    renameSync(folder.at('var/state.json.aside'), remembered);
  }
});

itInSeries('a data folder of an older version without a record of its state works, and gets the record', async () => {
  rmSync(folder.at('var/state.json'));
  const raw = open({
    path: folder.at('var/state'),
    noSubdir: false,
    encoding: 'json',
    useVersions: true,
    overlappingSync: false,
  });
  await raw.remove('!identity');
  await raw.close();
  expect((await run('token', 'list')).stdout).toContain(id);
  const { state } = JSON.parse(readFileSync(folder.at('var/state.json'), 'utf8')) as { state: string };
  expect((await run('doctor')).stdout).toContain(`(${state}) can be read`);
});

itInSeries('an empty key file is not a missing key: doctor names the file', async () => {
  mkdirSync(folder.at('var/keys'), { mode: 0o700 });
  writeFileSync(folder.at('var/keys/signing-0001.json'), '', { mode: 0o600 });
  const { checks } = JSON.parse((await run('doctor', '--json')).stdout) as { checks: { check: string }[] };
  expect(checks.find(({ check }) => check === 'keys')).toMatchObject({
    verdict: 'failed',
    message: expect.stringContaining('signing-0001.json') as string,
  });
});

it('a tree that was built before any state existed is no lost state', async () => {
  expect(await run('build', 'hello', '--data', 'fresh')).toMatchObject({ exitCode: 0 });
  expect(existsSync(folder.at('fresh/state.json'))).toBe(false);
  expect(await run('token', 'create', '--description', 'first', '--data', 'fresh')).toMatchObject({ exitCode: 0 });
  expect(existsSync(folder.at('fresh/state.json'))).toBe(true);
});
