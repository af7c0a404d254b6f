// Tests `libretto user` and `libretto keys`: users and keys on the command line, which a running server uses at once.

import { execa } from 'execa';
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { binary, cleanEnvironment, runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let running: RunningCli | undefined;
beforeEach(() => void (folder = temporaryFolder('cli-user')));
afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
  running = undefined;
  await folder.remove();
});

const password = 'correct horse battery';
const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const piped = (input: string, ...args: readonly string[]): Promise<CliOutcome> =>
  runCli(args, { cwd: folder.path, input });
const createAdmin = async (email = 'ada@example.org'): Promise<{ id: string }> => {
  const { exitCode, stdout, stderr } = await piped(
    `${password}\n`,
    'user',
    'create',
    '--admin',
    '--email',
    email,
    '--password-stdin',
    '--json',
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as { id: string };
};
const serve = async (): Promise<string> => {
  running = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
  return (await running.shows(/http:\/\/127\.0\.0\.1:\d+/))[0];
};
const post = async (
  url: string,
  body: object,
  token = '',
): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const me = async (url: string, token: string): Promise<number> =>
  (await fetch(`${url}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status;

describe('users', () => {
  it('are created with a password from standard input, listed, changed and disabled; the last admin stays', async () => {
    const { id } = await createAdmin();
    const invited = await run(
      'user',
      'create',
      '--email',
      'Bob@Example.org',
      '--name',
      'Bob',
      '--role',
      'maintainer',
      '--invite',
    );
    expect(invited).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^inv_[0-9A-Za-z]{32}$/) as string });
    expect(invited.stderr).toContain('Invitation (shown only once');
    const listed = JSON.parse((await run('user', 'list', '--json')).stdout) as { users: object[] };
    expect(listed.users).toMatchObject([
      {
        id,
        email: 'ada@example.org',
        role: 'admin',
        status: 'active',
        created_by: expect.stringMatching(/^cli:/) as string,
      },
      { email: 'bob@example.org', name: 'Bob', role: 'maintainer', status: 'invited' },
    ]);
    expect((await run('user', 'list')).stdout).toMatch(
      /ID +ROLE +STATUS[^\n]*\nusr_\w+ +admin +active +off +never +ada@example\.org\n/,
    );
    expect((await run('user', 'update', 'bob@example.org', '--role', 'viewer')).stdout).toMatch(/role +viewer/);
    expect((await run('user', 'disable', 'bob@example.org')).stdout).toMatch(/status +disabled/);
    expect((await run('user', 'update', 'bob@example.org', '--enable', '--json')).stdout).toContain(
      '"status": "invited"',
    );
    const last = await run('user', 'disable', id);
    expect(last).toMatchObject({ exitCode: 2, stdout: '' });
    expect(last.stderr).toContain('This is the only active admin');
  });

  it.each([
    [['user', 'create', '--email', 'a@example.org'], 'There is no terminal to ask for a password.'],
    [['user', 'create', '--email', 'a@example.org', '--invite', '--password-stdin'], 'Use one of them'],
    [
      ['user', 'create', '--email', 'a@example.org', '--admin', '--role', 'viewer', '--invite'],
      'contradict each other',
    ],
    [
      ['user', 'create', '--email', 'nonsense', '--invite'],
      'The email must be an address such as ada@example.org, not "nonsense".',
    ],
    [['user', 'update', 'nobody@example.org', '--enable'], 'There is no user "nobody@example.org"'],
    [['user', 'update', 'usr_0000000000000000'], 'Nothing to change was given'],
    [['keys', 'rotate', 'house'], 'There are no keys for "house"'],
    [['keys', 'rotate', 'sealing', '--end-sessions'], 'belongs to the signing key'],
  ])('are refused with exit code 2: %j', async (args, message) => {
    await run('restore', '--empty');
    const outcome = await run(...args);
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
    expect(outcome.stderr).toContain(message);
  });

  it('are refused with a short password, a duplicate email, or a password of two lines', async () => {
    expect((await piped('short\n', 'user', 'create', '--email', 'a@example.org', '--password-stdin')).stderr).toContain(
      'at least 12 are needed',
    );
    expect(
      (await piped(`${password}\nmore\n`, 'user', 'create', '--email', 'a@example.org', '--password-stdin')).stderr,
    ).toContain('more than one line');
    await createAdmin();
    expect(
      (await piped(password, 'user', 'create', '--email', 'ADA@example.org', '--password-stdin')).stderr,
    ).toContain('already');
  });

  itInSeries.skipIf(lacks('script'))('get the whole link on a terminal, which says what is missing in it', async () => {
    const command = [process.execPath, binary, 'user', 'create', '--invite', '--email']
      .map((word) => `'${word}'`)
      .join(' ');
    const invite = async (email: string, environment: Readonly<Record<string, string>>): Promise<string> => {
      const env = { ...cleanEnvironment(), ...environment };
      const options = { cwd: folder.path, env, extendEnv: false, stdin: 'ignore' } as const;
      return (await execa('script', ['-qec', `${command} ${email}`, '/dev/null'], options)).stdout;
    };
    const named = await invite('bob@example.org', { LIBRETTO_PUBLIC_URL: 'https://packages.example.org' });
    const [, code = ''] = /^(inv_[0-9A-Za-z]{32})\r?$/m.exec(named) ?? [];
    expect(code).not.toBe('');
    expect(named).toContain(`  https://packages.example.org/ui/invitation?code=${code}`);
    expect(named).not.toContain('publicUrl');
    const guessed = await invite('eve@example.org', {});
    expect(guessed).toMatch(/^ {2}http:\/\/127\.0\.0\.1:8080\/ui\/invitation\?code=inv_/m);
    expect(guessed).toContain('The address http://127.0.0.1:8080 is from the default of listen. Set "publicUrl" in');
    const unknown = await invite('dan@example.org', { LIBRETTO_TRUSTED_PROXIES: '127.0.0.1' });
    expect(unknown).toMatch(/^ {2}https:\/\/HOST\/ui\/invitation\?code=inv_/m);
    expect(unknown).toContain(
      'HOST stands for the host of the registry, such as packages.example.org. Set "publicUrl"',
    );
    const logged = await run('user', 'create', '--invite', '--email', 'log@example.org');
    expect(logged.stderr).toContain('/ui/invitation?code=CODE');
    expect(logged.stderr).not.toContain(logged.stdout);
  });

  itInSeries.skipIf(lacks('script'))('type their email, and their password unseen, twice', async () => {
    const command = [process.execPath, binary, 'user', 'create', '--admin'].map((word) => `'${word}'`).join(' ');
    const typed = async (first: string, second: string): Promise<{ exitCode: number; shown: string }> => {
      const child = execa('script', ['-qec', command, '/dev/null'], {
        cwd: folder.path,
        env: cleanEnvironment(),
        extendEnv: false,
        reject: false,
        timeout: 60_000,
      });
      let shown = '';
      const emails = ['nonsense', 'ada@example.org'];
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('Email: ')) child.stdin.write(`${emails.shift() ?? ''}\r`);
        if (text.includes('Password: ')) child.stdin.write(`${first}\r`);
        if (text.includes('Repeat the password: ')) child.stdin.write(`${second}\r`);
        shown += text;
      });
      return { exitCode: (await child).exitCode ?? -1, shown };
    };
    expect(await typed(password, 'another password')).toMatchObject({
      exitCode: 2,
      shown: expect.stringContaining('The two passwords differ') as string,
    });
    const { exitCode, shown } = await typed(`x\u007f${password}`, password);
    expect({ exitCode, shows: shown.includes('horse') }).toEqual({ exitCode: 0, shows: false });
    expect(shown).toContain('The email must be an address such as ada@example.org, not "nonsense".');
    const url = await serve();
    expect((await post(`${url}/api/auth/login`, { email: 'ada@example.org', password })).status).toBe(200);
  });
});

