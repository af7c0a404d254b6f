// Tests that refused webhooks leave a trace where people look: on the command line, over the API and in `doctor`.

import { request } from 'undici';
import { expect, it, vi } from 'vitest';
import { sendGitHubHook } from '../util/github-hook.ts';
import { startManagedRegistry } from '../util/managed-registry.ts';

type Json = Record<string, unknown>;

it('refused webhooks are counted with the reason of the last one, until a new secret is made', async () => {
  await using registry = await startManagedRegistry({ publicUrl: 'https://packages.example.org/' });
  const made = await registry.api('POST', '/api/repositories', { type: 'git', url: 'https://git.example.org/a/b.git' });
  const id = String(made.json['id']);
  const secret = (await registry.cli('repository', 'hook', id)).stdout.trim();
  const address = (): string => `${registry.url()}/hooks/${id}`;
  const refused = async (): Promise<unknown> =>
    (await registry.api('GET', `/api/repositories/${id}/hook`)).json['refused'];
  const warnings = async (): Promise<readonly unknown[]> => {
    const { checks } = JSON.parse((await registry.cli('doctor', '--json')).stdout) as { readonly checks: Json[] };
    return checks.filter(({ check, verdict }) => check === 'hook' && verdict === 'warning');
  };
  expect(await refused()).toBeNull();
  expect((await registry.api('GET', '/api/hook')).json['url']).toBe('https://packages.example.org/hooks');

  // ids that nobody has leave nothing behind
  const unknown = await sendGitHubHook({ address: `${registry.url()}/hooks/repo_${'0'.repeat(16)}`, secret });
  expect(unknown.status).toBe(403);
  expect((await sendGitHubHook({ address: address(), secret: 'whsec_wrong' })).status).toBe(403);
  const unsigned = { method: 'POST', headers: { 'x-github-event': 'push' }, body: '{}' } as const;
  for (let count = 0; count < 3; count += 1) expect((await request(address(), unsigned)).statusCode).toBe(401);
  // the server writes what is left when it ends
  await registry.stop('SIGTERM');
  const { stdout } = await registry.cli('repository', 'hook', id);
  expect(stdout).toMatch(
    /\n4 requests were refused, the last at \d{4}-[^ ]+Z: no proof\.\nThe sender sends no secret\. /,
  );
  expect(await warnings()).toMatchObject([
    {
      message: expect.stringMatching(
        new RegExp(`^the webhook of ${id}: 4 requests were refused, .*: no proof$`),
      ) as string,
      advice: expect.stringContaining(`libretto repository hook ${id}`) as string,
    },
  ]);

  await registry.start();
  expect((await sendGitHubHook({ address: address(), secret: 'whsec_wrong' })).status).toBe(403);
  await vi.waitFor(async () => expect(await refused()).toMatchObject({ count: 5, reason: 'wrong proof' }), {
    timeout: 60_000,
  });
  expect((await sendGitHubHook({ address: address(), secret })).status).toBe(202);
  expect(await warnings()).toEqual([]);
  const { deliveries } = (await registry.api('GET', `/api/repositories/${id}/hook`)).json as {
    readonly deliveries: readonly { readonly id: string }[];
  };
  const replayed = await registry.cli('repository', 'hook', id, '--replay', deliveries[0]?.id ?? '');
  expect(replayed.stderr).toMatch(/Replayed dlv_\w{16}: job_\w{16} (?:failed|running|queued)\.$/m);
  await registry.cli('repository', 'hook', id, '--rotate');
  expect(await refused()).toBeNull();
});
