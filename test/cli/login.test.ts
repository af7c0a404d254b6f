// Tests `libretto login` and `libretto logout` with the shipped program on a real server, a person who approves in the
// console, and the real Composer.

import { execa } from 'execa';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { Agent } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createProject } from '../util/composer.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { serveTree, type RunningServer } from '../util/registry.ts';
import { pathWithoutLibretto, runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { createBrowser, type TestBrowser } from '../util/running-console.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

const password = 'correct horse battery';
const folder = temporaryFolder('login');
const agent = new Agent();
let server: RunningServer;
let browser: TestBrowser;
let config: string;
let count = 0;

const host = async (...args: readonly string[]): Promise<string> => {
  const input = args.includes('--password-stdin') ? `${password}\n` : '';
  const done = await runCli([...args, '--data', folder.at('data')], { cwd: folder.path, input });
  expect(done.exitCode, done.stderr).toBe(0);
  return done.stdout;
};

beforeAll(async () => {
  writeTree(folder.at('packages/lib'), libraryTree('acme/lib', { version: '1.0.0' }));
  writeTree(folder.at('upload'), libraryTree('acme/app', { version: '1.0.0' }));
  await host('build', folder.at('packages/lib'));
  await host('user', 'create', '--admin', '--email', 'root@example.org', '--password-stdin');
  await host('user', 'create', '--role', 'maintainer', '--email', 'ada@example.org', '--password-stdin');
  server = await serveTree(folder.path, folder.at('data'), []);
  browser = createBrowser(agent, server.url);
  expect((await browser.post('/sign-in', { email: 'ada@example.org', password })).status).toBe(303);
});
afterAll(async () => {
  await agent.close();
  await server.stop();
  await folder.remove();
});
beforeEach(() => {
  count += 1;
  config = folder.at(`config-${count}`);
});

const environment = (more: Readonly<Record<string, string>> = {}) => ({ XDG_CONFIG_HOME: config, ...more });
const cli = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<CliOutcome> =>
  runCli(args, { cwd: folder.path, environment: environment(more) });
const file = (): string => `${config}/libretto/sign-ins.json`;
const signIn = (): Readonly<Record<string, string>> =>
  (JSON.parse(readFileSync(file(), 'utf8')) as { sign_ins: Record<string, string>[] }).sign_ins[0] ?? {};

async function begin(args: readonly string[] = [], more: Readonly<Record<string, string>> = {}, alone = false) {
  const options = { cwd: folder.path, environment: environment(more), alone };
  const login: RunningCli = startCli(['login', server.url, '--name', 'ada-laptop', ...args], options);
  const [, code = ''] = await login.shows(/The code is (\S+)/);
  return { login, code };
}

/** A login that is approved. */
async function login(args: readonly string[] = [], more: Readonly<Record<string, string>> = {}): Promise<CliOutcome> {
  const begun = await begin(args, more);
  const approved = await browser.post('/device/approve', { code: begun.code, current_password: password });
  expect(approved.text).toContain('The terminal is approved');
  const done = await begun.login.ended;
  expect(done.exitCode, done.stderr).toBe(0);
  return done;
}

describe('libretto login', () => {
  it('keeps a token that later commands use, in a file of the person alone', async () => {
    const done = await login();
    expect(done.stdout).toMatch(/^Signed in at \S+ as ada@example\.org \(maintainer\) until \d{4}-\d\d-\d\d\.$/m);
    expect(done.stdout).toContain('It can read all packages, publish packages, register repositories and sync them.');
    expect(done.stderr).toContain(`${server.url}/ui/device`);
    const { token = '' } = signIn();
    expect(token).toMatch(/^lib_r_/);
    expect(done.stdout + done.stderr).not.toContain(token);
    expect([statSync(file()).mode & 0o777, statSync(`${config}/libretto`).mode & 0o777]).toEqual([0o600, 0o700]);
    const listed = await cli(['package', 'list', '--url', server.url]);
    expect([listed.exitCode, listed.stdout]).toEqual([0, expect.stringContaining('acme/lib')]);
    const published = await cli(['publish', folder.at('upload'), '--url', server.url]);
    expect(published.exitCode, published.stderr).toBe(0);
    const where = await cli(['login', '--list', '--json']);
    expect(JSON.parse(where.stdout)).toMatchObject({ sign_ins: [{ url: server.url, email: 'ada@example.org' }] });
    expect(where.stdout).not.toContain(token);
    const log = JSON.stringify(server.log());
    expect(log).toContain('/api/oauth/token');
    for (const secret of [token, 'dev_']) expect(log).not.toContain(secret);
  });

  itInSeries('lets Composer install, and keeps the other entries of auth.json', async () => {
    await using project = createProject({ url: server.url });
    const home = `${project.home}/composer`;
    mkdirSync(home);
    const auth = `${home}/auth.json`;
    const others = { 'github-oauth': { 'github.com': 'gho_x' }, bearer: { 'other.example.org': 'y' } };
    writeFileSync(auth, JSON.stringify(others), { mode: 0o644 });
    await login(['--composer'], { COMPOSER_HOME: home });
    const { token = '' } = signIn();
    const known = { 'other.example.org': 'y', [new URL(server.url).host]: token };
    expect(JSON.parse(readFileSync(auth, 'utf8'))).toEqual({ ...others, bearer: known });
    expect(statSync(auth).mode & 0o777).toBe(0o600);
    const required = await project.run('require', 'acme/lib');
    expect(required.exitCode, required.output).toBe(0);
    const out = await cli(['logout'], { COMPOSER_HOME: home });
    expect([out.exitCode, out.stdout]).toEqual([0, `Signed out of ${server.url}.`]);
    expect(JSON.parse(readFileSync(auth, 'utf8'))).toEqual(others);
    const stale = { bearer: { [new URL(server.url).host]: token } };
    const refused = await project.runWith({ COMPOSER_AUTH: JSON.stringify(stale) }, 'update', '--no-cache');
    expect([refused.exitCode === 0, refused.output]).toEqual([false, expect.stringContaining('expired or revoked')]);
  });

  itInSeries('says that the sign-in was denied', async () => {
    const { login: waiting, code } = await begin();
    await browser.post('/device/deny', { code });
    const { exitCode, stderr } = await waiting.ended;
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('denied in the console')]);
    expect(existsSync(file())).toBe(false);
  });

  it('ends the wait at Ctrl+C, without a trace', async () => {
    const { login: waiting } = await begin();
    waiting.signal('SIGINT');
    const { exitCode, stderr, stdout } = await waiting.ended;
    expect([exitCode, stderr, stdout]).toEqual([130, expect.stringContaining('Nobody was signed in'), '']);
    expect(existsSync(file())).toBe(false);
  });

  itInSeries('prints one JSON document with --json, and the code on standard error', async () => {
    const done = await login(['--json', '--days', '3']);
    const { token = '', ...kept } = signIn();
    expect(JSON.parse(done.stdout)).toEqual({ ...kept, role: 'maintainer', composer: null });
    expect(Math.round((Date.parse(kept['expires_at'] ?? '') - Date.now()) / 86_400_000)).toBe(3);
    expect(done.stdout).not.toContain(token);
  });

  itInSeries('shows the token to no list of processes, and the server logs neither codes nor tokens', async () => {
    const { login: waiting, code } = await begin([], {}, true);
    const line = readFileSync(`/proc/${waiting.pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    expect(line).toMatch(/login http:\S+ --name ada-laptop $/);
    await browser.post('/device/approve', { code, current_password: password });
    await waiting.ended;
    const log = JSON.stringify(server.log());
    expect(log).toContain('/api/oauth/token');
    for (const secret of [signIn()['token'] ?? '', code, 'dev_']) expect(log).not.toContain(secret);
  });

  itInSeries('a second login replaces the token, and ends the former one', async () => {
    await login();
    const { token: former = '' } = signIn();
    await login();
    const status = async (token: string) =>
      (await fetch(`${server.url}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await status(former), await status(signIn()['token'] ?? '')]).toEqual([401, 200]);
  });

  itInSeries('asks the secret service where it is, and then has no token in the file', async () => {
    const bin = folder.at('bin');
    mkdirSync(bin, { recursive: true });
    // a stand-in for secret-tool, which keeps the secret from its standard input
    const kept = `${config}-kept`;
    const script = `#!/bin/sh\nprintf '%s ' "$@" >> ${kept}-argv\ncase $1 in store) cat > ${kept};; lookup) cat ${kept};; clear) rm ${kept};; esac\n`;
    writeFileSync(`${bin}/secret-tool`, script);
    chmodSync(`${bin}/secret-tool`, 0o755);
    const desktop = {
      PATH: [bin, pathWithoutLibretto].join(delimiter),
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/tmp/bus',
    };
    const done = await login([], desktop);
    expect(done.stdout).toContain('the secret service of this desktop');
    const token = readFileSync(kept, 'utf8');
    expect(token).toMatch(/^lib_r_/);
    expect(readFileSync(file(), 'utf8') + readFileSync(`${kept}-argv`, 'utf8')).not.toContain(token);
    expect((await cli(['status', '--url', server.url], desktop)).exitCode).toBe(0);
    expect((await cli(['logout', server.url], desktop)).exitCode).toBe(0);
    expect(existsSync(kept)).toBe(false);
  });
});

