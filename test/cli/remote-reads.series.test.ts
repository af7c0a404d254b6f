// Tests that commands with --url read what the same commands read on the host, and do there what needs no session. The
// changes that need one are in operation-surfaces-*.test.ts.

import { createHmac } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { addTools } from '../util/forges/all-forges.ts';
import type { FakeForge } from '../util/forges/fake-forge.ts';
import { startGitHub } from '../util/forges/fake-github.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { remoteTerminal, type RemoteTerminal } from '../util/remote-terminal.ts';
import { startReceiver, type WebhookReceiver } from '../util/webhook-receiver.ts';
import { itInSeries, sampleOf } from '../util/series.ts';

type Json = Record<string, unknown>;

let registry: RemoteTerminal;
let forge: FakeForge;
let receiver: WebhookReceiver;
const ids: Record<string, string> = {};

const json = (text: string) => JSON.parse(text) as Json;
const place = () => ['--forge-url', forge.url, '--owner', forge.owner, '--token-file', 'token'];
const made = async (...args: readonly string[]): Promise<Json> => json(await registry.host(...args, '--json'));

beforeAll(async () => {
  [forge, receiver] = await Promise.all([startGitHub(), startReceiver()]);
  addTools(forge, 2);
  registry = await remoteTerminal('remote-reads', {
    egress: { allow: ['127.0.0.0/8'] },
    sourceRoots: [realpathSync(tmpdir())],
    publicUrl: 'https://packages.example.org',
  });
  const { folder, host } = registry;
  const rule = { rule: 'abandoned', name: 'abandoned', action: 'log' };
  writeTree(folder.path, { 'policy.json': JSON.stringify({ rules: [rule] }), token: `${forge.token}\n` });
  await host('policy', 'set', folder.at('policy.json'));
  for (const name of ['hello', 'old'])
    writeTree(folder.at('src', name), libraryTree(`acme/${name}`, { version: '1.0.0' }));
  const things: Readonly<Record<string, readonly string[]>> = {
    user: ['user', 'create', '--email', 'bob@example.org', '--invite'],
    team: ['team', 'create', 'Shop', '--package', 'acme/*', '--member', 'bob@example.org'],
    token: ['token', 'create', '--description', 'CI', '--package', 'acme/*:^1', '--limit', '50'],
    publisher: ['publisher', 'add', '--issuer', 'github', '--repository', 'acme/app', '--package', 'acme/app'],
    endpoint: ['notify', 'add', `${receiver.url}/here`, '--name', 'Here'],
    repository: ['repository', 'add', folder.at('src'), '--type', 'directory', '--only', 'acme/*'],
    connection: ['connection', 'add', 'github', ...place(), '--only', 'tool-1'],
  };
  for (const [name, args] of Object.entries(things)) {
    const { id, connection } = await made(...args);
    ids[name] = String(id ?? (connection as Json)['id']);
  }
  await host('repository', 'sync', ids['repository'] ?? '');
  await host('package', 'purge', 'acme/old', '1.0.0', '--reason', 'secret', '--note', 'a key', '--yes');
  const isSettled = async (): Promise<void> => {
    expect(await host('connection', 'show', ids['connection'] ?? '')).toContain('active');
    expect(await host('repository', 'list')).not.toMatch(/pending|syncing/);
  };
  await vi.waitFor(isSettled, { timeout: 60_000, interval: 200 });
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await Promise.all([forge[Symbol.asyncDispose](), receiver[Symbol.asyncDispose]()]);
});

const words = (line: string): readonly string[] =>
  line.split(' ').map((word) => word.replace(/^\{(\w+)\}$/, (_, name: string) => ids[name] ?? ''));
const there = (line: string) => registry.there(...words(line));

