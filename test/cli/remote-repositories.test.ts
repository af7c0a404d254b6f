// Tests commands about repositories, packages and the policy on a remote registry: a person's token reads, registers,
// checks and syncs; a change, a removal or a withdrawal becomes a link to the console's form.

import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { libraryTree, writeTree } from '../util/package-tree.ts';
import { serveTree, type RunningServer } from '../util/registry.ts';
import { runCli, startCli, type CliOutcome } from '../util/run-cli.ts';
import { createBrowser, type TestBrowser } from '../util/running-console.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const password = 'correct horse battery';
const folder = temporaryFolder('remote-repositories');
const agent = new Agent();
let server: RunningServer;
let browser: TestBrowser;
let id: string;

const environment = { XDG_CONFIG_HOME: folder.at('config') };
const run = (args: readonly string[], input = ''): Promise<CliOutcome> =>
  runCli(args, { cwd: folder.path, environment, input });
const host = async (...args: readonly string[]): Promise<string> => {
  const done = await run([...args, '--data', folder.at('data')], `${password}\n`);
  expect(done.exitCode, done.stderr).toBe(0);
  return done.stdout;
};
const remotely = (...args: readonly string[]): Promise<CliOutcome> => run([...args, '--url', server.url]);
const there = (...args: readonly string[]): Promise<CliOutcome> => remotely('repository', ...args);
const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
/** The form at a link that a person opens from a terminal. */
const opened = (link: string) =>
  browser.get(link.trim().slice(`${server.url}/ui`.length), { 'sec-fetch-site': 'none' });

beforeAll(async () => {
  writeTree(folder.at('packages/lib'), libraryTree('acme/lib', { version: '1.0.0' }));
  writeTree(folder.path, { 'libretto.json': JSON.stringify({ data: 'data', sourceRoots: [folder.at('packages')] }) });
  await host('user', 'create', '--admin', '--email', 'root@example.org', '--password-stdin');
  server = await serveTree(folder.path, folder.at('data'), []);
  browser = createBrowser(agent, server.url);
  expect((await browser.post('/sign-in', { email: 'root@example.org', password })).status).toBe(303);
  const login = startCli(['login', server.url, '--name', 'laptop'], { cwd: folder.path, environment });
  const [, code = ''] = await login.shows(/The code is (\S+)/);
  await browser.post('/device/approve', { code, current_password: password });
  expect((await login.ended).exitCode).toBe(0);
  const added = await there('add', folder.at('packages'), '--type', 'directory', '--only', 'acme/*', '--json');
  expect(added.exitCode, added.stderr).toBe(0);
  id = String(json(added.stdout)['id']);
});
afterAll(async () => {
  await agent.close();
  await server.stop();
  await folder.remove();
});

