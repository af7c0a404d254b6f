// Tests commands about tokens, settings, users and the audit log of a remote registry: they print what they print on
// its host, and a change becomes a link to the form of the console.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runCli, startCli } from '../util/run-cli.ts';
import { createBrowser } from '../util/running-console.ts';
import { adminPassword, remoteTerminal, type RemoteTerminal } from '../util/remote-terminal.ts';

let registry: RemoteTerminal;
beforeAll(async () => void (registry = await remoteTerminal('remote-administration')));
afterAll(() => registry[Symbol.asyncDispose]());

const json = (text: string) => JSON.parse(text) as Record<string, unknown>;
/** The documents of a command on the host and with --url. */
const both = async (...args: readonly string[]): Promise<readonly [there: unknown, host: unknown]> => {
  const { stdout, stderr, exitCode } = await registry.there(...args, '--json');
  expect(exitCode, stderr).toBe(0);
  return [json(stdout), json(await registry.host(...args, '--json'))];
};

describe('libretto settings --url', () => {
  it('lists the settings as on the host', async () => {
    const [there, host] = await both('settings', 'list');
    expect(there).toEqual(host);
  });

  it.each([
    ['limits.read', '2500', 'value="2500"'],
    ['mirroring.enabled', 'true', ' checked'],
    ['mirroring.allow', '["acme/*","symfony/*"]', '>acme/*\nsymfony/*<'],
    ['warnings', '[{"versions":"<2.5","message":"Update: now"}]', '>&lt;2.5: Update: now<'],
    ['advertise', '["search","list"]', 'value="list" checked'],
  ])('fills in the form of %s', async (key, value, shown) => {
    const asked = await registry.there('settings', 'set', key, value);
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('Nothing was changed.')]);
    expect((await registry.opened(asked)).html).toContain(shown);
  });

  it('asks in the console before a change is removed', async () => {
    await registry.host('settings', 'set', 'retention.jobs', '9');
    const asked = await registry.there('settings', 'unset', 'retention.jobs');
    expect((await registry.opened(asked)).text).toContain('Remove the change of retention.jobs?');
    const unknown = await registry.there('settings', 'set', 'limit.read', '5');
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean limits.read?')]);
  });
});

