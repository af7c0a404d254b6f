// Tests the pages about repositories over a socket, without JavaScript: the list, a repository, its syncs with their
// log while they run, and the removal. The builder answers as the test says.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../util/eventually.ts';
import { runConsole, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';
import { unchangedReport } from '../../util/scripted-builder.ts';

const minute = 60_000;
let nowMs = Date.parse('2026-11-23T09:00:00Z');
let console: RunningConsole;
let keeper: TestBrowser;
let password = '';

beforeAll(async () => {
  console = await runConsole({ now: () => nowMs });
});
beforeEach(async () => {
  ({ browser: keeper, password } = await console.signIn('maintainer'));
});
afterAll(() => console[Symbol.asyncDispose]());

let made = 0;
/** Registers a repository, and returns its page. */
const register = async (interval: number | null = null): Promise<string> => {
  const url = `https://git.example.org/acme/tool-${++made}.git`;
  const { id } = await console.registry.services
    .repositoriesOf('cli:test')
    .create({ type: 'git', url, interval, credentials: { username: 'robot', password: 'the password of git' } });
  return `/repositories/${id}`;
};
/** Presses "Sync now", and returns the page of the job. */
const sync = async (page: string): Promise<string> => {
  const { status, headers } = await keeper.post(`${page}/sync`, {});
  expect(status).toBe(303);
  return `${page}/jobs/${/job_\w{16}/.exec(String(headers['location']))?.[0]}`;
};
const idle = (): Promise<void> => console.registry.repositories.syncer.idle();
const leftOut = { name: 'acme/tool', version: 'v1', code: 'X', message: 'the tag is <b>no version</b>', where: 'v1' };

describe('the list', () => {
  it('says without a repository what to do next', async () => {
    await using empty = await runConsole();
    const { browser } = await empty.signIn('maintainer');
    const { text, html } = await browser.get('/repositories');
    expect(text).toContain('No repository yet');
    expect(html).toContain('href="repositories/new"');
    const viewer = await (await empty.signIn('viewer')).browser.get('/repositories');
    expect(viewer.text).toContain('A maintainer can add');
    expect(viewer.html).not.toContain('repositories/new');
  });

  it('shows address, state, last success, next sync and versions left out, and filters by words and state', async () => {
    const [good, bad] = [await register(900), await register()];
    const { builder } = console.registry.repositories;
    builder.answer(() => ({ exitCode: 1, report: { ...unchangedReport, quarantined: [leftOut] }, messages: '' }));
    await sync(good);
    await idle();
    builder.answer(() => ({ exitCode: 1, report: undefined, messages: 'libretto: the host <i>is</i> silent' }));
    await sync(bad);
    await idle();
    const { text, html } = await keeper.get('/repositories');
    expect(text).toMatch(/acme\/tool-1 Git repository · \S+tool-1\.git synced just now in 15 minutes 1/);
    expect(text).toMatch(
      /acme\/tool-2 Git repository · \S+tool-2\.git The host <i>is<\/i> silent failed never only on request 0/,
    );
    expect(html).not.toContain('<i>is</i>');
    const found = async (query: string) =>
      [...(await keeper.get(`/repositories${query}`)).html.matchAll(/class="main-link">([^<]+)</g)].map(
        ([, url]) => url,
      );
    expect(await found('?q=tool-1')).toEqual(['acme/tool-1']);
    expect(await found('?state=error')).toEqual(['acme/tool-2']);
    expect(await found('?kind=composer')).toEqual([]);
  });
});

describe('a sync', () => {
  it('shows its log while it runs, and its result without a further reload', async () => {
    const page = await register();
    const { builder } = console.registry.repositories;
    const before = builder.calls.length;
    const held = builder.hold();
    const job = await sync(page);
    await eventually(() => builder.calls.length > before);
    const running = await keeper.get(job);
    expect(running.text).toContain('09:00:00 Started.');
    expect(running.html).toContain('http-equiv="refresh" content="3"');
    expect(running.html).toContain('id="job" class="two-columns" data-refresh="1"');
    expect((await keeper.get(page)).text).toContain('A sync is running.');
    held.release({
      exitCode: 1,
      report: {
        ...unchangedReport,
        published: true,
        serial: 7,
        added: [{ name: 'acme/tool', version: '1.0.0' }],
        quarantined: [leftOut],
      },
      messages: '',
    });
    await idle();
    const ended = await keeper.get(job);
    expect(ended.html).not.toMatch(/http-equiv="refresh"|data-refresh/);
    expect(ended.text).toContain('State succeeded Versions 1 added, 1 left out');
    expect(ended.text).toContain('acme/tool v1 The tag is <b>no version</b> v1');
    expect(ended.html).not.toContain('<b>no version</b>');
    expect(ended.html).toMatch(/href="[./]*packages\/acme\/tool">acme\/tool<\/a>\s*<a href="[^"]*version=1\.0\.0"/);
    expect((await keeper.get(page)).text).toContain('1 version cannot be published.');
  });

  it('says why it failed, and that what was published stays', async () => {
    const page = await register();
    console.registry.repositories.builder.answer(() => ({
      exitCode: 1,
      report: undefined,
      messages: 'libretto: The host refused the password.',
    }));
    const job = await sync(page);
    await idle();
    expect((await keeper.get(job)).text).toContain('The host refused the password.');
    const { text, html } = await keeper.get(page);
    expect(text).toContain('The last sync failed: The host refused the password. What was published before stays');
    expect(text).toContain('Credentials user name and password');
    nowMs += 30 * minute;
    await sync(page);
    await idle();
    nowMs += 2 * minute;
    expect((await keeper.get(page)).text).toMatch(/Started by 2 minutes ago 2 times since 32 minutes ago failed/);
    expect(html).not.toContain('the password of git');
  });
});

describe('adding one', () => {
  const form = { type: 'git', url: '', auth: 'none', interval: '900', only: 'acme/*', versions: 'acme/tool: ^1.0' };
  const verified = {
    ok: true,
    message: null,
    tags: 2,
    branches: 1,
    default_branch: 'main',
    protocol: null,
    package_count: null,
    packages: ['acme/tool'],
    problems: ['v1: <b>no version</b>'],
  };
  const all = () => console.registry.services.repositoriesOf('cli:test').list();

  it('checks before it saves: says what would be found, stores nothing, and shows no secret again', async () => {
    const { builder } = console.registry.repositories;
    builder.answer(() => ({ exitCode: 0, report: verified, messages: '' }));
    const before = await all();
    const url = 'https://git.example.org/acme/checked.git';
    const fields = { ...form, url, auth: 'basic', username: 'robot', secret: 'secret of the draft' };
    const reply = await keeper.post('/repositories/new/check', fields);
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('It can be read: 2 tags, 1 branch, default branch main. Packages acme/tool');
    expect(reply.html).not.toContain('<b>no version</b>');
    expect(reply.html).toContain(`value="${url}"`);
    expect(reply.html).not.toContain('secret of the draft');
    expect(builder.calls.at(-1)?.join(' ')).not.toContain('secret of the draft');
    expect(await all()).toEqual(before);
    const key = '-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5IGF0IGFsbA\n-----END PRIVATE KEY-----';
    const withKey = { ...form, url: 'ssh://git@git.example.org/acme/checked.git', auth: 'ssh_key', private_key: key };
    const answered = await keeper.post('/repositories/new/check', withKey);
    expect([answered.status, answered.html.includes('bm90IGEga2V5')]).toEqual([200, false]);
  });

  it('says why it cannot be read, and keeps what was typed', async () => {
    const report = { ...verified, ok: false, message: 'the host <i>refused</i> it' };
    console.registry.repositories.builder.answer(() => ({ exitCode: 1, report, messages: '' }));
    const url = 'https://git.example.org/acme/refused.git';
    const { text, html } = await keeper.post('/repositories/new/check', { ...form, url });
    expect(text).toContain('It cannot be read: the host <i>refused</i> it');
    expect(html).not.toContain('<i>refused</i>');
    expect(html).toContain('acme/*</textarea>');
  });

  it('names no command where the page has the button, and links to the repository that has the address', async () => {
    const message =
      'Credentials are missing or were not accepted: give this repository others: `libretto repository update ' +
      'repo_rHy6Zf35IiKLGiF3` with --password-file, --token-file or --key-file.';
    const report = { ...verified, ok: false, message };
    console.registry.repositories.builder.answer(() => ({ exitCode: 1, report, messages: '' }));
    const url = 'https://git.example.org/acme/private.git';
    const { text } = await keeper.post('/repositories/new/check', { ...form, url });
    expect(text).toContain('It cannot be read: Credentials are missing or were not accepted: enter others under');
    expect(text).not.toMatch(/repo_|libretto repository/);
    const known = await register();
    const { html } = await keeper.post('/repositories/new', {
      ...form,
      url: `https://git.example.org/acme/tool-${made}.git`,
    });
    expect(html).toMatch(new RegExp(`registered already, as <a href="[./]*${known}">`));
  });

  it('adds what cannot be read only by the button that says so', async () => {
    const report = { ...verified, ok: false, message: 'the host is down' };
    console.registry.repositories.builder.answer(() => ({ exitCode: 1, report, messages: '' }));
    const before = await all();
    const url = 'https://git.example.org/acme/down.git';
    const refused = await keeper.post('/repositories/new', { ...form, url });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('It cannot be read: the host is')]);
    expect(refused.html).toContain(`value="${url}"`);
    expect(refused.html).toContain('acme/*</textarea>');
    expect(refused.html).toMatch(/<button class="button" form="repository" name="anyway" value="on">\s*Add it anyway/);
    expect(await all()).toEqual(before);
    const added = await keeper.post('/repositories/new', { ...form, url, anyway: 'on' });
    const { status, headers } = added;
    expect([status, headers['location']]).toEqual([
      303,
      expect.stringMatching(/repo_\w{16}\/jobs\/job_\w{16}\?notice=added$/),
    ]);
    expect((await all()).map((one) => one.url)).toContain(url);
  });

  it('adds it by Enter: the first button of each form is the one that adds', async () => {
    for (const path of ['/repositories/new', '/connections/new', '/tokens/new']) {
      const { html } = await keeper.get(path);
      const [first = ''] = /<button[^>]*>/.exec(html.slice(html.indexOf('<form class="form"'))) ?? [];
      expect([path, first]).toEqual([path, expect.stringMatching(/^<button class="unseen"(?!.*formaction)/)]);
    }
  });

  it('saves kind, credentials, interval and filters, and names each fault beside its field', async () => {
    console.registry.repositories.builder.answer(() => ({ exitCode: 0, report: verified, messages: '' }));
    const url = 'https://git.example.org/acme/added.git';
    const bad = await keeper.post('/repositories/new', { ...form, url, auth: 'bearer', minimum_stability: 'odd' });
    expect(bad.status).toBe(400);
    expect(bad.html).toMatch(/id="secret-fault"/);
    const address = await keeper.post('/repositories/new', { ...form, url: 'javascript://alert(1)' });
    expect(address.text).toContain('It is "javascript://alert(1)"; allowed: https://');
    const stability = await keeper.post('/repositories/new', { ...form, url, minimum_stability: 'odd' });
    expect(stability.html).toMatch(/id="minimum_stability-fault"/);
    const { headers, status } = await keeper.post('/repositories/new', {
      ...form,
      url,
      auth: 'bearer',
      secret: 'token of git',
    });
    expect(status).toBe(303);
    const id = /repo_\w{16}/.exec(String(headers['location']))?.[0] ?? '';
    expect((await all()).find((one) => one.id === id)).toMatchObject({
      url,
      interval: 900,
      credentials_kind: 'bearer',
      filters: { only: ['acme/*'], versions: { 'acme/tool': '^1.0' } },
    });
    const again = await keeper.post('/repositories/new', { ...form, url });
    expect(again.text).toContain(`${url} is registered already, as ${id} .`);
  });

  it('refuses a folder outside of the permitted ones, and a viewer', async () => {
    const reply = await keeper.post('/repositories/new/check', { ...form, type: 'directory', url: '/etc' });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.text).toContain('This folder is not allowed: whoever runs the server adds it');
    expect(reply.text).not.toContain('libretto.json');
    const { browser } = await console.signIn('viewer');
    for (const path of ['/repositories/new', '/repositories/new/check'])
      expect((await browser.post(path, form)).status).toBe(403);
  });
});

