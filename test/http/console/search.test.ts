// Tests the search over everything: what each role finds, names with typing errors, and versions.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Found } from '../../../proxy/search/find-anything.ts';
import { below, temporaryTree } from '../../util/package-tree.ts';
import { runCli } from '../../util/run-cli.ts';
import { runConsole, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';
import { whoLibrary } from '../../util/who-library.ts';

describe('the search', () => {
  let running: RunningConsole;
  let admin: TestBrowser;

  beforeAll(async () => {
    running = await runConsole();
    const tree = temporaryTree({
      ...below('packages/money', whoLibrary('acme/money', '1.2.0')),
      ...below('packages/money2', whoLibrary('acme/money', '2.0.0')),
      ...below('packages/mail', whoLibrary('acme/mailer', '1.2.0')),
      ...below('packages/export', whoLibrary('acme/xml-export', '2.4.0')),
    });
    await runCli(['build', 'packages', '--data', running.registry.data], { cwd: tree.root });
    tree.remove();
    await running.registry.services.tokensOf('cli:test').create({ description: 'CI of the shop', kind: 'read' });
    admin = (await running.signIn('admin')).browser;
  });
  afterAll(() => running[Symbol.asyncDispose]());

  /** The addresses of what the search finds. */
  const find = async (words: string, browser = admin): Promise<readonly string[]> => {
    const { html } = await browser.get(`/search?q=${encodeURIComponent(words)}`);
    const [, list = ''] = /<div id="found"(.*?)<\/main>/s.exec(html) ?? [];
    return [...list.matchAll(/<a href="([^"]*)"/g)].map(([, to = '']) => to);
  };

  it.each([
    ['money', ['packages/acme/money']],
    ['moeny', ['packages/acme/money']],
    ['acme/mnoey', ['packages/acme/money']],
    ['money 1.', ['packages/acme/money/version?version=1.2.0', 'packages/acme/money']],
    ['moeny v2', ['packages/acme/money/version?version=2.0.0', 'packages/acme/money']],
    ['xmlexport', ['packages/acme/xml-export']],
    ['expt 2.4', ['packages/acme/xml-export/version?version=2.4.0', 'packages/acme/xml-export']],
    ['hsop', [expect.stringMatching(/^tokens\/tok_/)]],
    ['shop', [expect.stringMatching(/^tokens\/tok_/)]],
    ['notificatons', ['notifications']],
    ['rollback', ['history']],
    ['rolback', ['history']],
    ['lifetmie', ['settings/people-and-sessions']],
    ['keyles_only', ['settings/syncs-and-uploads']],
    ['limits.read', ['settings/request-limits']],
    ['nothing of the kind', []],
  ])('finds %j', async (words, expected) => {
    expect(await find(words)).toEqual(expected);
  });

  it('finds people for admins', async () => {
    const { email } = await running.registry.signIn('viewer');
    const mistyped = email.replace(/^(.)(.)/, '$2$1');
    for (const words of [
      email,
      mistyped,
      email.replace('.org', '.ogr'),
      email.replace('@', '2@'),
      'exmaple viewer',
      'viewre',
    ])
      expect([words, await find(words)]).toEqual([words, [expect.stringMatching(/^people\/usr_/)]]);
  });

  it('finds for each role only what it may open', async () => {
    const viewer = await running.signIn('viewer');
    for (const words of ['shop', viewer.email, 'audit', 'notifications'])
      expect([words, await find(words, viewer.browser)]).toEqual([words, []]);
    expect(await find('money', viewer.browser)).toEqual(['packages/acme/money']);
    const keeper = await running.signIn('maintainer');
    expect(await find('shop', keeper.browser)).toEqual([]);
  });

  it('answers the API with the same, as far as the caller may list it', async () => {
    const { call, services } = running.registry;
    const { secret } = await services.tokensOf('cli:test').create({
      description: 'Customer of the shop',
      kind: 'read',
      limits: { packages: ['acme/mailer'] },
    });
    const own = (await running.registry.signIn('admin')).token;
    const ask = async (words: string, as = own): Promise<readonly string[]> =>
      ((await call('GET', `/api/search?q=${words}`, { as })).json()['data'] as Found[]).map(
        ({ kind, name, id }) => `${kind} ${name}${kind === 'version' ? ` ${id}` : ''}`,
      );
    expect(await ask('moeny+1.2')).toEqual(['version acme/money 1.2.0', 'package acme/money']);
    expect(await ask('shop')).toEqual(['token CI of the shop', 'token Customer of the shop']);
    expect(await ask('')).toEqual([]);
    for (const [words, found] of [
      ['acme', ['package acme/mailer']],
      ['shop', []],
      ['money', []],
      ['lifetime', []],
    ] as const)
      expect([words, await ask(words, secret.reveal())]).toEqual([words, found]);
  });

  it('leads only to pages that exist', async () => {
    for (const words of ['money 2', 'shop', 'e'])
      for (const to of await find(words)) expect([to, (await admin.get(`/${to}`)).status]).toEqual([to, 200]);
  });
});