describe('libretto token --url', () => {
  const make = async (...args: readonly string[]): Promise<string> =>
    String(json(await registry.host('token', 'create', '--description', 'CI', '--json', ...args))['id']);

  it('lists, shows and explains tokens as on the host, where nobody counts requests', async () => {
    const id = await make('--package', 'acme/*:^1', '--limit', '50');
    const [shown, onHost] = await both('token', 'show', id);
    expect(shown).toEqual({ ...(onHost as object), requests: { used: 0, limit: 50, resets_at: null } });
    const [there] = await both('token', 'list');
    expect((there as { tokens: { id: string }[] }).tokens.map((token) => token.id)).toContain(id);
    const explained = await registry.there('token', 'explain', id, 'other/lib', '--json');
    expect([explained.exitCode, json(explained.stdout)]).toEqual([
      1,
      expect.objectContaining({ token_id: id, seen: false }),
    ]);
    const unknown = await registry.there('token', 'show', 'tok_0123456789abcdef');
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('Token not found.')]);
  });

  it('fills in the form of a new token with its limits, and of a changed one', async () => {
    const limits = [
      '--package',
      'acme/*',
      '--package',
      'acme/shop:^1',
      '--package',
      'acme/core:<3',
      '--network',
      '10.0.0.0/8',
    ];
    const args = ['--description', 'Shop', '--kind', 'write', '--expires', '2099-01-31', ...limits];
    expect((await registry.there('token', 'create', ...args)).stderr).toContain('more than ten years');
    const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const asked = await registry.there('token', 'create', ...args.with(5, day));
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('Nothing was changed.')]);
    const { html, text } = await registry.opened(asked);
    expect(html).toMatch(/name="description"[^>]*value="Shop"/);
    expect(html).toMatch(/value="write" checked/);
    expect(html).toContain(`<option value="${day}T23:59:59.000Z" selected`);
    expect(html).toMatch(/name="packages"[^>]*>acme\/\*\nacme\/core\nacme\/shop</);
    for (const value of ['acme/shop', '^1', 'acme/core', '&lt;3']) expect(html).toContain(`value="${value}"`);
    expect(html).toContain('10.0.0.0/8');
    expect(text).not.toContain('Must be');
    expect(text).toContain('Your token “libretto login on laptop” filled in this page.');
    const long = Array.from({ length: 600 }, (_, at) => ['--network', `10.0.${Math.floor(at / 250)}.${at % 250}/32`]);
    const tooLong = await registry.there('token', 'create', '--description', 'Shop', ...long.flat());
    expect([tooLong.exitCode, tooLong.stdout, tooLong.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('this is too much for a link'),
    ]);
    const id = await make('--package', 'acme/*:^1', '--limit', '50');
    const changed = await registry.there('token', 'update', id, '--limit', 'default', '--clear', 'packages');
    const edit = (await registry.opened(changed)).html;
    expect(edit).toMatch(/name="rate_limit"[^>]*value=""/);
    expect(edit).not.toContain('value="^1"');
    expect(edit).toMatch(/name="description"[^>]*value="CI"/);
    const expires = `${day}T12:34:56.000Z`;
    expect((await registry.browser.post(`/tokens/${id}/edit`, { description: 'CI', expires })).status).toBe(303);
    expect(json(await registry.host('token', 'show', id, '--json'))).toMatchObject({ expires_at: expires });
  });

  it('leads to the questions before a rotation and a revocation, and prints no secret', async () => {
    const id = await make();
    const rotation = await registry.there('token', 'rotate', id, '--grace', '30m');
    const { html } = await registry.opened(rotation);
    expect(html).toContain('<option value="1800" selected');
    expect(html).toContain('filled in this page');
    const unknown = await registry.there('token', 'rotate', 'tok_0123456789abcdef');
    expect([unknown.exitCode, unknown.stdout, unknown.stderr]).toEqual([2, '', expect.stringContaining('not found')]);
    const done = await registry.browser.post(`/tokens/${id}/revoke`, { current_password: adminPassword });
    expect(done.status).toBe(303);
    const again = await registry.there('token', 'revoke', id);
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('was revoked already')]);
    expect(rotation.stdout + rotation.stderr).not.toContain('lib_r_');
  });
});