describe('changing one', () => {
  it('says when a regular sync is overdue', async () => {
    const page = await register(900);
    await sync(page);
    await idle();
    for (const [after, words] of [
      [10, 'Next sync in 5 minutes'],
      [6, 'Next sync within minutes'],
      [3, 'Next sync overdue'],
    ] as const) {
      nowMs += after * minute;
      expect((await keeper.get(page)).text).toContain(words);
    }
  });

  it('changes what was edited, and keeps every other filter as it is', async () => {
    const page = await register(900);
    const id = page.slice('/repositories/'.length);
    const repositories = console.registry.services.repositoriesOf('cli:test');
    await repositories.update(id, { filters: { tags: [], only: ['acme/*'] } });
    const { html } = await keeper.get(`${page}/edit`);
    expect(html).toContain('acme/*</textarea>');
    expect(html).toContain('<option value="900" selected');
    const saved = await keeper.post(`${page}/edit`, { interval: '', only: 'acme/*', branches: 'main\n*.x' });
    expect(saved.status).toBe(303);
    expect(await repositories.get(id)).toMatchObject({
      interval: null,
      filters: { tags: [], only: ['acme/*'], branches: ['main', '*.x'] },
    });
  });

  it('replaces and removes credentials, and asks for the password', async () => {
    const page = await register();
    const id = page.slice('/repositories/'.length);
    const kind = async () => (await console.registry.services.repositoriesOf('cli:test').get(id)).credentials_kind;
    nowMs += 6 * minute;
    expect((await keeper.post(`${page}/credentials`, { auth: 'bearer', secret: 'new secret' })).status).toBe(400);
    expect(await kind()).toBe('basic');
    const confirmed = { current_password: password };
    await keeper.post(`${page}/credentials`, { auth: 'bearer', secret: 'new secret', ...confirmed });
    expect(await kind()).toBe('bearer');
    await keeper.post(`${page}/credentials`, { auth: 'none' });
    expect(await kind()).toBe(null);
  });
});

