// Tests the page of a package of another registry, as the shipped program shows it.

import { Agent, request } from 'undici';
import { expect, it } from 'vitest';
import { startManagedRegistry } from '../../util/managed-registry.ts';
import { below, libraryTree, writeTree } from '../../util/package-tree.ts';
import { archiveFor } from '../../util/mirroring-registry.ts';
import { createBrowser } from '../../util/running-console.ts';
import { startUpstream } from '../../util/upstream.ts';

it('a mirrored package has a page with its versions, and a row with the version as people write it, and no request to the other registry', async () => {
  await using upstream = await startUpstream();
  await using registry = await startManagedRegistry({ egress: { allow: ['127.0.0.0/8'] } });
  const said = {
    advisoryId: 'PKSA-1',
    packageName: 'some/lib',
    affectedVersions: '<1.1.0',
    title: 'Opens <every> door',
    reportedAt: '2026-01-01T00:00:00+00:00',
    sources: [{ name: 'x', remoteId: 'GHSA-1' }],
    severity: 'high',
  };
  const beside = {
    'security-advisories': [said],
    filter: { malware: [{ constraint: '1.0.0', reason: 'Steals keys' }] },
  };
  const releases = [
    {
      version: '1.0.0',
      zip: archiveFor('1.0.0'),
      extra: { description: 'A library of others.', homepage: 'javascript:a' },
    },
    { version: '1.1.0', zip: archiveFor('1.1.0') },
    { version: '1.2.0', zip: archiveFor('1.2.0'), extra: { license: ['GPL-3.0-only'] } },
  ];
  upstream.put('some/lib', releases, beside);
  writeTree(registry.folder.path, below('packages/acme/app', libraryTree('acme/app', { version: '1.0.0' })));
  await registry.cli('build', 'packages');
  const changed = await registry.api('PATCH', '/api/settings', {
    mirroring: { url: upstream.url, enabled: true, licenses: ['MIT'], license_rule: 'refuse' },
  });
  expect(changed.status).toBe(200);
  expect((await registry.api('PATCH', '/api/settings', { statistics: { by: 'token' } })).status).toBe(200);
  await installFrom(registry.url(), await createToken(registry), 'some/lib', '1.0.0');
  const agent = new Agent();
  const browser = createBrowser(agent, registry.url());
  browser.cookies.set(`libretto-session-${new URL(registry.url()).port}`, registry.session);

  const asked = upstream.server.requests.length;
  const { status, text, html } = await browser.get('/packages/some/lib');
  expect([status, text]).toEqual([200, expect.stringContaining('some/lib')]);
  expect(text).toContain('mirrored');
  expect(text).toMatch(
    /SHA-1 1\.0\.0 malware Opens <every> door high, PKSA-1 Steals keys malware Fixed in 1\.1\.0 \d+ years ago just now .*1\.1\.0 \d+ years ago not yet/,
  );
  expect(text).not.toMatch(/1\.2\.0 \d+ years/);
  expect(text).toContain(upstream.url);
  expect(text).toContain('1 version by licence . The newest is 1.2.0: its licence GPL-3.0-only is not allowed.');
  expect(html).toContain('href="../../mirror/some/lib"');
  expect(html).not.toContain('javascript:');
  expect((await browser.get('/packages/other/lib')).status).toBe(404);
  const versions = await browser.get('/packages/some/lib/versions');
  expect([versions.status, String(versions.headers['location'])]).toEqual([303, '../../../packages/some/lib']);
  expect((await browser.get('/packages/other/lib/versions')).status).toBe(404);
  expect((await browser.get('/packages')).html).toMatch(/some\/lib<.*<code class="whole">1\.0\.0<\/code>/s);
  const used = await browser.get('/packages/some/lib/usage?constraint=1.0.*');
  expect(used.text).toMatch(/Used by 1 token .*a reader ada@example\.org 1\.0\.0 advisory 1\.1\.0 \d{4}-\d\d-\d\d 1 0/);
  const security = await browser.get('/security');
  expect(security.text).toMatch(/1 version is malware.*some\/lib 1\.0\.0 mirrored malware Opens <every> door/);
  expect(security.text).toMatch(/advisory 1\.1\.0 \d{4}-\d\d-\d\d, a reader/);
  const exposures = JSON.parse((await registry.cli('exposures', '--json')).stdout) as { data: unknown[] };
  expect(exposures.data).toMatchObject([
    { package: 'some/lib', origin: 'mirrored', version: '1.0.0', malware: true, fixed_in: '1.1.0', tokens: 1 },
  ]);
  expect((await registry.api('GET', '/api/exposures')).json).toEqual(exposures);
  expect((await registry.cli('exposures')).stdout).toMatch(/some\/lib 1\.0\.0 +MALWARE +1\.1\.0 .*a reader/);
  expect((await registry.cli('usage', 'some/lib')).stdout).toContain('advisory, fixed in 1.1.0');
  expect(upstream.server.requests).toHaveLength(asked);
  await agent.close();
});

async function createToken({ api }: Awaited<ReturnType<typeof startManagedRegistry>>): Promise<string> {
  const { json } = await api('POST', '/api/tokens', { description: 'a reader', kind: 'read' });
  return String(json['token']);
}

/** Fetches a document and an archive, as Composer does. */
async function installFrom(url: string, token: string, name: string, version: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const document = await request(`${url}/p2/${name}.json`, { headers });
  expect(document.statusCode).toBe(200);
  const { packages } = (await document.body.json()) as {
    packages: Record<string, Record<string, { version: string; dist: { url: string } }>>;
  };
  const found = Object.values(packages[name] ?? {}).find((one) => one.version === version);
  const archive = await request(new URL(found?.dist.url ?? '', url), { headers });
  await archive.body.dump();
  expect(archive.statusCode).toBe(200);
}