describe('a server with users', () => {
  it('prints a setup code while no user exists, and the code creates the first admin', async () => {
    const url = await serve();
    const [, setup_code = ''] = (await running?.shows(/setup\?code=(set_\w+)/)) ?? [];
    const reply = await post(`${url}/api/auth/setup`, { setup_code, email: 'ada@example.org', password });
    expect(reply).toMatchObject({ status: 201, body: { user: { role: 'admin' } } });
    running?.signal('SIGTERM');
    await running?.ended;
    const again = await serve();
    expect(
      (await post(`${again}/api/auth/setup`, { setup_code, email: 'eve@example.org', password })).body,
    ).toMatchObject({ code: 'SETUP_DONE' });
    expect(running?.output().stderr).not.toContain('set_');
  });

  itInSeries(
    'row 42: accepts sessions of an old signing key, ends them on request, and signs with the new one; ends those of a disabled user',
    async () => {
      await createAdmin('root@example.org');
      const { id } = await createAdmin();
      const url = await serve();
      const login = async (): Promise<string> =>
        String((await post(`${url}/api/auth/login`, { email: 'ada@example.org', password })).body['token']);
      const kidOf = (token: string): unknown =>
        (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;
      const before = await login();
      const { keys } = JSON.parse((await run('keys', 'rotate', '--json')).stdout) as {
        keys: { kid: string; purpose: string; state: string }[];
      };
      expect(keys.filter(({ purpose }) => purpose === 'signing').map(({ state }) => state)).toEqual(['current', 'old']);
      expect(await me(url, before)).toBe(200);
      await expect.poll(async () => kidOf(await login()), { timeout: 60_000, interval: 500 }).toBe(keys[0]?.kid);
      expect((await run('keys', 'rotate', 'signing', '--end-sessions')).exitCode).toBe(0);
      await expect.poll(() => me(url, before), { timeout: 60_000, interval: 500 }).toBe(401);
      const last = await login();
      expect(await me(url, last)).toBe(200);
      expect((await run('user', 'disable', id)).exitCode).toBe(0);
      expect(await me(url, last)).toBe(401);
      const listed = await run('keys', 'list');
      expect(listed.stdout).toMatch(/^KID +PURPOSE +STATE +CREATED +ENDS\n\w{12} +signing +current [^\n]+never\n/);
      expect(readdirSync(folder.at('var/keys')).sort()).toEqual([
        'sealing-0001.json',
        'signing-0001.json',
        'signing-0002.json',
        'signing-0003.json',
      ]);
    },
  );
});

it('keys list creates no key', async () => {
  await run('restore', '--empty');
  const { exitCode, stdout, stderr } = await run('keys', 'list');
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  expect(stderr).toContain('There is no key yet.');
  expect(readdirSync(folder.at('var'))).not.toContain('keys');
});
