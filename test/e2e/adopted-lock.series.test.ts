// Tests that a lock file of another registry installs from this one after `libretto adopt`, with the same references
// and checksums. That registry has the form that Satis writes: packages.json with includes, p2 documents and archives.

import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { startRegistry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { startUpstream } from '../util/upstream.ts';
import { askWho, whoClass } from '../util/who-library.ts';

/** As `satis build` packs it: without a top folder. */
const archive = (who: string): Buffer =>
  zipOf([
    { name: 'composer.json', data: '{"name":"acme/hello"}' },
    { name: 'src/Who.php', data: whoClass('AcmeHello', who) },
  ]);

it.skipIf(lacks('composer', 'php', 'unzip'))('installs a lock file of before, from an empty cache', async () => {
  const upstream = await startUpstream({ root: { includes: {}, 'available-packages': ['acme/hello', 'acme/set'] } });
  const extra = { autoload: { 'psr-4': { 'AcmeHello\\': 'src/' } }, 'installation-source': 'source' };
  upstream.put(
    'acme/hello',
    ['1.0.0', 'v1.1.0', 'dev-main'].map((version) => ({ version, zip: archive(version), extra })),
  );
  const set = { type: 'metapackage', dist: null, require: { 'acme/hello': '^1.0' } };
  upstream.put('acme/set', [{ version: '1.0.0', extra: set }]);
  await using registry = await startRegistry({ loopback: true });
  await using project = createProject({
    url: upstream.url,
    auth: bearerAuth(new URL(registry.url).host, registry.token),
    composerJson: { require: { 'acme/set': '^1.0' } },
  });
  expect(await project.run('update')).toMatchObject({ exitCode: 0 });
  const { 'acme/hello': before, 'acme/set': setBefore } = project.locked();

  expect(await registry.cli('adopt', upstream.url)).toMatchObject({ exitCode: 0, stderr: '' });
  await upstream[Symbol.asyncDispose]();
  writeFileSync(`${project.path}/composer.json`, project.read('composer.json').replace(upstream.url, registry.url));
  expect(await project.run('update', 'mirrors')).toMatchObject({ exitCode: 0 });
  const after = project.locked()['acme/hello'];
  const identity = ({ version, source, dist }: NonNullable<typeof before>) => [
    version,
    source,
    dist?.reference,
    dist?.shasum,
  ];
  expect(before).toMatchObject({
    version: 'v1.1.0',
    dist: { shasum: expect.stringMatching(/^[0-9a-f]{40}$/) as string },
  });
  expect(after && identity(after)).toEqual(before && identity(before));
  expect(project.locked()['acme/set']).toMatchObject({ version: '1.0.0', source: setBefore?.['source'] });

  project.removeVendor();
  project.clearCache();
  expect(await project.run('install')).toMatchObject({ exitCode: 0 });
  expect(await project.php(askWho('acme/hello'))).toBe('v1.1.0');
});
