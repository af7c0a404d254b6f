// Tests what is peculiar to changes with --url: who may use a printed link, what a link never has, and what only the
// host or the console does. operation-surfaces-*.test.ts has what each change does. `libretto api` sends any request.

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
const ids: Record<string, string> = {};

beforeAll(async () => {
  terminal = await remoteTerminal('remote-changes');
  ({ browser } = terminal);
  writeFileSync(terminal.folder.at('token'), 'hunter2\n');
  const things: Readonly<Record<string, string>> = {
    team: 'team create Shop --package acme/*',
    user: 'user create --email bob@example.org --invite',
    token: 'token create --description CI',
    endpoint: 'notify add https://chat.example.org/T0 --name Here',
    repository: 'repository add https://git.example.org/acme/old.git --type git',
  };
  for (const [name, line] of Object.entries(things))
    ids[name] = String(json({ stdout: await host(...line.split(' '), '--json') })['id']);
});
afterAll(() => terminal[Symbol.asyncDispose]());

const run = (args: readonly string[], options: { readonly heading?: boolean } = {}) =>
  runCli(args, {
    cwd: terminal.folder.path,
    environment: { XDG_CONFIG_HOME: terminal.folder.at('config') },
    ...options,
  });
const host = (...args: readonly string[]): Promise<string> => terminal.host(...args);
const there = (...args: readonly string[]): Promise<CliOutcome> =>
  terminal.there(...args.map((word) => word.replace(/^\{(\w+)\}$/, (_, name: string) => ids[name] ?? '')));
const json = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout) as Record<string, unknown>;

/** The form at a link that a command printed. */
const opened = (link: string) => browser.get(link.slice(`${terminal.url}/ui`.length));

