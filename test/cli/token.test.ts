// Tests the commands for tokens, from the creation of a token to its revocation.

import { existsSync } from 'node:fs';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { binary, cleanEnvironment, runCli, runCliInto, startCli, type CliOutcome } from '../util/run-cli.ts';
import { freePort } from '../util/redis-server.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
beforeEach(() => void (folder = temporaryFolder('cli-token')));
afterEach(() => folder.remove());

interface TokenDocument {
  readonly id: string;
  readonly token: string;
  readonly [field: string]: unknown;
}

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(['token', ...args], { cwd: folder.path });
const json = async (...args: readonly string[]): Promise<TokenDocument> => {
  const { exitCode, stdout, stderr } = await run(...args, '--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as TokenDocument;
};

describe('token create', () => {
  it('prints only the secret on standard output, and the description on standard error', async () => {
    const { exitCode, stdout, stderr } = await run('create', '--description', 'CI', '--expires', '90d');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^lib_r_[0-9A-Za-z]{38}$/);
    expect(stderr).toMatch(
      /^id +tok_[0-9A-Za-z]{16}\ndescription +CI\nkind +read\nlimit +1000 an hour \(the default of read tokens\)\nstatus +active\n/,
    );
    expect(stderr).not.toContain(stdout);
  });

  it('explains the use of the token, without its secret in a log', async () => {
    const { stdout, stderr } = await run('create', '--description', 'CI', '--kind', 'write', '--limit', '5000');
    expect(stderr).toContain('\n  composer config --global --auth bearer.127.0.0.1:8080 TOKEN\n');
    expect(stderr).toContain('\n  {"bearer":{"127.0.0.1:8080":"TOKEN"}}\n');
    expect(stderr).toContain('\n  LIBRETTO_TOKEN=TOKEN libretto publish . --url http://127.0.0.1:8080\n');
    expect(stderr).toContain('The address http://127.0.0.1:8080 is from the default of listen. Set "publicUrl" in');
    expect(stderr).toMatch(/^5000 requests an hour allow 81 runs of `composer install` with 60 packages/m);
    expect(stderr).not.toContain(stdout);
  });

  itInSeries('names the address of the running server, whose flags no other command has', async () => {
    const port = await freePort();
    const serve = async (flags: readonly string[], check: () => Promise<void>): Promise<void> => {
      const server = startCli(['serve', ...flags], { cwd: folder.path });
      await server.shows(/Serving .*/);
      await check();
      server.signal('SIGTERM');
      await server.ended;
    };
    await run('create', '--description', 'first'); // makes the data folder
    await serve(['--listen', `127.0.0.77:${port}`], async () => {
      const { stderr } = await run('create', '--description', 'CI');
      expect(stderr).toContain(`\n  composer config --global --auth bearer.127.0.0.77:${port} TOKEN\n`);
      expect(stderr).toContain(`The address http://127.0.0.77:${port} is from the running server. Set "publicUrl" in`);
    });
    await serve(['--listen', '127.0.0.77:0'], async () =>
      expect((await run('create', '--description', 'CI')).stderr).toContain(
        '\n  composer config --global --auth bearer.HOST ',
      ),
    );
  });

  it.each([
    [
      'the configured address',
      { LIBRETTO_PUBLIC_URL: 'https://packages.example.org' },
      'bearer.packages.example.org TOKEN',
    ],
    [
      'the address of archives',
      { LIBRETTO_DIST_URL: 'https://packages.example.org:8443' },
      'bearer.packages.example.org:8443 TOKEN',
    ],
    ['a placeholder behind a proxy', { LIBRETTO_TRUSTED_PROXIES: '127.0.0.1' }, 'bearer.HOST TOKEN'],
  ])('names %s', async (_, environment, line) => {
    const { stderr } = await runCli(['token', 'create', '--description', 'CI'], { cwd: folder.path, environment });
    expect(stderr).toContain(`  composer config --global --auth ${line}\n`);
    if (line.includes('HOST')) expect(stderr).toContain('HOST stands for the host of the registry, such as');
  });

  it.skipIf(lacks('script'))('repeats the secret on a terminal, where it can be pasted', async () => {
    const { stdout } = await execa(
      'script',
      ['-qec', `'${process.execPath}' '${binary}' token create --description CI`, '/dev/null'],
      { cwd: folder.path, env: cleanEnvironment(), extendEnv: false, stdin: 'ignore' },
    );
    const [secret = ''] = /lib_r_\w+/.exec(stdout) ?? [];
    expect(stdout).not.toContain('TOKEN');
    expect(stdout).toContain(`composer config --global --auth bearer.127.0.0.1:8080 ${secret}`);
    expect(stdout).toContain(`{"bearer":{"127.0.0.1:8080":"${secret}"}}`);
  });

  it('ends a token after 90 days, unless --expires says otherwise or never', async () => {
    const { created_at, expires_at } = await json('create', '--description', 'CI');
    expect(Date.parse(String(expires_at)) - Date.parse(String(created_at))).toBe(90 * 86_400_000);
    expect((await json('create', '--description', 'CI', '--expires', 'never'))['expires_at']).toBeNull();
  });

  it('prints id, token and the other fields with --json', async () => {
    const created = await json('create', '--description', ' CI of the shop ', '--kind', 'write', '--limit', '0');
    expect(created).toEqual({
      id: expect.stringMatching(/^tok_[0-9A-Za-z]{16}$/) as string,
      token: expect.stringMatching(/^lib_w_[0-9A-Za-z]{38}$/) as string,
      description: 'CI of the shop',
      kind: 'write',
      rate_limit: 0,
      effective_rate_limit: 0,
      requests: null,
      status: 'active',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      created_by: expect.stringMatching(/^cli:/) as string,
      expires_at: expect.any(String) as string,
      revoked_at: null,
      previous_expires_at: null,
      last_used_at: null,
      last_used_from: null,
      packages: null,
      person: null,
      constraints: null,
      stability: null,
      not_after: null,
      networks: null,
    });
  });

  it.each([
    [
      ['--limit', '-1'],
      '--limit is "-1"; allowed: requests an hour as a whole number up to 1000000000, or 0 for no limit.',
    ],
    [
      ['--limit', 'default'],
      '--limit is "default"; allowed: requests an hour as a whole number up to 1000000000, or 0 for no limit.',
    ],
    [
      ['--expires', 'soon'],
      '"soon" is not a valid expiry. Write a duration such as 12h, 90d or 2w, a day such as 2027-01-31 (to its end, UTC), or a time such as 2027-01-31T12:00:00Z.',
    ],
    [
      ['--expires', '2099-01-31T00:00:00Z'],
      '"2099-01-31T00:00:00Z" is more than ten years in the future. A token that does not expire has the expiry never, which is null in the API.',
    ],
    [
      ['--expires', '2001-01-31T00:00:00Z'],
      '"2001-01-31T00:00:00Z" does not lie in the future. To end a token now, revoke it.',
    ],
  ])('refuses %j with exit code 2 and creates nothing', async (flags, message) => {
    expect(await run('create', '--description', 'x', ...flags)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `libretto: ${message}`,
    });
    expect(existsSync(folder.at('var'))).toBe(false);
  });

  itInSeries.skipIf(!existsSync('/dev/full')).each([[[]], [['--json']]])(
    'exits with 1 and names the token to revoke where the secret cannot be written (%j)',
    async (flags) => {
      const { exitCode, stderr } = await runCliInto('/dev/full', ['token', 'create', '--description', 'CI', ...flags], {
        cwd: folder.path,
      });
      expect(exitCode).toBe(1);
      const told =
        /libretto: The answer could not be written: the disk of the output is full\. The token (tok_\w+) was created, but its secret could not be printed\. Revoke it and create another\.$/.exec(
          stderr,
        );
      expect(await json('list')).toMatchObject({ tokens: [{ id: told?.[1], status: 'active' }] });
    },
  );

  itInSeries('accepts a closed standard output', async () => {
    const { exitCode, stderr } = await execa(
      'bash',
      [
        '-c',
        'trap "" PIPE; { sleep 0.2; "$@"; echo "exit $?" >&2; } | true',
        'bash',
        process.execPath,
        binary,
        'token',
        'create',
        '--description',
        'CI',
      ],
      { cwd: folder.path, env: cleanEnvironment(), extendEnv: false },
    );
    expect([exitCode, stderr.split('\n').at(-1)]).toEqual([0, 'exit 0']);
  });

  it('reports all faults at once, as update does', async () => {
    const wrong = ['--description', 'a\nb', '--limit', 'many', '--expires', 'soon'];
    const problems = ['one line without control characters', '--limit is "many"', '"soon" is not a valid expiry'].map(
      (text) => expect.stringContaining(text) as string,
    );
    const created = await run('create', ...wrong, '--kind', 'admin');
    expect([created.exitCode, ...created.stderr.split('\n')]).toEqual([
      2,
      problems[0],
      '--kind is "admin"; allowed: read or write.',
      ...problems.slice(1),
    ]);
    await run('create', '--description', 'CI');
    const updated = await run('update', 'tok_0123456789abcdef', ...wrong);
    expect([updated.exitCode, ...updated.stderr.split('\n')]).toEqual([2, ...problems]);
  });

  it('refuses an empty description', async () => {
    expect(await run('create', '--description', ' ')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'libretto: A token needs a description: its user and purpose.',
    });
  });
});

