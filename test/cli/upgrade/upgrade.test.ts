// Tests today's program on a data folder of version 0.1.0 (data-folder-0.1.0.tar.gz, by write-data-folder.mjs): it
// serves the same bytes to the same tokens, builds on, and rolls back. Then tests a downgrade: each file with a higher
// format number is refused, and nothing changes (row 85).

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { librettoVersion } from '../../../build/contract/libretto-version.ts';
import { filesBelow } from '../../util/files-below.ts';
import { libraryTree, writeTree } from '../../util/package-tree.ts';
import { runCli, startCli, type CliOutcome } from '../../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../../util/temporary-folder.ts';
import { itInSeries } from '../../util/series.ts';

interface Answer {
  readonly token: string;
  readonly path: string;
  readonly status: number;
  /** of the body; null for an error */
  readonly sha256: string | null;
}

interface Then {
  readonly tokens: Readonly<Record<string, string>>;
  readonly password: string;
  readonly answers: readonly Answer[];
}

let folder: TemporaryFolder;
let then: Then;

const run = (...args: readonly string[]): Promise<CliOutcome> =>
  runCli([...args, '--data', 'data'], { cwd: folder.path });

async function json<Answered>(...args: readonly string[]): Promise<Answered> {
  const { stdout, stderr } = await run(...args, '--json');
  if (stdout === '') throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Answered;
}

/** Path → digest, except of what each reader and each refused build changes. */
const contentsBelow = (path: string): Record<string, string> =>
  Object.fromEntries(
    filesBelow(path)
      .filter((file) => !/(?:lock\.mdb|last-build\.json)$/.test(file))
      .map((file) => [file, sha256(readFileSync(file))]),
  );

const sha256 = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');

/** Serves the folder while `use` runs. */
async function serving<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const server = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0', '--log', 'none'], {
    cwd: folder.path,
    alone: true,
    realPasswords: true,
  });
  try {
    const [url = ''] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
    return await use(url);
  } finally {
    server.signal('SIGTERM');
    await server.ended;
  }
}

/** What the server answers now to the requests of then. */
const answersOf = (url: string): Promise<readonly Answer[]> =>
  Promise.all(
    then.answers.map(async ({ token, path }) => {
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${then.tokens[token]}` } });
      const body = new Uint8Array(await response.arrayBuffer());
      return { token, path, status: response.status, sha256: response.ok ? sha256(body) : null };
    }),
  );

const archives = (answers: readonly Answer[]): readonly Answer[] =>
  answers.filter(({ path }) => path.startsWith('/dist/'));

beforeAll(() => {
  folder = temporaryFolder('upgrade');
  const archive = join(import.meta.dirname, 'data-folder-0.1.0.tar.gz');
  execFileSync('tar', ['-xzf', archive, '-C', folder.path, '--no-same-owner']);
  then = JSON.parse(readFileSync(folder.at('then.json'), 'utf8')) as Then;
});
afterAll(() => folder.remove());

describe('a data folder of 0.1.0', () => {
  it('is served byte for byte as 0.1.0 did, to the same tokens and users', async () => {
    expect(then.answers.filter(({ status }) => status === 200).length).toBeGreaterThan(10);
    await serving(async (url) => {
      const now = await answersOf(url);
      for (const [at, answer] of then.answers.entries()) {
        // 0.1.0 had no empty documents (D448)
        const hadNoDocument = answer.status === 404 && answer.path.endsWith('~dev.json') && now[at]?.status === 200;
        if (!hadNoDocument) expect(now[at]).toEqual(answer);
      }
      const login = await fetch(`${url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ada@example.org', password: then.password }),
      });
      expect(login.status).toBe(200);
    });
  });

  it('keeps tokens, settings, the audit log, withdrawals and history', async () => {
    const { tokens } = await json<{ tokens: Record<string, unknown>[] }>('token', 'list');
    expect(tokens.map(({ description, status, effective_rate_limit: limit }) => [description, status, limit])).toEqual([
      ['sees all', 'active', 5000],
      ['sees hello 1.0', 'active', 5000],
      ['is revoked', 'revoked', 5000],
    ]);
    for (const command of [['audit', 'verify'], ['verify'], ['doctor']])
      expect(await run(...command)).toMatchObject({ exitCode: 0 });
    const { publications } = await json<{ publications: { serial: number }[] }>('history');
    expect(publications.map(({ serial }) => serial)).toEqual([4, 3, 2, 1]);
  });

  it('is built on: the first build adds and removes nothing and keeps every archive, the second changes nothing', async () => {
    const first = await json<object>('build');
    expect(first).toMatchObject({ serial: 5, added: [], changed: [], withdrawn: [], quarantined: [], failed: [] });
    expect((await run('build')).stdout).toContain('Nothing has changed (publication 5');
    expect((await run('verify')).exitCode).toBe(0);
  });

  itInSeries('rolls back to a publication of 0.1.0, and forward again', async () => {
    const back = await json<object>('rollback', '1');
    expect(back).toMatchObject({
      withdrawn: [
        { name: 'acme/hello', version: '1.1.0' },
        { name: 'acme/sent', version: '1.0.0' },
      ],
    });
    expect((await run('rollback', '5')).exitCode).toBe(0);
    expect(archives(await serving(answersOf))).toEqual(archives(then.answers));
  });
});