describe('libretto user --url', () => {
  it('lists and shows users as on the host, by id and by email', async () => {
    const { id } = json(await registry.host('user', 'create', '--email', 'bob@example.org', '--invite', '--json'));
    await registry.host('team', 'create', 'Shop', '--package', 'acme/*', '--member', 'bob@example.org');
    for (const args of [['list'], ['show', 'bob@example.org'], ['show', String(id)], ['show', 'root@example.org']]) {
      const [there, host] = await both('user', ...args);
      expect(there).toEqual(host);
    }
    const unknown = await registry.there('user', 'show', 'nobody@example.org');
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      2,
      'libretto: There is no user "nobody@example.org". `libretto user list` shows all of them.',
    ]);
  });

  it('fills in the form of an invitation, and asks for no password', async () => {
    const args = ['--email', 'eve@example.org', '--name', 'Eve', '--role', 'maintainer'];
    const without = await registry.there('user', 'create', ...args);
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('add --invite')]);
    const asked = await registry.there('user', 'create', ...args, '--invite');
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('Nothing was changed.')]);
    const { html } = await registry.opened(asked);
    expect(html).toMatch(/name="email"[^>]*value="eve@example.org"/);
    expect(html).toMatch(/name="name"[^>]*value="Eve"/);
    expect(html).toMatch(/value="maintainer" checked/);
  });

  it.each([
    ['--role', 'admin', 'Change the role of bob@example.org'],
    ['--policy-editor', undefined, 'Let bob@example.org change the policy?'],
    ['--invite', undefined, 'Make a new invitation for bob@example.org?'],
    ['--enable', undefined, 'Enable bob@example.org?'],
    ['--reset-two-factor', undefined, 'Turn off two-factor authentication for bob@example.org?'],
  ])('leads to the question of update %s', async (flag, value, title) => {
    const args = value === undefined ? [flag] : [flag, value];
    const asked = await registry.there('user', 'update', 'bob@example.org', ...args);
    expect((await registry.opened(asked)).text).toContain(title);
  });

  it('takes no right away that a link would give', async () => {
    const asked = await registry.there('user', 'update', 'bob@example.org', '--no-policy-editor');
    expect((await registry.opened(asked)).text).not.toContain('change the policy?');
  });

  it('leads to the question before an account is disabled, and refuses several changes at once', async () => {
    const asked = await registry.there('user', 'disable', 'bob@example.org');
    expect((await registry.opened(asked)).text).toContain('Disable bob@example.org?');
    const several = await registry.there('user', 'update', 'bob@example.org', '--role', 'viewer', '--enable');
    expect([several.exitCode, several.stdout, several.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('Make one change after the other.'),
    ]);
    const name = await registry.there('user', 'update', 'bob@example.org', '--name', 'Bob');
    expect([name.exitCode, name.stdout, name.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('run the same command on the host of the registry'),
    ]);
  });
});

describe('a maintainer who sees only the packages of teams', () => {
  const person = 'may@example.org';
  const options = () => ({
    cwd: registry.folder.path,
    environment: { XDG_CONFIG_HOME: registry.folder.at('config-of-may') },
  });
  const there = (...args: readonly string[]) => runCli([...args, '--url', registry.url], options());

  beforeAll(async () => {
    const account = ['--email', person, '--role', 'maintainer', '--password-stdin'];
    await registry.host('user', 'create', ...account);
    await registry.host('settings', 'set', 'people.packages', 'teams');
    const browser = createBrowser(registry.agent, registry.url);
    expect((await browser.post('/sign-in', { email: person, password: adminPassword })).status).toBe(303);
    const login = startCli(['login', registry.url], options());
    const [, code = ''] = await login.shows(/The code is (\S+)/);
    await browser.post('/device/approve', { code, current_password: adminPassword });
    expect((await login.ended).exitCode).toBe(0);
  });

  it.each([
    [['package', 'withdraw', 'acme/lib', '1.0.0']],
    [['token', 'create', '--description', 'CI']],
    [['repository', 'update', 'repo_0000000000000000', '--interval', '1h']],
  ])('is refused %j before a link is printed', async (args) => {
    const refused = await there(...args);
    expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('You see only the packages of your teams'),
    ]);
  });

  it('is still refused by the role first', async () => {
    expect((await there('policy', 'feeds', '--accept', 'osv')).stderr).toContain('The role maintainer may not do that');
  });
});

describe('libretto audit --url', () => {
  it('lists events as on the host, also more than a page has, with filters', async () => {
    await registry.host('settings', 'set', 'retention.jobs', '7');
    for (const args of [
      ['--limit', '2'],
      ['--action', 'settings.update', '--since', '2020-01-31', '--until', '2099-01-31'],
      ['--limit', '1000'],
    ]) {
      const [there, host] = await both('audit', 'list', ...args);
      expect(there).toEqual(host);
    }
    const none = await registry.there('audit', 'list', '--subject', 'nothing');
    expect([none.exitCode, none.stderr]).toEqual([0, 'There is no such event in the audit log.']);
  });

  it('verifies only the log of this host', async () => {
    const { exitCode, stderr } = await registry.there('audit', 'verify');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--url')]);
  });
});
