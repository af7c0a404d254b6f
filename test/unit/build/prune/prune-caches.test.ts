// Tests the caches of sources over builds in which libretto.json changes: inline packages one by one, and the caches
// of removed sources.

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../build/contract/json.ts';
import type { BuildReport } from '../../../../build/contract/build-report.ts';
import { noOptions } from '../../../../build/sources/options.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { answerWith, startDistServer, type DistServer } from '../../../util/dist-server.ts';
import { startGitHttpServer } from '../../../util/git-http-server.ts';
import { createRepository } from '../../../util/git-repository.ts';
import { zipOf } from '../../../util/hostile-zip.ts';
import { publishedVersions } from '../../../util/published-tree.ts';

let series: BuildSeries;
let server: DistServer;
beforeEach(async () => {
  series = buildSeries();
  server = await startDistServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  series.tree.remove();
});

const versions = (): string[] => Object.keys(publishedVersions(series.data)).toSorted();
const namesIn = (folder: string): string[] =>
  existsSync(`${series.data}/${folder}`) ? readdirSync(`${series.data}/${folder}`) : [];
const lines = (list: BuildReport['added']): string[] => list.map(({ name, version }) => `${name}@${version}`);

function record(name: string, version = '1.0.0'): JsonObject {
  server.answers.set(
    `/${name}-${version}.zip`,
    answerWith(zipOf([{ name: 'lib/a.php', data: `<?php // ${name} ${version}` }])),
  );
  return { name, version, dist: { type: 'zip', url: `${server.url}/${name}-${version}.zip` } };
}
const list = (...packages: readonly JsonObject[]): Promise<BuildReport> =>
  series.run({
    configured: [
      {
        source: { packages, directory: series.tree.root, where: 'libretto.json: sources[0]' },
        options: noOptions,
        where: 'sources[0]',
      },
    ],
    allowedAddresses: ['127.0.0.1'],
  });

describe('a list of inline packages', () => {
  it('entries come and go without a report about the other entries', async () => {
    const [a, b, c] = [record('acme/a'), record('acme/b'), record('acme/c')];
    await list(a, b);
    server.answers.clear();
    const gained = await list(record('acme/c'), b, a);
    expect([lines(gained.added), gained.changed, gained.withdrawn, gained.unchanged]).toEqual([
      ['acme/c@1.0.0'],
      [],
      [],
      0,
    ]);
    const lost = await list(c, a);
    expect([lines(lost.added), lost.changed, lines(lost.withdrawn), lost.unchanged]).toEqual([
      [],
      [],
      ['acme/b@1.0.0'],
      0,
    ]);
    expect(versions()).toEqual(['acme/a@1.0.0', 'acme/c@1.0.0']);
    expect((await list(c, a)).published).toBe(false);
  });

  it('a version stays whose entry became faulty while another entry was added', async () => {
    await list(record('acme/a'), record('acme/b'));
    const report = await list({ ...record('acme/a'), version: 'no version' }, record('acme/b'), record('acme/c'));
    expect(report.withdrawn).toEqual([]);
    expect(versions()).toEqual(['acme/a@1.0.0', 'acme/b@1.0.0', 'acme/c@1.0.0']);
  });

  it('a removed entry is withdrawn although another entry cannot be read', async () => {
    await list(record('acme/a'), record('acme/b'), record('acme/b', '2.0.0'));
    const report = await list({ ...record('acme/a'), version: 'no version' }, record('acme/b', '2.0.0'));
    expect(report.quarantined.map(({ name, code }) => `${String(name)} ${code}`)).toEqual(['acme/a VERSION_INVALID']);
    expect(lines(report.withdrawn)).toEqual(['acme/b@1.0.0']);
    expect(versions()).toEqual(['acme/a@1.0.0', 'acme/b@2.0.0']);
  });

  it('the cache keeps only the dists that the list uses', async () => {
    await list(record('acme/a'), record('acme/b'));
    expect(namesIn('build/downloads')).toHaveLength(2);
    await list(record('acme/a'), record('acme/b', '2.0.0'));
    expect(namesIn('build/downloads')).toHaveLength(2);
    await list(record('acme/a'));
    expect(namesIn('build/downloads')).toHaveLength(1);
    await series.run({ configured: [] });
    expect(namesIn('build/downloads')).toEqual([]);
  });
});

describe('the cached copy of a remote repository', () => {
  it('is removed with its source, and only then', async () => {
    mkdirSync(series.tree.path('repositories'));
    for (const name of ['one', 'two'])
      createRepository(
        series.tree.path(`repositories/${name}.git`),
        [{ commit: 'main', files: { 'composer.json': `{"name":"acme/${name}"}` } }],
        { bare: true },
      );
    const git = await startGitHttpServer(series.tree.path('repositories'));
    try {
      const [one, two] = [`${git.url}/one.git`, `${git.url}/two.git`];
      await series.run({ configured: [one, two] });
      const both = namesIn('build/git');
      expect(both).toHaveLength(2);
      git.behave('refuse');
      expect((await series.run({ configured: [one, two] })).failed).toHaveLength(2);
      expect(namesIn('build/git')).toEqual(both);
      await series.run({ configured: [two] });
      expect(both.filter((name) => namesIn('build/git').includes(name))).toHaveLength(1);
      git.behave('well');
      expect((await series.run({ configured: [two] })).failed).toEqual([]);
      await series.run({ configured: [] });
      expect(namesIn('build/git')).toEqual([]);
    } finally {
      await git.close();
    }
  });
});