itInSeries(
  'version 0.1.0 refuses a folder with tombstones, which it does not know: it reads format 1 of the announcement',
  async () => {
    await using other = temporaryFolder('tombstones');
    const libretto = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: other.path });
    const format = (): unknown =>
      (JSON.parse(readFileSync(other.at('var/index/_publication.json'), 'utf8')) as { format: unknown }).format;
    writeTree(other.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    await libretto('build', 'hello');
    expect(format()).toBe(1);
    await libretto('package', 'purge', 'acme/hello', '1.0.0', '--reason', 'secret', '--yes');
    expect(format()).toBe(2);
    expect(await libretto('build')).toMatchObject({ exitCode: 0 });
    expect(await libretto('verify')).toMatchObject({ exitCode: 0 });
  },
);

describe('a data folder of a newer version', () => {
  const only = (path: string): string => {
    const [first = ''] = readdirSync(folder.at('upgraded', path));
    return `${path}/${first}`;
  };
  const refused = new RegExp(
    `was written by a newer version of Libretto \\(format 9; Libretto ${librettoVersion} reads format [12]\\)\\. ` +
      'Use the newer version here too, or restore a backup from before the upgrade',
  );

  /** Raises the number in `path`, and returns what `command` answers. The data folder must stay as it was. */
  async function refusal(path: string, command: readonly string[]): Promise<CliOutcome> {
    const before = readFileSync(folder.at('upgraded', path));
    const raised = before.toString().replace(/("format": ?)[12]\b/, '$19');
    expect(raised).not.toBe(before.toString());
    writeFileSync(folder.at('upgraded', path), raised);
    const files = contentsBelow(folder.at('upgraded'));
    const outcome = await runCli([...command, '--data', 'upgraded'], { cwd: folder.path });
    expect(contentsBelow(folder.at('upgraded'))).toEqual(files);
    writeFileSync(folder.at('upgraded', path), before);
    return outcome;
  }

  beforeAll(async () => {
    await run('build');
    cpSync(folder.at('data'), folder.at('upgraded'), { recursive: true });
    expect(existsSync(folder.at('upgraded/state.json'))).toBe(true);
    writeTree(folder.at('src'), libraryTree('acme/new', { version: '1.0.0' }));
    mkdirSync(folder.at('settings'));
    writeFileSync(folder.at('settings/libretto.json'), '{"advisories": "advisories.json"}');
    const advisory = { advisoryId: 'ACME-1', packageName: 'acme/hello', affectedVersions: '<1.1', title: 'A hole' };
    writeFileSync(
      folder.at('settings/advisories.json'),
      JSON.stringify([{ ...advisory, reportedAt: '2026-03-01T12:00:00+00:00' }]),
    );
    for (const line of [
      'package purge acme/sent 1.0.0 --reason secret --yes',
      'build --config settings/libretto.json',
      'prune --keep-for 0d',
    ])
      expect(await runCli([...line.split(' '), '--data', 'upgraded'], { cwd: folder.path })).toMatchObject({
        exitCode: 0,
      });
  });

  it.each([
    ['index/_publication.json', ['build']],
    ['index/_publication.json', ['serve', '--listen', '127.0.0.1:0']],
    ['index/_publication.json', ['rollback', '1']],
    ['index/_publication.json', ['receive', 'data']],
    ['index/acme/hello.json', ['package', 'withdraw', 'acme/hello', '1.0.0']],
    ['index/_withheld.json', ['build']],
    ['index/_purged.json', ['build']],
    ['index/_purged.json', ['package', 'list', '--purged']],
    ['index/_safety.json', ['build', '--config', 'settings/libretto.json']],
    ['build/manifest.json', ['build']],
    ['build/sources/*', ['build']],
    ['build/history/2/record.json', ['rollback', '1']],
    ['build/history/2/record.json', ['history']],
    ['state.json', ['token', 'list']],
    ['state.json', ['build', 'src']],
    ['state.json', ['receive', 'data']],
    ['state.json', ['rollback', '1']],
    ['state.json', ['package', 'withdraw', 'acme/hello', '1.0.0']],
  ] as const)('%s is refused by %j, which names both formats and the way out', async (pattern, command) => {
    const path = pattern.endsWith('*') ? only(pattern.slice(0, -2)) : pattern;
    const { exitCode, stderr } = await refusal(path, command);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(refused)]);
    expect(stderr).toContain(`${path}: it was written`);
  });

  it('the state is refused by every command that opens it, with both schemas and the way out', async () => {
    const path = folder.at('upgraded/state');
    const database = open({ path, noSubdir: false, encoding: 'json', useVersions: true, overlappingSync: false });
    await database.put('!schema', 2, 1);
    await database.close();
    for (const command of [
      ['token', 'list'],
      ['serve', '--listen', '127.0.0.1:0'],
      ['user', 'list'],
      ['build'],
      ['publish', 'src'],
    ]) {
      const { exitCode, stderr } = await runCli([...command, '--data', 'upgraded'], { cwd: folder.path });
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining(
          `was written by a newer version of Libretto (schema 2; Libretto ${librettoVersion} reads schema 1). Use`,
        ),
      ]);
    }
  });
});
