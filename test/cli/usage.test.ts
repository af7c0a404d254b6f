// Tests `libretto usage` on the host and with --url: the same answer, as text, JSON and CSV. A killed server loses
// seconds of counts at most.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { remoteTerminal, type RemoteTerminal } from '../util/remote-terminal.ts';
import { describeInSeries } from '../util/series.ts';

const download = async (url: string, path: string, token: string): Promise<void> => {
  const reply = await request(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  await reply.body.dump();
  expect(reply.statusCode).toBe(200);
};
const json = (text: string) => JSON.parse(text) as Record<string, unknown>;

describe('libretto usage', () => {
  let terminal: RemoteTerminal;
  beforeAll(async () => {
    terminal = await remoteTerminal('remote-usage');
  });
  afterAll(() => terminal[Symbol.asyncDispose]());

  it('answers on the host as with --url, and CSV runs no formula', async () => {
    expect(await terminal.host('usage', 'acme/lib')).toContain('settings set statistics.by token');
    await terminal.host('settings', 'set', 'statistics.by', 'token');
    for (const description of ['CI of the shop', '=HYPERLINK("https://evil.example","x"),\u202e y']) {
      const made = json(await terminal.host('token', 'create', '--description', description, '--json'));
      await download(terminal.url, '/dist/acme/lib/1.0.0.zip', String(made['token']));
    }
    const there = await terminal.there('usage', 'acme/lib');
    expect([there.exitCode, there.stderr]).toEqual([0, expect.any(String)]);
    const [heading, head, line] = there.stdout.split('\n');
    expect([heading, head?.split(/ {2,}/), line]).toEqual([
      '2 tokens use acme/lib:',
      ['LAST USE', 'USED BY', 'OWNER', 'VERSION', 'STATE', 'DOWNLOADS', 'INSTALLS', 'CLIENT'],
      expect.stringMatching(/^\d{4}-\d\d-\d\d {2}=HYPERLINK/),
    ]);
    expect(await terminal.host('usage', 'acme/lib')).toBe(there.stdout);
    const short = await terminal.there('usage', 'acme/lib', '1.0', '--csv');
    expect(short.stderr).toContain("1.0 means 1.0.0 alone, as in Composer. All of it: '1.0.*'");
    const document = json((await terminal.there('usage', 'acme/lib', '^1.0', '--json')).stdout);
    expect(document).toMatchObject({ name: 'acme/lib', tokens: 2, truncated: [] });
    expect(json(await terminal.host('usage', 'acme/lib', '^1.0', '--json'))).toEqual(document);
    const csv = (await terminal.there('usage', 'acme/lib', '--csv')).stdout;
    expect(csv.split('\n')).toEqual([
      expect.stringMatching(/^token,description,kind/),
      expect.stringContaining(`,"'=HYPERLINK(""https://evil.example"",""x""),`),
      expect.stringMatching(/^tok_\w+,CI of the shop,read,active,,1\.0\.0,supported,/),
    ]);
    expect(await terminal.host('usage', 'acme/lib', '--csv')).toBe(csv);
    expect(await terminal.host('package', 'purge', 'acme/lib', '1.0.0', '--reason', 'secret', '--dry-run')).toMatch(
      /Used by \(more: libretto usage acme\/lib 1\.0\.0\):\n(?:.*\n)*? {2}CI of the shop, last on \d{4}-\d\d-\d\d\n/,
    );
  });

  it('a lock file tells what a project runs, and the console shows it', async () => {
    const packages = [{ name: 'acme/lib', version: '1.0.0' }];
    const more = [{ name: 'symfony/yaml', version: 'v7.0.0', dist: { url: 'https://example.org/x.zip' } }];
    writeFileSync(terminal.folder.at('composer.lock'), JSON.stringify({ packages, 'packages-dev': more }));
    const made = json(await terminal.host('token', 'create', '--description', 'CI', '--json'));
    const many = Array.from({ length: 2001 }, (_, at) => ({ name: `acme/p${at}`, version: '1.0.0' }));
    writeFileSync(terminal.folder.at('many.lock'), JSON.stringify({ packages: many }));
    const report = ['report', 'composer.lock', '--project', '<b>/shop'] as const;
    for (const [args, message] of [
      [report, 'The project is refused:\n  --project: must be 1 to 100'],
      [['tell', 'acme/lib', '--subject', '', '--text', 'Update'], 'The message is refused:\n  --subject: '],
      [['report', 'many.lock', '--project', 'shop'], '  composer.lock: has more than 2,000 packages: report'],
      [['report', '--project', 'shop'], 'Give a composer.lock'],
      [['report', 'nowhere.lock', '--project', 'shop'], 'cannot be read as a composer.lock'],
    ] as const)
      expect(await terminal.there(...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
    const environment = { LIBRETTO_TOKEN: String(made['token']), LIBRETTO_URL: terminal.url };
    const sent = await runCli(['report', 'composer.lock', '--project', 'acme/shop'], {
      cwd: terminal.folder.path,
      environment,
    });
    expect([sent.exitCode, sent.stdout, sent.stderr]).toEqual([
      0,
      expect.stringContaining('acme/shop uses 1 package of this registry.'),
      '',
    ]);
    const shown = await terminal.host('usage', 'acme/lib');
    expect(shown).toMatch(
      /^2 tokens and 1 project use acme\/lib:\n.*\n(?:.*\n)*\d{4}-\d\d-\d\d {2}project acme\/shop /,
    );
    const page = (await terminal.browser.get('/packages/acme/lib/usage')).text;
    expect(page).toMatch(/Used by 2 tokens and 1 project[\s\S]*project acme\/shop/);
    const list = await terminal.browser.get('/projects?q=acme');
    expect(list.text).toMatch(/acme\/shop 1 0 \d{4}-\d\d-\d\d made by \S+ \(command line\)/);
    const [, id = ''] = /href="projects\/(prj_\w+)"/.exec(list.html) ?? [];
    expect((await terminal.browser.get('/packages/acme/lib/usage')).html).toContain(`projects/${id}"`);
    expect((await terminal.browser.get('/projects?q=none')).text).toContain('No project. A CI job reports one');
    const one = (await terminal.browser.get(`/projects/${id}`)).text;
    expect(one).toMatch(/it ran 1 package of this registry, 0 with an advisory[\s\S]*acme\/lib 1\.0\.0 supported/);
    expect((await terminal.browser.get(`/projects/${id}/remove`)).text).toContain('Remove acme/shop?');
    const removed = await terminal.browser.post(`/projects/${id}/remove`, {});
    expect([removed.status, removed.headers['location']]).toEqual([303, expect.stringContaining('notice=removed')]);
    expect((await terminal.browser.get(`/projects/${id}`)).status).toBe(404);
    const again = { cwd: terminal.folder.path, environment };
    expect((await runCli(['report', 'composer.lock', '--project', 'acme/shop'], again)).exitCode).toBe(0);
    expect(await terminal.host('report', '--remove', '--project', 'acme/shop')).toContain('Removed acme/shop');
    expect(await terminal.host('usage', 'acme/lib')).not.toContain('project');
  });

  it('the account page shows what a terminal used', async () => {
    const signIns = readFileSync(terminal.folder.at('config/libretto/sign-ins.json'), 'utf8');
    await download(terminal.url, '/dist/acme/lib/1.0.0.zip', /lib_[a-z]+_\w+/.exec(signIns)?.[0] ?? '');
    await terminal.there('usage', 'acme/lib');
    expect((await terminal.browser.get('/account')).text).toMatch(/laptop .*acme\/lib \(\d{4}-\d\d-\d\d\)/);
  });

  it('explains faulty values', async () => {
    const cases = [
      [['acme/none'], 'There is no package acme/none'],
      [['acme/lib', '>='], 'the constraint'],
      [['acme/lib', '--since', 'today'], 'a day such as'],
      [['acme/lib', '--csv', '--json'], '--csv and --json'],
    ] as const;
    for (const [args, message] of cases) {
      const { exitCode, stderr } = await terminal.there('usage', ...args);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});

describeInSeries('a server with statistics.by token', () => {
  let registry: ManagedRegistry;
  beforeAll(async () => {
    registry = await startManagedRegistry({});
    writeTree(registry.folder.path, below('lib', libraryTree('acme/lib', { version: '1.0.0' })));
    expect((await registry.cli('build', 'lib')).exitCode).toBe(0);
  });
  afterAll(() => registry[Symbol.asyncDispose]());

  it('keeps the counts that are seconds old when it is killed', async () => {
    expect((await registry.cli('settings', 'set', 'statistics.by', 'token')).exitCode).toBe(0);
    const made = json((await registry.cli('token', 'create', '--description', 'CI', '--json')).stdout);
    await download(registry.url(), '/dist/acme/lib/1.0.0.zip', String(made['token']));
    const lines = async (): Promise<string> => (await registry.cli('usage', 'acme/lib')).stdout;
    for (let left = 40; left > 0 && !(await lines()).includes('1 token'); left -= 1) await sleep(500);
    await registry.stop('SIGKILL');
    await registry.start();
    expect(await lines()).toContain('1 token uses acme/lib:');
  });
});