describe('a change with --url', () => {
  it('prints its form as JSON, and changes nothing until the person confirms it with the password', async () => {
    const before = await host('team', 'list', '--json');
    const changed = json(await there('team', 'update', 'Shop', '--package', 'acme/shop', '--json'));
    expect(changed).toEqual({
      confirmed: false,
      form: expect.stringContaining(`/teams/${ids['team']}/edit?`) as string,
    });
    browser.cookies.delete([...browser.cookies.keys()].find((name) => name.includes('confirmed')) ?? '');
    const path = new URL(String(changed['form'])).pathname.slice('/ui'.length);
    expect((await browser.post(path, { name: 'Shop', packages: 'acme/shop' })).status).toBe(400);
    expect(await host('team', 'list', '--json')).toBe(before);
  });

  it.each([
    ['package withdraw acme/lib 1.0.0', 'Withdraw acme/lib 1.0.0?'],
    ['policy feeds --accept osv', 'There is no feed osv.'],
    ['repository remove {repository} --yes', 'It withdraws nothing.'],
    ['team remove-member Shop root@example.org', 'Nobody was removed.'],
    ['user update bob@example.org --reset-two-factor', 'Turn off two-factor authentication for bob@example.org?'],
    ['user update bob@example.org --invite', 'Create a new invitation for bob@example.org?'],
    ['notify update {endpoint} --disable', 'Turn off Here?'],
  ])('%s asks: %s', async (line, question) => {
    const { stdout, stderr, exitCode } = await there(...line.split(' '));
    expect(exitCode).toBe(2);
    expect(stderr + (stdout === '' ? '' : (await opened(stdout)).text)).toContain(question);
  });

  it.each([
    ['connection add github --owner acme --token-file token --hooks', 'but for credentials', 'hunter2'],
    ['notify add https://chat.example.org/T0SECRET --form slack', 'but for url: no link holds a secret', 'T0SECRET'],
    ['repository update {repository} --token-file token', 'Nothing was changed.', 'hunter2'],
  ])('%s prints no secret', async (line, said, secret) => {
    const asked = await there(...line.split(' '));
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining(said)]);
    expect(asked.stdout + asked.stderr).not.toContain(secret);
    const { html } = await opened(asked.stdout);
    // the signature of the link is no value of a field `signature`
    expect(html).not.toMatch(new RegExp(`${secret}|not possible here`));
  });

  it('takes no right away that a link would give', async () => {
    const asked = await there('user', 'update', 'bob@example.org', '--no-policy-editor');
    expect((await opened(asked.stdout)).text).not.toContain('change the policy?');
  });

  it('is not needed for a token that was revoked already', async () => {
    await host('token', 'revoke', ids['token'] ?? '');
    const again = await there('token', 'revoke', '{token}');
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('was revoked already')]);
  });

  it.each([
    ['team show Nobody', 'There is no team "Nobody". `libretto team list` shows all of them.'],
    ['user show nobody@x.org', 'There is no user "nobody@x.org". `libretto user list` shows all of them.'],
    ['token show tok_0123456789abcdef', 'Token not found.'],
    ['repository show repo_0000000000000000', '`libretto repository list` shows all of them.'],
    ['repository hook repo_0000000000000000 --replay dlv_0', '`libretto repository list` shows all of them.'],
    ['repository hook {repository} --replay dlv_0000000000000000', '` lists them'],
    ['repository hook .. --replay dlv_aaaaaaaaaaaaaaaa', '".." is no id'],
    ['connection show conn_0000000000000000', '`libretto connection list` shows all of them.'],
    ['settings set limit.read 5', 'did you mean limits.read?'],
    ['token create --description Shop --expires 2099-01-31', 'more than ten years'],
    ['user create --email eve@example.org', 'add --invite'],
    ['user update bob@example.org --role viewer --enable', 'Make one change after the other.'],
    ['notify update {endpoint} --enable --name There', 'without other changes'],
    ['notify test --mail ada@example.org', 'configuration of this machine'],
    ['repository update {repository} --token-file token --interval 1h', 'one after the other'],
    ['repository add https://me:hunter2@git.example.org/x', 'the address: '],
    ['audit verify', '--url'],
    ['connection add gitea --owner acme --token-file token --dry-run', 'name yours with --forge-url'],
  ])('%s is refused: %s', async (line, reason) => {
    const { exitCode, stdout, stderr } = await there(...line.split(' '));
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)]);
    expect(stderr).not.toContain('hunter2');
  });

  it.each([
    [
      ['connection', 'add', 'github', '--owner', 'acme', '--url', 'https://github.example.org'],
      'the forge, use --forge-url.',
    ],
    [
      ['connection', 'add', 'github', '--owner', 'acme', '--url', 'https://x.example.org', '--token', 'x'],
      'use --forge-url',
    ],
    [['notify', 'update', 'ntf_0', '--name', 'x', '--url', 'https://x.example.org'], 'of the endpoint, use --to.'],
    [['team', 'list', '--url', 'http://127.0.0.1:1', '--data', 'data'], 'a registry (--url)'],
  ])('names the new option of %j', async (args, reason) => {
    const { exitCode, stderr } = await run(args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });

  it('is refused without a link to a token that has ended, and where no registry is', async () => {
    const args = ['team', 'create', 'Web', '--package', 'acme/web', '--token', `lib_r_${'a'.repeat(38)}`];
    expect(await there(...args)).toMatchObject({ stdout: '', stderr: expect.stringContaining('token') as string });
    const { exitCode, stderr } = await run(['repository', 'list', '--url', 'http://127.0.0.1:1', '--token', 'x']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('http://127.0.0.1:1 cannot be reached')]);
  });

  it('needs no address where the person is signed in and no data folder is found', async () => {
    mkdirSync(terminal.folder.at('elsewhere'));
    const cwd = terminal.folder.at('elsewhere');
    const environment = { XDG_CONFIG_HOME: terminal.folder.at('config') };
    const listed = await runCli(['team', 'list'], { cwd, environment, heading: true });
    expect(listed).toMatchObject({ exitCode: 0, stdout: (await there('team', 'list')).stdout });
    expect(listed.stderr).toContain(`Registry: ${terminal.url}`);
    const nobody = await runCli(['team', 'list'], { cwd });
    expect([nobody.exitCode, nobody.stderr]).toEqual([2, expect.stringContaining('data folder')]);
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
      link.replace(/_signature=(.)/, (_, first) => `_signature=${first === '_' ? 'A' : '_'}`),
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
      data: [{ type: 'git' }, { type: 'git' }, { type: 'git' }],
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
