// Tests a git repository with a long history through the compiled program: its versions, and the contents of their
// archives.

import AdmZip from 'adm-zip';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { changesOf } from '../util/git-history.ts';
import { createRepository, type RepositoryStep, type TestRepository } from '../util/git-repository.ts';
import { itInSeries } from '../util/series.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import type { Tree } from '../util/package-tree.ts';
import { startRegistry, type BuildReport, type Registry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

type Records = Readonly<
  Record<string, Readonly<Record<string, unknown>> & { readonly dist: { readonly reference: string } }>
>;

/** tag → the version that Composer's rules make of it, or the reason for none */
const tags: Readonly<Record<string, string | null>> = {
  ...Object.fromEntries(Array.from({ length: 12 }, (_, minor) => [`v1.${minor}.0`, `v1.${minor}.0`])),
  ...Object.fromEntries(Array.from({ length: 12 }, (_, patch) => [`2.0.${patch}`, `2.0.${patch}`])),
  '3.0.0-alpha1': '3.0.0-alpha1',
  '3.0.0-beta.2': '3.0.0-beta.2',
  '3.0.0-RC1': '3.0.0-RC1',
  '3.0.0': '3.0.0',
  'release-3.1.0': '3.1.0',
  '4.0.0+build.5': '4.0.0+build.5',
  '20240131': '20240131',
  // 54: the same version as 3.0.0, later in the order of refs
  'v3.0.0': null,
  // 55: a tag that is no version, and a development version as a tag
  '1.0.0-foo': null,
  '5.0.0-dev': null,
  nightly: null,
};

const branches: Readonly<Record<string, string>> = {
  main: 'dev-main',
  '1.x': '1.x-dev',
  '2.0': '2.0.x-dev',
  v3: 'v3.x-dev',
  'feature/archive': 'dev-feature/archive',
  'fix#7': 'dev-fix+7',
};

describe.skipIf(lacks('composer', 'php', 'git'))('a repository with many tags and branches', () => {
  const folder = temporaryFolder('git-rules');
  let repository: TestRepository;
  let registry: Registry;
  let stable: Records;
  let dev: Records;
  let report: BuildReport;

  beforeAll(async () => {
    repository = createRepository(folder.at('hello'), historySteps());
    registry = await startRegistry();
    const built = await registry.cli('build', '--json', repository.path);
    report = JSON.parse(built.stdout) as BuildReport;
    const read = (file: string): Records =>
      (
        JSON.parse(readFileSync(join(registry.data, 'public/p2/acme', file), 'utf8')) as {
          packages: Record<string, Records>;
        }
      ).packages['acme/hello'] ?? {};
    stable = read('hello.json');
    dev = read('hello~dev.json');
  });

  afterAll(async () => {
    await registry.stop();
    await folder.remove();
  });

  it("publishes exactly the versions of Composer's rules", () => {
    expect(Object.keys(tags).length).toBeGreaterThanOrEqual(30);
    expect(Object.keys(stable).sort()).toEqual(
      Object.values(tags)
        .filter((version) => version !== null)
        .sort(),
    );
    expect(Object.keys(dev).sort()).toEqual(Object.values(branches).sort());
    expect(dev['dev-main']?.['default-branch']).toBe(true);
    for (const record of [...Object.values(stable), ...Object.values(dev)])
      expect(record).toMatchObject({
        name: 'acme/hello',
        time: expect.stringMatching(/^2026-01-01T\d\d:\d\d:00\+00:00$/),
      });
  });

  it('56, 57: excludes a tag whose composer.json has another version, or that has none', () => {
    expect(stable).not.toHaveProperty('6.0.0');
    expect(stable).not.toHaveProperty('6.1.0');
    expect(report.failed).toEqual([]);
    expect(report.quarantined.map(({ where }) => where).join()).not.toContain('6.1.0');
  });

  it('has in each archive the file list of git archive, and in each file the bytes of the blob', () => {
    const checked: { readonly blob: string; readonly found: Buffer }[] = [];
    for (const [version, { dist }] of [...Object.entries(stable), ...Object.entries(dev)]) {
      const label = version in dev ? `${version}@${dist.reference}` : version;
      const zip = new AdmZip(join(registry.data, 'public/dist/acme/hello', `${label}.zip`));
      const entries = zip.getEntries().filter(({ isDirectory }) => !isDirectory);
      const pathOf = (name: string): string => name.slice(name.indexOf('/') + 1);
      const expected = new AdmZip(repository.gitBytes('archive', '--format=zip', dist.reference));
      expect(entries.map(({ entryName }) => pathOf(entryName)).sort(), version).toEqual(
        expected
          .getEntries()
          .filter(({ isDirectory }) => !isDirectory)
          .map(({ entryName }) => entryName)
          .sort(),
      );
      for (const entry of entries)
        checked.push({ blob: `${dist.reference}:${pathOf(entry.entryName)}`, found: entry.getData() });
    }
    // git answers each name with a line, the bytes of the blob, and a line feed
    const blobs = execFileSync('git', ['cat-file', '--batch=%(objectsize)'], {
      cwd: repository.path,
      input: checked.map(({ blob }) => `${blob}\n`).join(''),
      maxBuffer: 1 << 30,
    });
    let at = 0;
    for (const { blob, found } of checked) {
      const start = blobs.indexOf('\n', at) + 1;
      const end = start + Number(blobs.toString('latin1', at, start));
      expect(found.equals(blobs.subarray(start, end)), blob).toBe(true);
      at = end + 1;
    }
    expect([checked.length > 100, at]).toEqual([true, blobs.length]);
  });

  it('has the commit of each tag, annotated or not', () => {
    const listed = repository.git(
      'for-each-ref',
      '--format=%(refname:lstrip=2) %(*objectname) %(objectname)',
      'refs/tags',
    );
    // an annotated tag has the id of its commit before its own
    const commits = new Map(listed.split('\n').map((line) => line.split(/ +/, 2) as [string, string]));
    for (const [tag, version] of Object.entries(tags)) {
      if (version !== null) expect(stable[version]?.dist.reference, tag).toBe(commits.get(tag));
    }
  });

  itInSeries.each([
    ['51: the exact version with build metadata', '4.0.0+build.5', '4.0.0+build.5'],
    ['51: a range over it', '^4', '4.0.0+build.5'],
    ['54: a version tagged twice', '3.0.*', '3.0.0'],
    ['55: neighbours of tags that are no versions', '~1.11.0', 'v1.11.0'],
  ])('installs with Composer: %s', async (_, constraint, version) => {
    await using app: Project = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
    });
    registry.front.take();
    const { exitCode, output } = await app.run('require', `acme/hello:${constraint}`);
    expect(exitCode, output).toBe(0);
    const locked = app.locked()['acme/hello'];
    expect(locked?.version).toBe(version);
    expect(registry.front.take()).toContain(`/dist/acme/hello/${version}.zip?ref=${locked?.dist?.reference}`);
    expect(await app.php(askWho('acme/hello'))).toBe(version);
  });
});

