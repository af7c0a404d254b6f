// Tests that a lock file installs on a registry without a network, from a bundle: its private package, and the mirrored
// one, whose upstream is gone.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createProject } from '../util/composer.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { allFiles } from '../util/published-tree.ts';
import { startRegistry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { startUpstream } from '../util/upstream.ts';
import { askWho, whoClass, whoLibrary } from '../util/who-library.ts';

const archive = (who: string): Buffer =>
  zipOf([
    { name: 'composer.json', data: '{"name":"some/lib"}' },
    { name: 'src/Who.php', data: whoClass('SomeLib', who) },
  ]);

it.skipIf(lacks('composer', 'php', 'unzip'))('installs a lock file from a bundle, without an upstream', async () => {
  const upstream = await startUpstream();
  const extra = { autoload: { 'psr-4': { 'SomeLib\\': 'src/' } } };
  upstream.put(
    'some/lib',
    ['1.0.0', '1.1.0', '2.0.0'].map((version) => ({ version, zip: archive(version), extra })),
  );
  const mirroring = { 'mirroring.enabled': 'true', 'mirroring.url': upstream.url };
  const packages = temporaryTree({
    ...below('app/1.0.0', whoLibrary('acme/app', '1.0.0', { require: { 'some/lib': '^1.0' } })),
    ...below('app/1.1.0', whoLibrary('acme/app', '1.1.0')),
    ...below('more', whoLibrary('acme/more', '1.0.0')),
  });
  await using online = await startRegistry({ sources: [packages.root], loopback: true, settings: mirroring });
  await using offline = await startRegistry({ loopback: true, settings: mirroring });
  await using project = createProject({
    url: online.url,
    auth: { bearer: { [new URL(online.url).host]: online.token, [new URL(offline.url).host]: offline.token } },
    composerJson: { require: { 'acme/app': '1.0.0', 'some/lib': '^1.0' } },
  });
  const updated = await project.run('update');
  expect(updated.exitCode, updated.output).toBe(0);
  const lock = `${project.path}/composer.lock`;

  // a version that nobody has fetched yet is named, with what to do
  const changed = readFileSync(lock, 'utf8').replace('"version": "1.1.0"', '"version": "1.0.0"');
  writeFileSync(online.folder.at('changed.lock'), changed);
  const refused = await online.cli(
    'bundle',
    '--name',
    'online',
    '--lock',
    lock,
    online.folder.at('changed.lock'),
    '--out',
    'no.tar',
  );
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/changed\.lock: some\/lib 1\.0\.0 is not stored here\. Fetch it with `libretto mirror warm /),
  ]);

  const bundled = await online.cli(
    'bundle',
    '--name',
    'online',
    '--lock',
    lock,
    '--out',
    online.folder.at('app.tar'),
    '--json',
  );
  expect([bundled.exitCode, bundled.stderr]).toEqual([0, '']);
  expect(JSON.parse(bundled.stdout)).toMatchObject({ whole: false, mirrored: 1 });
  await upstream[Symbol.asyncDispose]();
  const received = await offline.cli('receive', online.folder.at('app.tar'), '--json');
  expect([received.exitCode, received.stderr]).toEqual([0, '']);
  expect(JSON.parse(received.stdout)).toMatchObject({
    added: [{ name: 'acme/app', version: '1.0.0', source: 'adopted:online' }],
    bundle: { mirrored: [{ name: 'some/lib', version: '1.1.0' }], mirrored_here: 0, left_out: [] },
  });
  expect(allFiles(`${offline.data}/mirror`).filter((path) => path.endsWith('.zip'))).toHaveLength(1);
  expect(allFiles(offline.data).filter((path) => path.endsWith('.partial'))).toEqual([]);

  const before = project.locked();
  writeFileSync(`${project.path}/composer.json`, project.read('composer.json').replaceAll(online.url, offline.url));
  const mirrors = await project.run('update', 'mirrors');
  expect(mirrors.exitCode, mirrors.output).toBe(0);
  for (const name of ['acme/app', 'some/lib'])
    expect(project.locked()[name]?.dist).toMatchObject({
      reference: before[name]?.dist?.reference,
      shasum: before[name]?.dist?.shasum,
    });
  project.removeVendor();
  project.clearCache();
  const installed = await project.run('install');
  expect(installed.exitCode, installed.output).toBe(0);
  expect(await project.php(askWho('acme/app', 'some/lib'))).toBe('1.0.0 1.1.0');

  // the same again: everything is here
  const again = await offline.cli('receive', online.folder.at('app.tar'), '--json');
  expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([
    0,
    { published: false, bundle: { mirrored: [], mirrored_here: 1 } },
  ]);
  expect((await offline.cli('verify')).exitCode).toBe(0);
  expect((await offline.cli('mirror', 'verify')).exitCode).toBe(0);
});
