// Tests `libretto repository hook --url`: it shows and replays with a person's token. A new secret is made in the
// console, which shows it once.

import { createHmac } from 'node:crypto';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { remoteTerminal, type RemoteTerminal } from '../util/remote-terminal.ts';

let terminal: RemoteTerminal;
let id: string;

const json = (stdout: string) => JSON.parse(stdout) as Record<string, unknown>;

beforeAll(async () => {
  terminal = await remoteTerminal('remote-hooks', {
    sourceRoots: [realpathSync(tmpdir())],
    publicUrl: 'https://packages.example.org',
  });
  mkdirSync(terminal.folder.at('sources/hello'), { recursive: true });
  const composerJson = JSON.stringify({ name: 'acme/hello', version: '1.0.0' });
  writeFileSync(terminal.folder.at('sources/hello/composer.json'), composerJson);
  const added = await terminal.host(
    'repository',
    'add',
    terminal.folder.at('sources'),
    '--type',
    'directory',
    '--json',
  );
  id = String(json(added)['id']);
});
afterAll(() => terminal[Symbol.asyncDispose]());

describe('libretto repository hook --url', () => {
  it('leads to the form that makes the webhook, for one repository and for all', async () => {
    for (const target of [id, '--all']) {
      const asked = await terminal.there('repository', 'hook', target);
      expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('Nothing was changed.')]);
      expect(asked.stderr).not.toContain('filled in');
      expect((await terminal.opened(asked)).text).toContain('Make the webhook of');
    }
  });

  it('shows what the host does, and replays a delivery', async () => {
    const { host, there, url } = terminal;
    const secret = (await host('repository', 'hook', id)).trim();
    const body = '{}';
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature, 'x-github-event': 'push', 'x-github-delivery': 'one' };
    const sent = await fetch(`${url}/hooks/${id}`, {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    expect(sent.status, await sent.text()).toBeLessThan(300);
    const shown = json((await there('repository', 'hook', id, '--json')).stdout);
    expect(shown).toMatchObject({ url: `https://packages.example.org/hooks/${id}`, secret: null, replayed: null });
    const [delivery] = shown['deliveries'] as readonly { readonly id: string }[];
    const again = json((await there('repository', 'hook', id, '--replay', delivery!.id, '--json')).stdout);
    expect(again['replayed']).toMatchObject({ delivery: delivery!.id, jobs: [{ repository_id: id }] });
    const [job] = (again['replayed'] as { jobs: readonly { id: string }[] }).jobs;
    await expect
      .poll(() => host('repository', 'hook', id, '--json'), { timeout: 60_000 })
      .toContain(`"job_id": "${job!.id}",\n          "state": "succeeded"`);
    const args = ['repository', 'hook', id, '--json'];
    expect((await there(...args)).stdout).toBe(await host(...args));
  });

  it('leads to the filled form of a rotation and of a removal', async () => {
    const rotated = await terminal.there('repository', 'hook', id, '--rotate', '--drop-old');
    expect((await terminal.opened(rotated)).html).toMatch(/name="drop_old"[^>]* checked/);
    const removed = await terminal.there('repository', 'hook', id, '--remove');
    expect((await terminal.opened(removed)).text).toContain('Remove the webhook of');
  });

  it('names the list of the thing that is unknown', async () => {
    const delivery = await terminal.there('repository', 'hook', id, '--replay', 'dlv_0000000000000000');
    expect([delivery.exitCode, delivery.stderr]).toEqual([2, expect.stringContaining(`hook ${id}\` lists them`)]);
    const unknown = await terminal.there('repository', 'hook', 'repo_0000000000000000', '--replay', 'dlv_0');
    expect(unknown.stderr).toContain('`libretto repository list` shows all of them.');
  });
});