function historySteps(): readonly RepositoryStep[] {
  const attributes = {
    '.gitattributes': '/tests export-ignore\n*.dist export-ignore\ndocs/** -export-ignore\n',
    'tests/WhoTest.php': '<?php\n',
    'phpunit.xml.dist': '<x/>\n',
    'docs/a.md': '# a\n',
  };
  const commit = (tree: Tree): RepositoryStep => ({ commit: 'main', files: changesOf(tree) });
  return [
    ...Object.entries(tags).flatMap(([tag, version], index) => [
      commit({
        ...whoLibrary('acme/hello', undefined, {}, version ?? tag),
        [`src/Step${index}.php`]: `<?php // ${'x'.repeat(index)}\n`,
        ...(index > 5 ? attributes : {}),
      }),
      { tag, at: 'main', annotated: index % 3 === 0 },
    ]),
    commit(whoLibrary('acme/hello', '6.0.1', {}, 'mismatch')),
    { tag: '6.0.0', at: 'main' },
    { commit: 'main', files: { 'composer.json': null } },
    { tag: '6.1.0', at: 'main' },
    commit(whoLibrary('acme/hello', undefined, {}, 'main')),
    ...Object.keys(branches)
      .filter((name) => name !== 'main')
      .map((branch) => ({
        commit: branch,
        from: 'main',
        files: { [`src/${branch.replaceAll(/\W/g, '')}.php`]: '<?php\n' },
      })),
  ];
}