describe('the stored token', () => {
  let stored = '';
  beforeAll(async () => {
    stored = config = folder.at('config-stored');
    await login();
  });
  beforeEach(() => void (config = stored));

  it('is refused once its person is disabled, with the next step', async () => {
    await host('user', 'disable', 'ada@example.org');
    const refused = await cli(['package', 'list', '--url', server.url]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('Your sign-in has ended: run')]);
    expect(refused.stderr).not.toContain('Ask the operator');
    await host('user', 'update', 'ada@example.org', '--enable');
    expect((await browser.post('/sign-in', { email: 'ada@example.org', password })).status).toBe(303);
    expect((await cli(['logout'])).exitCode).toBe(0);
  });

  it('is not used from a file that others can read', async () => {
    chmodSync(file(), 0o644);
    const refused = await cli(['package', 'list', '--url', server.url]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('Other users of this machine can')]);
    expect(refused.stderr).not.toContain('lib_r_');
    chmodSync(file(), 0o600);
  });

  it('is used only if no other is named, and only at its registry', async () => {
    const named = await cli(['package', 'list', '--url', server.url], { LIBRETTO_TOKEN: 'lib_r_no-token' });
    expect(named.exitCode).toBe(1);
    const other = await cli(['package', 'list', '--url', 'http://127.0.0.1:9']);
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('libretto login http://127.0.0.1:9')]);
  });
});

describe('what was mistyped', () => {
  const refused = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, stderr } = await cli(args);
    expect(exitCode).toBe(2);
    return stderr;
  };

  it('is refused with the next step', async () => {
    expect(await refused('login')).toContain('Name the registry');
    expect(await refused('login', server.url, '--days', '91')).toContain('from 1 to 90');
    expect(await refused('login', 'http://packages.example.org')).toContain('has no TLS');
    expect(await refused('logout')).toContain('signed in nowhere');
    expect(await refused('logout', 'https://packages.example.org')).toContain('not signed in at');
  });

  it('a server that is no registry gives no code', async () => {
    const { exitCode, stderr } = await cli(['login', `${server.url}/elsewhere`]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/elsewhere/)]);
  });
});

it('no test of this file left a program running', async () => {
  const { stdout } = await execa('sh', ['-c', 'ps -eo args | grep -c "[l]ogin http://127.0.0.1.*ada-laptop" || true']);
  expect(stdout).toBe('0');
});
