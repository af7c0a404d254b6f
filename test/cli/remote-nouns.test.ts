// Tests commands about teams and publishers, and `libretto api`, on a remote registry: they read with the person's
// token, and what needs a session becomes a link to the console's form, which the person confirms there.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { hashToken } from '../../proxy/core/tokens/token-format.ts';
import { signTarget } from '../../proxy/registry/signed-link.ts';
import { adminPassword, remoteTerminal, type RemoteTerminal } from '../util/remote-terminal.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { createBrowser, type TestBrowser } from '../util/running-console.ts';

const password = adminPassword;
let terminal: RemoteTerminal;
let browser: TestBrowser;

beforeAll(async () => {
  terminal = await remoteTerminal('remote-nouns');
  ({ browser } = terminal);
});
afterAll(() => terminal[Symbol.asyncDispose]());

const run = (args: readonly string[], options: { readonly heading?: boolean } = {}) =>
  runCli(args, {
    cwd: terminal.folder.path,
    environment: { XDG_CONFIG_HOME: terminal.folder.at('config') },
    ...options,
  });
const host = (...args: readonly string[]): Promise<string> => terminal.host(...args);
const there = (...args: readonly string[]): Promise<CliOutcome> => terminal.there(...args);
const json = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout) as Record<string, unknown>;

/** The form at a link that a command printed. */
const opened = (link: string) => browser.get(link.slice(`${terminal.url}/ui`.length));

describe('libretto team --url', () => {
  it('lists and shows teams as on the host, by name and by id', async () => {
    const team = json({ stdout: await host('team', 'create', 'Shop', '--package', 'acme/*', '--json') });
    expect(json(await there('team', 'list', '--json'))).toEqual(json({ stdout: await host('team', 'list', '--json') }));
    for (const name of ['shop', String(team['id'])])
      expect((await there('team', 'show', name)).stdout).toBe(await host('team', 'show', name));
    const unknown = await there('team', 'show', 'Nobody');
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('There is no team "Nobody".')]);
    expect(unknown.stderr).toContain('`libretto team list` shows all of them.');
  });

  it('prints the filled form of a change, and changes nothing', async () => {
    const before = await host('team', 'list', '--json');
    const made = await there('team', 'create', 'Web', '--package', 'acme/web-*', '--package', 'acme/ui');
    expect([made.exitCode, made.stderr]).toEqual([2, expect.stringContaining('Nothing was changed.')]);
    const { html } = await opened(made.stdout.trim());
    expect(html).toMatch(/name="name"[^>]*value="Web"/);
    expect(html).toMatch(/<textarea[^>]*name="packages"[^>]*>acme\/web-\*\nacme\/ui</);
    expect(html).not.toMatch(/class="[^"]*fault/);
    const changed = await there('team', 'update', 'Shop', '--package', 'acme/shop', '--json');
    const form = String(json(changed)['form']);
    expect(json(changed)['confirmed']).toBe(false);
    const edit = (await opened(form)).html;
    // what was not given keeps its value
    expect(edit).toMatch(/name="name"[^>]*value="Shop"/);
    expect(edit).toMatch(/<textarea[^>]*name="packages"[^>]*>acme\/shop</);
    expect(await host('team', 'list', '--json')).toBe(before);
  });

  it('does what the form says once the person confirms it, and asks for the password', async () => {
    const link = (await there('team', 'create', 'Api', '--package', 'acme/api')).stdout.trim();
    const { pathname } = new URL(link);
    const fields = { name: 'Api', packages: 'acme/api', members: '' };
    browser.cookies.delete([...browser.cookies.keys()].find((name) => name.includes('confirmed')) ?? '');
    expect((await browser.post(pathname.slice('/ui'.length), fields)).status).toBe(400);
    const done = await browser.post(pathname.slice('/ui'.length), { ...fields, current_password: password });
    expect(done.status).toBe(303);
    expect((await there('team', 'show', 'Api')).stdout).toContain('acme/api');
  });

  it('names a member in the question before its removal, also by the address', async () => {
    await host('team', 'add-member', 'Shop', 'root@example.org');
    const asked = await there('team', 'remove-member', 'Shop', ' ROOT@example.org');
    const nobody = await run([
      'team',
      'remove-member',
      'Shop',
      'root@example.org',
      'nobody@x',
      '--data',
      terminal.folder.at('data'),
    ]);
    expect([nobody.exitCode, nobody.stderr]).toEqual([2, expect.stringContaining('Nobody was removed.')]);
    expect((await there('team', 'show', 'Shop')).stdout).toContain('root@example.org');
    expect((await opened(asked.stdout.trim())).text).toContain('Remove root@example.org from Shop?');
  });

  it('is refused to a token that may not list teams', async () => {
    const token = String(json({ stdout: await host('token', 'create', '--description', 'CI', '--json') })['token']);
    const refused = await there('team', 'list', '--token', token);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('INSUFFICIENT_SCOPE')]);
  });

  it('needs no address where the person is signed in and no data folder is found', async () => {
    mkdirSync(terminal.folder.at('elsewhere'));
    const signedIn = {
      cwd: terminal.folder.at('elsewhere'),
      environment: { XDG_CONFIG_HOME: terminal.folder.at('config') },
    };
    const listed = await runCli(['team', 'list'], { ...signedIn, heading: true });
    expect(listed).toMatchObject({ exitCode: 0, stdout: (await there('team', 'list')).stdout });
    expect(listed.stderr).toContain(`Registry: ${terminal.url}`);
    const nobody = await runCli(['team', 'list'], { cwd: terminal.folder.at('elsewhere') });
    expect([nobody.exitCode, nobody.stderr]).toEqual([2, expect.stringContaining('data folder')]);
    const both = await run(['team', 'list', '--url', terminal.url, '--data', terminal.folder.at('data')]);
    expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining('a registry (--url)')]);
    expect(both.stderr).toContain(terminal.folder.at('data'));
  });

  it('is refused without a link to a token that has ended, and for what is no id', async () => {
    const ended = await there('team', 'create', 'Web', '--package', 'acme/web', '--token', `lib_r_${'a'.repeat(38)}`);
    expect([ended.stdout, ended.stderr]).toEqual(['', expect.stringContaining('token')]);
    const dots = await there('repository', 'hook', '..', '--replay', 'dlv_aaaaaaaaaaaaaaaa');
    expect([dots.exitCode, dots.stderr]).toEqual([2, expect.stringContaining('".." is no id')]);
  });

  it('names the registry in its first line', async () => {
    const { stderr } = await run(['team', 'list', '--url', terminal.url], { heading: true });
    expect(stderr.split('\n')[0]).toBe(`Registry: ${terminal.url}`);
  });
});

