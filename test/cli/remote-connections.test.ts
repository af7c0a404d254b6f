// Tests `libretto connection --url`: they read, plan and refresh with a person's token.
// What needs a session becomes a link to the console's form, and no link holds credentials.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { addTools } from '../util/forges/all-forges.ts';
import { startGitHub } from '../util/forges/fake-github.ts';
import { remoteTerminal, type RemoteTerminal } from '../util/remote-terminal.ts';

type Json = Record<string, unknown>;

let terminal: RemoteTerminal;
let forge: Awaited<ReturnType<typeof startGitHub>>;
let id: string;
let place: readonly string[];

const json = (stdout: string) => JSON.parse(stdout) as Json;

beforeAll(async () => {
  forge = await startGitHub();
  addTools(forge, 2);
  terminal = await remoteTerminal('remote-connections', { egress: { allow: ['127.0.0.0/8'] } });
  writeFileSync(terminal.folder.at('token'), `${forge.token}\n`);
  place = ['connection', 'add', 'github', '--forge-url', forge.url, '--owner', forge.owner];
  const made = json(await terminal.host(...place, '--token-file', 'token', '--only', 'tool-1', '--json'));
  id = String((made['connection'] as Json)['id']);
});
afterAll(async () => {
  await terminal[Symbol.asyncDispose]();
  await forge[Symbol.asyncDispose]();
});

describe('libretto connection --url', () => {
  it('fills in the form, but for the credentials', async () => {
    const given = ['--token-file', 'token', '--only', 'a-*', '--only', 'b', '--hooks'];
    const asked = await terminal.there(...place, ...given);
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('but for credentials')]);
    expect(asked.stdout + asked.stderr).not.toContain(forge.token);
    const { html } = await terminal.opened(asked);
    expect(html).toContain(`value="${forge.url}"`);
    expect(html).toMatch(/<textarea[^>]*name="only"[^>]*>a-\*\nb</);
    expect(html).toMatch(/name="hooks"[^>]* checked/);
    expect(html).not.toMatch(/name="forks"[^>]* checked/);
    expect(html).toContain('filled in this page');
    expect((await terminal.there(...place)).exitCode).toBe(2);
  });

  it('refuses a plan of an owner that is connected, and names the option of a forge', async () => {
    const plan = await terminal.there(...place, '--token-file', 'token', '--dry-run');
    expect([plan.exitCode, plan.stderr]).toEqual([2, expect.stringContaining(`is connected already, as ${id}`)]);
    const former = await terminal.run(...place, '--token-file', 'token', '--url', forge.url, '--insecure-http');
    expect([former.exitCode, former.stderr]).toEqual([2, expect.stringContaining('the forge, use --forge-url.')]);
    const data = ['--url', forge.url, '--data', terminal.folder.at('data')];
    const local = await terminal.run(...place, '--token-file', 'token', ...data);
    expect([local.exitCode, local.stderr]).toEqual([
      2,
      expect.stringMatching(/names a registry\. .*use --forge-url\./),
    ]);
    const withToken = await terminal.run(...place, '--url', forge.url, '--token', 'lib_r_no', '--dry-run');
    expect([withToken.exitCode, withToken.stderr]).toEqual([2, expect.stringContaining('use --forge-url')]);
    const gitea = await terminal.there(
      'connection',
      'add',
      'gitea',
      '--owner',
      'acme',
      '--token-file',
      'token',
      '--dry-run',
    );
    expect([gitea.exitCode, gitea.stderr]).toEqual([2, expect.stringContaining('name yours with --forge-url')]);
  });
});

describe('libretto connection --url', () => {
  it('refreshes in the background, and lists and shows what the host does', async () => {
    const { host, there } = terminal;
    await vi.waitFor(async () => expect(await host('connection', 'show', id)).toContain('active'), { timeout: 30_000 });
    const begun = json((await there('connection', 'refresh', id, '--json')).stdout);
    expect(begun).toMatchObject({ dry_run: false, finished: false, connection: { id }, steps: [] });
    const before = String((begun['connection'] as Json)['last_refreshed_at']);
    await vi.waitFor(
      async () => expect(json(await host('connection', 'show', id, '--json'))['last_refreshed_at']).not.toBe(before),
      { timeout: 30_000, interval: 200 },
    );
    for (const args of [['list'], ['list', '--json'], ['show', id], ['show', id, '--json']])
      expect((await there('connection', ...args)).stdout).toBe(await host('connection', ...args));
    const draft = await there('connection', 'refresh', id, '--dry-run');
    expect([draft.exitCode, draft.stderr]).toEqual([2, expect.stringContaining('on the host of the registry')]);
  });

  it('fills in what changes; credentials have a form of their own', async () => {
    const { html } = await terminal.opened(await terminal.there('connection', 'update', id, '--interval', '15m'));
    expect(html).toMatch(/<option value="900" selected/);
    expect(html).toMatch(/<textarea[^>]*name="only"[^>]*>tool-1</);
    const replaced = await terminal.there('connection', 'update', id, '--token-file', 'token');
    expect(replaced.stdout).not.toContain(forge.token);
    expect((await terminal.opened(replaced)).text).toContain('Replace the credentials of');
    const both = await terminal.there('connection', 'update', id, '--token-file', 'token', '--forks');
    expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining('without other changes')]);
    const removed = await terminal.there('connection', 'remove', id, '--yes');
    expect((await terminal.opened(removed)).text).toContain('1 repository stays registered');
    const unknown = await terminal.there('connection', 'show', 'conn_0000000000000000');
    expect(unknown.stderr).toContain('`libretto connection list` shows all of them.');
    const update = await terminal.there('connection', 'update', 'conn_0000000000000000', '--forks');
    expect([update.exitCode, update.stdout, update.stderr]).toEqual([2, '', unknown.stderr]);
  });
});
