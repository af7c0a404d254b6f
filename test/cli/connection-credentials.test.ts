// Tests what new credentials of a connection do, and what a forge says of wrong ones.

import { mkdirSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { addTools } from '../util/forges/all-forges.ts';
import { startGitHub } from '../util/forges/fake-github.ts';
import { startGitHttpServer } from '../util/git-http-server.ts';
import { createRepository } from '../util/git-repository.ts';
import { startManagedRegistry } from '../util/managed-registry.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

const settings = { egress: { allow: ['127.0.0.0/8'] } };

itInSeries('new credentials make failed repositories sync again at once', async () => {
  await using forge = await startGitHub();
  addTools(forge, 1);
  await using folder = temporaryFolder('credentials');
  mkdirSync(folder.at('acme'));
  createRepository(
    folder.at('acme/tool-1.git'),
    [{ commit: 'main', files: { 'composer.json': '{"name":"acme/tool-1"}' } }],
    {
      bare: true,
    },
  );
  const git = await startGitHttpServer(folder.path);
  const basic = (token: string): string => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  forge.git = { url: git.url, authorization: basic('renewed') };
  await using registry = await startManagedRegistry(settings);
  const draft = { forge: 'github', url: forge.url, owner: 'acme', credentials: { token: forge.token } };
  const { json } = await registry.api('POST', '/api/connections', draft);
  const isNow = (status: string): Promise<unknown> =>
    vi.waitFor(
      async () => {
        const { data } = (await registry.api('GET', '/api/repositories')).json as { data: readonly unknown[] };
        expect(data).toMatchObject([{ status }]);
      },
      { timeout: 60_000, interval: 200 },
    );
  await isNow('error');
  forge.token = 'renewed';
  const path = `/api/connections/${String(json['id'])}`;
  expect((await registry.api('PATCH', path, { credentials: { token: 'renewed' } })).status).toBe(200);
  await isNow('active');
  await git.close();
});

it('the sentence and the link of a single sign-on are shown', async () => {
  await using forge = await startGitHub();
  await using registry = await startManagedRegistry(settings);
  forge.instead.push({
    status: 403,
    headers: { 'x-github-sso': 'required; url=https://github.com/orgs/acme/sso?authorization_request=AB' },
    body: { message: 'Resource protected by organization SAML enforcement.' },
  });
  const draft = { forge: 'github', url: `${forge.url}/api/v3`, owner: 'acme', credentials: { token: forge.token } };
  const refused = await registry.api('POST', '/api/connections', draft);
  const { issues } = refused.json['details'] as { readonly issues: readonly { readonly message: string }[] };
  expect(issues[0]?.message).toContain('“Resource protected by organization SAML enforcement.”');
  expect(issues[0]?.message).toContain('https://github.com/orgs/acme/sso?authorization_request=AB');
});