describe('libretto repository --url', () => {
  it('checks and syncs there, and prints what the commands print on the host', async () => {
    const found = await there('verify', id, '--json');
    expect([found.exitCode, json(found.stdout)]).toMatchObject([0, { ok: true, packages: ['acme/lib'] }]);
    expect((await there('verify', id)).stdout).toBe(await host('repository', 'verify', id));
    const synced = await there('sync', id);
    expect([synced.exitCode, synced.stderr, synced.stdout]).toEqual([
      0,
      '',
      'Synced: 1 added, 0 changed, 0 withdrawn (publication 1).\n  + acme/lib 1.0.0',
    ]);
    expect((await there('list')).stdout).toBe(await host('repository', 'list'));
    for (const args of [['list'], ['show', id]])
      expect(json((await there(...args, '--json')).stdout)).toEqual(json(await host('repository', ...args, '--json')));
    expect((await there('list', '--verbose')).stderr).toMatch(
      /^GET \S+\/api\/repositories\?limit=200: 200 after \d+ ms$/,
    );
  });

  it('prints the filled form of a change, and no secret', async () => {
    const before = await host('repository', 'show', id, '--json');
    const args = [
      '--interval',
      '15m',
      '--package',
      'acme/lib:^1.0',
      '--minimum-stability',
      'beta',
      '--without',
      'only',
    ];
    const asked = await there('update', id, ...args);
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('Nothing was changed.')]);
    const { html } = await opened(asked.stdout);
    expect(html).toMatch(/<option value="900" selected/);
    expect(html).toMatch(/<option value="beta" selected/);
    expect(html).toMatch(/<textarea[^>]*name="packages"[^>]*>acme\/lib = \^1\.0</);
    expect(html).toMatch(/<textarea[^>]*name="only"[^>]*></);
    writeTree(folder.path, { 'token.txt': 'hunter2\n' });
    const secret = await there('update', id, '--token-file', 'token.txt');
    expect([secret.exitCode, secret.stdout, secret.stderr]).toEqual([
      2,
      `${server.url}/ui/repositories/${id}/credentials`,
      expect.stringContaining('Enter the credentials there'),
    ]);
    const both = await there('update', id, '--token-file', 'token.txt', '--interval', '1h');
    expect([both.exitCode, both.stdout, both.stderr]).toEqual([2, '', expect.stringContaining('one after the other')]);
    expect(await host('repository', 'show', id, '--json')).toBe(before);
  });

  it('takes no credential on the host that the API would refuse as too long', async () => {
    writeTree(folder.path, { 'long.txt': 'x'.repeat(20_001) });
    const args = ['repository', 'add', 'https://git.example.org/acme/long', '--token-file', 'long.txt'];
    const refused = await run([...args, '--data', folder.at('data')]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('the limit is 20000 bytes')]);
  });

  it('names in the form of a removal what it withdraws', async () => {
    const asked = await there('remove', id, '--yes');
    expect(asked.exitCode).toBe(2);
    expect((await opened(asked.stdout)).text).toContain('It withdraws 1 package');
  });

  it('names the flag of a value that the registry refuses, and an unknown repository', async () => {
    const refused = await there('add', 'https://me:hunter2@git.example.org/x', '--only', '..');
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^libretto: The repository is refused:\n {2}the address: .*credentials.*\n {2}--only: /),
    ]);
    expect(refused.stderr).not.toContain('hunter2');
    const unknown = await there('show', 'repo_0000000000000000');
    expect([unknown.exitCode, unknown.stdout, unknown.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('`libretto repository list` shows all of them.'),
    ]);
  });

  it('shows no address to a read token, and reports an address without a registry', async () => {
    const { token } = json(await host('token', 'create', '--description', 'CI', '--json'));
    expect((await there('list', '--token', String(token))).stdout).toContain('hidden from read tokens');
    const outcome = await run(['repository', 'list', '--url', 'http://127.0.0.1:1', '--token', 'x']);
    expect([outcome.exitCode, outcome.stdout, outcome.stderr]).toEqual([
      1,
      '',
      expect.stringContaining('http://127.0.0.1:1 cannot be reached'),
    ]);
  });
});

describe('libretto package --url', () => {
  it('shows what the commands show on the host', async () => {
    const [there, here] = [await remotely('package', 'statistics', 'acme/lib', '--json'), ['acme/lib', '--json']];
    expect(json(there.stdout)).toEqual(json(await host('package', 'statistics', ...here)));
    writeTree(folder.at('packages/old'), libraryTree('acme/old', { version: '0.9.0' }));
    await host('repository', 'sync', id);
    await host('package', 'purge', 'acme/old', '0.9.0', '--reason', 'secret', '--note', 'a key', '--yes');
    const purged = json((await remotely('package', 'list', '--purged', '--json')).stdout);
    expect(purged).toEqual(json(await host('package', 'list', '--purged', '--json')));
    expect(purged).toMatchObject({ format: 1, versions: [{ name: 'acme/old', note: 'a key', content: { files: 2 } }] });
    expect((await remotely('package', 'list', 'acme/*')).stdout).toBe(await host('package', 'list', 'acme/*'));
  });

  it('asks in the console before a withdrawal', async () => {
    const unknown = await remotely('package', 'withdraw', 'acme/nothing', '1.0.0');
    expect([unknown.exitCode, unknown.stdout]).toEqual([2, '']);
    const asked = await remotely('package', 'withdraw', 'acme/lib', '1.0.0');
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('Nothing was changed.')]);
    expect((await opened(asked.stdout)).text).toContain('Withdraw acme/lib 1.0.0?');
  });
});

describe('libretto policy --url', () => {
  it('shows the rules, the hits and the feeds as on the host', async () => {
    const rule = { rule: 'abandoned', name: 'abandoned', action: 'log' };
    writeTree(folder.path, { 'policy.json': JSON.stringify({ rules: [rule] }) });
    await host('policy', 'set', folder.at('policy.json'));
    for (const command of ['show', 'hits', 'feeds'])
      expect(json((await remotely('policy', command, '--json')).stdout), command).toEqual(
        json(await host('policy', command, '--json')),
      );
    expect((await remotely('policy', 'show')).stdout).toBe(await host('policy', 'show'));
    const asked = await remotely('policy', 'feeds', '--accept', 'osv', '--json');
    expect([asked.exitCode, json(asked.stdout)]).toEqual([
      2,
      { confirmed: false, form: `${server.url}/ui/policy/feeds/osv/accept` },
    ]);
  });
});