describe('token list, show, update and revoke', () => {
  it('follow a token from creation to revocation, and never show its secret', async () => {
    const { id, token } = await json('create', '--description', 'CI');
    const updated = await json('update', id, '--description', 'Shop CI', '--limit', '50', '--expires', '2w');
    expect(updated).toMatchObject({
      id,
      description: 'Shop CI',
      kind: 'read',
      rate_limit: 50,
      effective_rate_limit: 50,
      status: 'active',
    });
    expect(updated['expires_at']).not.toBeNull();
    expect(await json('update', id, '--limit', 'default', '--expires', 'never')).toMatchObject({
      rate_limit: null,
      effective_rate_limit: 1000,
      expires_at: null,
    });

    const list = await run('list');
    expect(list.stdout.split('\n')).toEqual([
      expect.stringMatching(/^ID +KIND +STATUS +LIMIT +EXPIRES +SEES +DESCRIPTION$/),
      expect.stringMatching(new RegExp(`^${id} +read +active +1000 an hour +never +all +Shop CI$`)),
    ]);

    expect(await run('revoke', id)).toEqual({
      exitCode: 0,
      stdout: `${id} (Shop CI) is revoked. The registry refuses it from now on.`,
      stderr: '',
    });
    const again = await run('revoke', id);
    expect(again).toMatchObject({ exitCode: 0, stderr: '' });
    expect(again.stdout).toContain('was revoked already');
    expect((await run('update', id, '--limit', '1')).exitCode).toBe(2);

    const shown = await run('show', id);
    expect(shown.stdout).toMatch(/^status +revoked$/m);
    for (const { stdout, stderr } of [list, again, shown, await run('list', '--json'), await run('show', id, '--json')])
      expect(stdout + stderr).not.toContain(token.slice(6));
  });

  it('show the configured limit as the default', async () => {
    await json('create', '--description', 'CI');
    const { stdout } = await runCli(['token', 'list', '--json'], {
      cwd: folder.path,
      environment: { LIBRETTO_LIMITS_READ: '7' },
    });
    expect(JSON.parse(stdout)).toMatchObject({ tokens: [{ rate_limit: null, effective_rate_limit: 7 }] });
  });

  it.each([['show'], ['revoke'], ['update', '--limit', '5']])(
    'exit with 2 for an unknown id: %s',
    async (command, ...flags) => {
      await json('create', '--description', 'CI');
      const { exitCode, stdout, stderr } = await run(command, 'tok_0123456789abcdef', ...flags);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toBe(
        'libretto: There is no token with the id "tok_0123456789abcdef". `libretto token list` shows all of them.',
      );
    },
  );

  it('exit with 2 for an update without a change', async () => {
    await json('create', '--description', 'CI');
    expect(await run('update', 'tok_0123456789abcdef')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'libretto: Nothing to change was given. Name at least one of --description, --limit, --expires, --package, --stability, --not-after, --network and --clear.',
    });
  });

  it('print for an empty list how to create a token', async () => {
    await runCli(['restore', '--empty'], { cwd: folder.path });
    expect(await run('list')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'There is no token yet. Create one with `libretto token create --description TEXT`.',
    });
  });
});
