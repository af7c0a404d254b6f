// Tests single questions to a forge: owners, default branches, redirects, strange answers, failures. No answer leads
// the credentials to another place.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createForge } from '../../../../../proxy/forges/client/forge-client.ts';
import { createForgeHttp } from '../../../../../proxy/forges/client/forge-http.ts';
import type { Forge } from '../../../../../proxy/forges/client/forge.ts';
import { dialects } from '../../../../../proxy/forges/client/connection-access.ts';
import { forgeAddresses } from '../../../../../proxy/forges/model/forge-address.ts';
import type { ForgeName, OwnerName } from '../../../../../proxy/forges/model/forge-name.ts';
import { addTools, allForges } from '../../../../util/forges/all-forges.ts';
import { startBitbucket } from '../../../../util/forges/fake-bitbucket.ts';
import type { FakeForge } from '../../../../util/forges/fake-forge.ts';
import { startGitHub } from '../../../../util/forges/fake-github.ts';

function clientOf(name: ForgeName, { url, owner, token }: FakeForge, allow = ['127.0.0.0/8']): Forge {
  const addresses = forgeAddresses(name, url);
  if ('refusal' in addresses) throw new Error(addresses.refusal);
  const http = createForgeHttp({ allowAddresses: allow, userAgent: 'Libretto/test', now: () => 0 });
  const { api } = addresses;
  return createForge({ dialect: dialects[name], api, owner: owner as OwnerName, token: async () => ({ token }), http });
}

/** Another server, which notes the headers that reach it. */
async function listener(): Promise<AsyncDisposable & { readonly url: string; readonly seen: unknown[] }> {
  const seen: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers);
    response.end('[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  return { url: `http://127.0.0.1:${port}`, seen, [Symbol.asyncDispose]: stop };
}

describe.each(allForges)('a question to %s', (name, start) => {
  it('carries no credentials to the place of a redirect', async () => {
    await using forge = await start();
    await using other = await listener();
    forge.instead.push({ status: 302, headers: { location: `${other.url}/api/x` }, body: {} });
    await clientOf(name, forge)
      .list('organization', undefined, undefined)
      .catch(() => undefined);
    expect(other.seen).toHaveLength(1);
    expect(JSON.stringify(other.seen)).not.toContain(forge.token);
  });

  it('stays at the forge when the next page is named elsewhere', async () => {
    await using forge = await start();
    await using other = await listener();
    const next = `${other.url}/stolen?page=2`;
    const values = { values: [], next };
    const body = name === 'bitbucket' ? values : [];
    forge.instead.push({ status: 200, headers: { link: `<${next}>; rel="next"` }, body });
    const client = clientOf(name, forge);
    const page = await client.list('organization', undefined, undefined);
    expect(page).toMatchObject({ next: 'page=2' });
    await client.list('organization', 'page=2', undefined);
    expect([other.seen, forge.requests.at(-1)?.includes('?page=2')]).toEqual([[], true]);
  });

  it('is asked twice after a failure, and then waits', async () => {
    await using forge = await start();
    addTools(forge, 1);
    const client = clientOf(name, forge);
    const broken = { status: 502, body: { message: 'Bad gateway' } };
    forge.instead.push(broken);
    expect(await client.list('organization', undefined, undefined)).toMatchObject({ repositories: [{ id: '1' }] });
    forge.instead.push(broken, broken);
    await expect(client.list('organization', undefined, undefined)).rejects.toMatchObject({
      name: 'ForgePause',
      isLimit: false,
      untilMs: 60_000,
    });
  });

  it('is refused in words where another server answers, or the address is private', async () => {
    await using forge = await start();
    forge.instead.push({ status: 200, body: '<html>Sign in</html>', isText: true });
    await expect(clientOf(name, forge).list('organization', undefined, undefined)).rejects.toThrow(/is not that of/);
    await expect(clientOf(name, forge, []).list('organization', undefined, undefined)).rejects.toMatchObject({
      isDenied: true,
      message: expect.stringContaining('egress.allow') as string,
    });
  });
});

describe('an owner', () => {
  it('on GitHub is an organisation, another user, or the user of the token', async () => {
    await using forge = await startGitHub();
    const client = clientOf('github', forge);
    expect(await client.findOwner()).toBe('organization');
    forge.kind = 'user';
    expect(await client.findOwner()).toBe('user');
    forge.login = 'Acme';
    expect(await client.findOwner()).toBe('self');
    addTools(forge, 1);
    expect(await client.list('self', undefined, undefined)).toMatchObject({ repositories: [{ path: 'acme/tool-1' }] });
  });

  it.each(allForges.filter(([name]) => name !== 'bitbucket'))('of %s may be a user', async (name, start) => {
    await using forge = await start();
    forge.kind = 'user';
    addTools(forge, 1);
    const client = clientOf(name, forge);
    expect(await client.findOwner()).toBe('user');
    expect(await client.list('user', undefined, undefined)).toMatchObject({ repositories: [{ id: '1' }] });
  });
});

it('a default branch of Bitbucket may have a slash in its name', async () => {
  await using forge = await startBitbucket();
  forge.repositories.push({ id: '1', name: 'tool', branch: 'release/2.x', composer: { name: 'acme/tool' } });
  const client = clientOf('bitbucket', forge);
  const page = await client.list('organization', undefined, undefined);
  if (page === 'unchanged') throw new Error('the first page is always read');
  expect(await client.composerJson(page.repositories[0]!)).toEqual({ outcome: 'read', text: '{"name":"acme/tool"}' });
});