describe('a filled form', () => {
  const linkOf = async (...args: readonly string[]): Promise<string> => (await there(...args)).stdout.trim();

  it('says which terminal filled it in, and takes nothing from a link that no terminal of the person signed', async () => {
    const link = await linkOf('team', 'create', 'Web', '--package', 'acme/web');
    expect((await opened(link)).text).toContain('Your token “libretto login on laptop” filled in this page.');
    for (const other of [
      link.replace('acme%2Fweb', '*'),
      link.replace('name=Web', 'name=Web&members=mallory@example.org'),
      link.replace(/&_signature=.*/, ''),
      link.replace(/_signature=./, '_signature=_'),
      `${link}&members=mallory@example.org`,
      `${link}&_signature=${'A'.repeat(43)}`,
      `${terminal.url}/ui/teams/new?name=Web&_signature=`,
    ]) {
      const { status, html, text } = await opened(other);
      expect([other, status, /value="Web"/.test(html), text.includes('filled in this page')]).toEqual([
        other,
        200,
        false,
        false,
      ]);
    }
  });

  it('is filled in for the person of the terminal alone, also after signing in', async () => {
    const link = await linkOf('team', 'create', 'Web', '--package', 'acme/web');
    await host('user', 'create', '--admin', '--email', 'other@example.org', '--password-stdin');
    const other = createBrowser(terminal.agent, terminal.url);
    expect((await other.post('/sign-in', { email: 'other@example.org', password })).status).toBe(303);
    expect((await other.get(link.slice(`${terminal.url}/ui`.length))).html).not.toContain('value="Web"');
    const signedOut = createBrowser(terminal.agent, terminal.url);
    const { headers } = await signedOut.get(link.slice(`${terminal.url}/ui`.length));
    const next = new URL(String(headers['location']), `${terminal.url}/ui/teams/new`).searchParams.get('next');
    expect(next).toBe(link.slice(`${terminal.url}/ui`.length));
  });

  it('takes only the fields of the operation, and no password', async () => {
    const token = hashToken(
      String(
        JSON.parse(readFileSync(terminal.folder.at('config/libretto/sign-ins.json'), 'utf8')).sign_ins[0].token,
      ) as never,
    );
    const target = signTarget('/teams/new?name=Web&current_password=guess&role=admin', token);
    const { html } = await browser.get(target);
    expect(html).toContain('value="Web"');
    expect(html).not.toMatch(/guess|value="admin"/);
  });

  it('asks for another choice where the registry does not have the one of the link', async () => {
    const args = ['publisher', 'add', '--repository', 'acme/shop', '--package', 'acme/shop', '--issuer'];
    expect((await opened(await linkOf(...args, 'gitlab'))).html).toMatch(
      /<option value="https:\/\/gitlab\.com" selected/,
    );
    const { html } = await opened(await linkOf(...args, 'https://ci.example.org'));
    expect(html).toMatch(/<option value="https:\/\/ci\.example\.org" selected[^>]*>[^<]*not possible here/);
  });
});

