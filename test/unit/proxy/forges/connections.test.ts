// Tests the webhooks that connections install: one at the owner or at each repository, found again, with a new secret.

import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../build/shared/text/secret.ts';
import type { HookSecrets } from '../../../../proxy/forges/refresh/refresh-parts.ts';
import { addTools, allForges } from '../../../util/forges/all-forges.ts';
import { connectedRegistry } from '../../../util/forges/connected-registry.ts';
import { startGitLab } from '../../../util/forges/fake-gitlab.ts';
import { newSecret } from '../../../util/running-hooks.ts';

/** Webhooks of a registry with the address packages.example.org, and the secrets that were made for them. */
function keptSecrets(): { readonly hooks: HookSecrets; readonly secrets: readonly string[] } {
  const secrets: string[] = [];
  const of: HookSecrets['of'] = (hook) => ({
    url: `https://packages.example.org/hooks${hook.of === 'repository' ? `/${hook.id}` : ''}`,
    makeSecret: () => {
      secrets.push(newSecret());
      return Promise.resolve(new Secret(secrets.at(-1) ?? ''));
    },
  });
  return { hooks: { of, sharedUrl: 'https://packages.example.org/hooks' }, secrets };
}

describe.each(allForges)('the webhooks of a connection to %s', (name, start) => {
  const { hooks, secrets } = keptSecrets();

  it('are one at the owner, with a new secret after a change of the connection', async () => {
    await using forge = await start();
    await using registry = await connectedRegistry(hooks);
    addTools(forge, 2);
    const connection = await registry.connect(name, forge, { hooks: true });
    await registry.refresh(connection);
    await registry.refresh(connection);
    expect(forge.hooks).toHaveLength(1);
    expect(JSON.stringify(forge.hooks[0]?.body)).toContain('"https://packages.example.org/hooks"');
    expect(JSON.stringify(forge.hooks[0]?.body)).toContain(`"${secrets.at(-1)}"`);
    await registry.connections.update(connection.id, { forks: true });
    const before = secrets.length;
    await registry.refresh(connection);
    expect([forge.hooks.length, secrets.length]).toEqual([1, before + 1]);
    expect(JSON.stringify(forge.hooks[0]?.body)).toContain(`"${secrets.at(-1)}"`);
  });

  it('are found behind the first pages of the webhooks that others made', async () => {
    await using forge = await start();
    await using registry = await connectedRegistry(hooks);
    addTools(forge, 1);
    const connection = await registry.connect(name, forge, { hooks: true });
    await registry.refresh(connection);
    const [ours] = forge.hooks;
    const text = JSON.stringify(ours!.body);
    const others = Array.from({ length: 210 }, (_none, at) => ({
      id: String(100 + at),
      at: ours!.at,
      body: JSON.parse(text.replace('packages.example.org', `ci-${at}.example.org`)) as Record<string, unknown>,
    }));
    forge.hooks.unshift(...others);
    await registry.connections.update(connection.id, { forks: true });
    expect(await registry.refresh(connection)).toMatchObject({ end: 'finished', progress: { hook_error: null } });
    expect(forge.hooks).toHaveLength(211);
    expect(JSON.stringify(forge.hooks.at(-1)?.body)).toContain(`"${secrets.at(-1)}"`);
  });

  it('are one at each repository where the owner refuses, and none where nobody allows it', async () => {
    await using forge = await start();
    await using registry = await connectedRegistry(hooks);
    addTools(forge, 2);
    forge.may.ownerHooks = false;
    forge.may.repositoryHooks = false;
    const connection = await registry.connect(name, forge, { hooks: true });
    expect(await registry.refresh(connection)).toMatchObject({
      end: 'finished',
      progress: { hook_error: expect.stringContaining('may not manage webhooks') as string },
    });
    expect(forge.hooks).toEqual([]);
    forge.may.repositoryHooks = true;
    const changedMs: number[] = [];
    forge.onRequest = ({ method }) => void (method === 'GET' || changedMs.push(performance.now()));
    await registry.refresh(connection);
    await registry.refresh(connection);
    // GitHub asks for a second between two changes
    expect(changedMs[1]! - changedMs[0]!).toBeGreaterThan(name === 'github' ? 900 : 0);
    const records = await registry.repositories.list();
    expect(forge.hooks.map(({ body }) => /hooks\/repo_\w+/.exec(JSON.stringify(body))?.[0]).toSorted()).toEqual(
      records.map(({ id }) => `hooks/${id}`).toSorted(),
    );
  });
});

describe('a webhook at GitLab', () => {
  it.each([
    [true, 'a signing token, so that the secret never travels'],
    [false, 'the secret itself in a version that does not sign'],
  ])('(signs: %s) gets %s', async (signs) => {
    await using forge = await startGitLab('acme/php', { signs });
    const { hooks, secrets } = keptSecrets();
    await using registry = await connectedRegistry(hooks);
    addTools(forge, 1);
    const connection = await registry.connect('gitlab', forge, { hooks: true });
    await registry.refresh(connection);
    const secretsOf = ({ body }: (typeof forge.hooks)[number]): unknown[] => [body['signing_token'], body['token']];
    expect(forge.hooks.map(secretsOf)).toEqual([signs ? [secrets[0], undefined] : [undefined, secrets[0]]]);
    await registry.connections.update(connection.id, { forks: true });
    await registry.refresh(connection);
    expect(forge.hooks.map(secretsOf)).toEqual([signs ? [secrets[1], undefined] : [undefined, secrets[1]]]);
  });
});