describe('the removal', () => {
  it('names the repository and what happens, and asks for the password', async () => {
    const { browser, userId, password: own } = await console.signIn('maintainer');
    keeper = browser;
    password = own;
    const page = await register();
    const { text, status } = await keeper.get(`${page}/remove`);
    expect(status).toBe(200);
    expect(text).toContain(`Remove acme/tool-${made}?`);
    expect(text).toContain('It withdraws nothing. Its credentials and its syncs are deleted.');
    nowMs += 6 * minute;
    expect((await keeper.post(`${page}/remove`, {})).status).toBe(400);
    expect((await keeper.get(page)).status).toBe(200);
    const done = await keeper.post(`${page}/remove`, { current_password: password });
    expect([done.status, done.headers['location']]).toEqual([303, '../../repositories?notice=removed-empty']);
    expect((await keeper.get('/repositories?notice=removed-empty')).text).toContain('It had no published version.');
    expect((await keeper.get(page)).status).toBe(404);
    await idle();
    expect(console.registry.repositories.builder.calls).toContainEqual([
      'repository',
      'withdraw',
      '--on-behalf-of',
      `user:${userId}`,
    ]);
  });
});

it('a viewer sees repositories and syncs, and may change none', async () => {
  const page = await register();
  const job = await sync(page);
  const { browser } = await console.signIn('viewer');
  const { html, text } = await browser.get(page);
  expect(html).not.toMatch(/\/sync"|\/remove"/);
  expect(text).toContain('by test (command line)');
  expect((await browser.get(job)).status).toBe(200);
  for (const action of ['sync', 'remove']) expect((await browser.post(`${page}/${action}`, {})).status).toBe(403);
  await idle();
});