describe('libretto publisher --url', () => {
  it('fills in the form of a publisher with its claims and versions', async () => {
    const args = ['--issuer', 'github', '--purpose', 'read', '--repository', 'acme/app', '--package', 'acme/*:^1'];
    const asked = await there('publisher', 'add', ...args, '--claim', 'runner_environment=self-hosted');
    expect(asked.exitCode, asked.stderr).toBe(2);
    const { html } = await opened(asked.stdout.trim());
    expect(html).toMatch(/name="repository"[^>]*value="acme\/app"/);
    expect(html).toContain('runner_environment = self-hosted');
    expect(html).toMatch(/<option value="read" selected/);
    expect(html).toMatch(/<textarea[^>]*name="constraints"[^>]*>acme\/\* = \^1</);
  });
});

describe('libretto api', () => {
  const api = (...args: readonly string[]): Promise<CliOutcome> => there('api', ...args);

  it('sends any request to the API, and prints the JSON of its answer', async () => {
    const { data } = json(await api('GET', '/api/packages', '--field', 'limit=1')) as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(['acme/lib']);
    const draft = ['--field', 'type=git', '--field', 'url=https://git.example.org/acme/tool.git'];
    const made = await api(
      'post',
      '/api/repositories',
      ...draft,
      '--field',
      'only[]=acme/*',
      '--field',
      'interval=900',
    );
    expect([made.exitCode, json(made)]).toMatchObject([0, { only: ['acme/*'], interval: 900 }]);
    const body = terminal.folder.at('body.json');
    writeFileSync(body, JSON.stringify({ type: 'git', url: 'https://git.example.org/acme/web.git' }));
    expect((await api('POST', '/api/repositories', '--input', body)).exitCode).toBe(0);
    expect(json(await api('GET', '/api/repositories', '--field', 'limit=1', '--all'))).toMatchObject({
      data: [{ type: 'git' }, { type: 'git' }],
      next_cursor: null,
    });
  });

  it('ends with 1 for a refusal, and prints it', async () => {
    const refused = await api('POST', '/api/teams', '--field', 'name=Web', '--field', 'packages[]=acme/*');
    expect([refused.exitCode, json(refused)['code']]).toEqual([1, 'INSUFFICIENT_SCOPE']);
    expect(refused.stderr).toContain('libretto login');
    expect((await api('GET', '/api/nothing')).exitCode).toBe(1);
  });

  it.each([
    [['GET', '/api/../p2/acme/lib.json'], 'no path of the API'],
    [['GET', 'https://other.example.org/api/packages'], 'no path of the API'],
    [['TRACE', '/api/packages'], 'is unknown'],
    [['POST', '/api/teams', '--field', 'name'], 'NAME=VALUE'],
    [['POST', '/api/teams', '--field', 'name=a', '--field', 'name=b'], 'given twice'],
    [['GET', '/api/teams', '--input', '-'], 'another method than GET'],
  ])('refuses %j before it sends anything', async (args, reason) => {
    const { exitCode, stderr } = await api(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });

  it('needs a registry', async () => {
    const { exitCode, stderr } = await runCli(['api', 'GET', '/api/packages'], {
      cwd: terminal.folder.at('elsewhere'),
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('libretto login')]);
  });
});