describe('a command with --url', () => {
  it('sends a test of an endpoint, and one event again, and knows when there is none', async () => {
    const tested = await there('notify test {endpoint}');
    expect([tested.exitCode, tested.stdout]).toEqual([0, expect.stringMatching(/^The test of Here .*delivered \(204/)]);
    const { deliveries } = json((await there('notify deliveries {endpoint} --json')).stdout) as { deliveries: Json[] };
    ids['event'] = String(deliveries[0]?.['id']);
    const again = await there('notify deliveries {endpoint} --replay {event}');
    expect([again.exitCode, again.stdout]).toEqual([0, '1 delivery is due now.']);
    const unknown = await there('notify deliveries {endpoint} --replay evt_0000000000000000000000');
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining(`deliveries ${ids['endpoint']}\``)]);
  });

  itInSeries('replays a delivery of a webhook', async () => {
    const secret = (await registry.host('repository', 'hook', ids['repository'] ?? '')).trim();
    const signature = `sha256=${createHmac('sha256', secret).update('{}').digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature, 'x-github-event': 'push', 'x-github-delivery': 'one' };
    const sent = await fetch(`${registry.url}/hooks/${ids['repository']}`, {
      method: 'POST',
      body: '{}',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    expect(sent.status, await sent.text()).toBeLessThan(300);
    const shown = json((await there('repository hook {repository} --json')).stdout);
    expect(shown).toMatchObject({ secret: null, replayed: null });
    ids['delivery'] = String((shown['deliveries'] as Json[])[0]?.['id']);
    const { replayed } = json((await there('repository hook {repository} --replay {delivery} --json')).stdout) as {
      replayed: { jobs: Json[] };
    };
    expect(replayed).toMatchObject({ delivery: ids['delivery'], jobs: [{ repository_id: ids['repository'] }] });
    await expect
      .poll(() => registry.host('repository', 'hook', ids['repository'] ?? '', '--json'))
      .toContain(`"job_id": "${String(replayed.jobs[0]?.['id'])}",\n          "state": "succeeded"`);
  });

  itInSeries('syncs a repository, and waits for its end', async () => {
    writeTree(registry.folder.at('src/next'), libraryTree('acme/next', { version: '1.0.0' }));
    const { exitCode, stderr, stdout } = await there('repository sync {repository}');
    expect([exitCode, stderr, stdout]).toEqual([
      0,
      '',
      expect.stringMatching(
        /^Synced: 1 added, 0 changed, 0 withdrawn \(publication \d\)\.\n {2}\+ acme\/next 1\.0\.0$/,
      ),
    ]);
    const verified = json((await there('repository verify {repository} --json')).stdout);
    expect(verified).toMatchObject({ ok: true });
  });

  itInSeries('refreshes a connection in the background', async () => {
    const begun = json((await there('connection refresh {connection} --json')).stdout);
    expect(begun).toMatchObject({ dry_run: false, finished: false, connection: { id: ids['connection'] }, steps: [] });
    const before = String((begun['connection'] as Json)['last_refreshed_at']);
    await vi.waitFor(
      async () =>
        expect((await made('connection', 'show', ids['connection'] ?? ''))['last_refreshed_at']).not.toBe(before),
      { timeout: 60_000, interval: 200 },
    );
    const draft = await there('connection refresh {connection} --dry-run');
    expect([draft.exitCode, draft.stderr]).toEqual([2, expect.stringContaining('on the host of the registry')]);
    const plan = await registry.there('connection', 'add', 'github', ...place(), '--dry-run');
    expect([plan.exitCode, plan.stderr]).toEqual([
      2,
      expect.stringContaining(`connected already, as ${ids['connection']}`),
    ]);
  });

  it.each(
    sampleOf(
      [
        'settings list --json',
        'user list --json',
        'user show bob@example.org --json',
        'user show {user} --json',
        'team list --json',
        'team show shop',
        'team show {team}',
        'publisher show {publisher}',
        'notify list',
        'notify show {endpoint}',
        'notify deliveries {endpoint}',
        'repository list',
        'repository show {repository} --json',
        'repository verify {repository}',
        'repository hook {repository} --json',
        'connection list',
        'connection show {connection} --json',
        'package list acme/*',
        'package statistics acme/lib --json',
        'package list --purged --json',
        'policy show',
        'policy hits --json',
        'policy feeds --json',
        'audit list --limit 2 --json',
        'audit list --action policy.replace --since 2020-01-31 --until 2099-01-31 --json',
        'audit list --limit 1000 --json',
      ],
      3,
    ),
  )('prints the same as on the host: %s', async (line) => {
    const { stdout, stderr, exitCode } = await there(line);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe((await registry.host(...words(line))).trimEnd());
  });

  it('shows and explains a token, where nobody counts its requests', async () => {
    const onHost = await made('token', 'show', ids['token'] ?? '');
    const shown = json((await there('token show {token} --json')).stdout);
    expect(shown).toEqual({ ...onHost, requests: { used: 0, limit: 50, resets_at: null } });
    expect((await there('token list')).stdout).toContain(ids['token']);
    const explained = await there('token explain {token} other/lib --json');
    expect([explained.exitCode, json(explained.stdout)['seen']]).toEqual([1, false]);
  });

  it('shows no address to a read token', async () => {
    const { token } = await made('token', 'create', '--description', 'CI');
    expect((await there(`repository list --token ${String(token)}`)).stdout).toContain('hidden from read tokens');
    const refused = await there(`team list --token ${String(token)}`);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('INSUFFICIENT_SCOPE')]);
  });

  it('tells each request with --verbose', async () => {
    expect((await there('repository list --verbose')).stderr).toMatch(
      /^GET \S+\/api\/repositories\?limit=200: 200 after \d+ ms$/,
    );
  });
});
