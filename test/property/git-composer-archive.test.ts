// Tests representative trees of libraries: a version's archive contains the files that `composer archive` packs from a
// checkout.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import AdmZip from 'adm-zip';
import { afterAll, describe, expect, it } from 'vitest';
import { composerEnvironment } from '../util/composer.ts';
import { contentsOf } from '../util/git-archive.ts';
import { createRepository, testGitEnvironment, type FileChanges } from '../util/git-repository.ts';
import { findRelease, withReleases } from '../util/git-scan.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const library: FileChanges = {
  'src/A.php': '<?php // $Id$\n',
  'src/deep/B.php': '<?php\n',
  'tests/ATest.php': '<?php\n',
  'docs/index.md': '# x\n',
  'docs/img/a.svg': '<svg/>',
  'bin/run': { mode: '100755', content: '#!/usr/bin/env php\n' },
  'run.bat': 'one\ntwo\n',
  'README.md': '# x\n',
  'phpunit.xml.dist': '<x/>',
  '.editorconfig': 'root = true\n',
  '.github/workflows/ci.yml': 'on: push\n',
  Makefile: 'all:\n',
  'build/out.log': 'x',
  'src/out.log': 'x',
};

const trees: Readonly<Record<string, { readonly attributes: string; readonly exclude: readonly string[] }>> = {
  'rules of git alone': {
    attributes: '/tests export-ignore\n/.github export-ignore\n/phpunit.xml.dist export-ignore\n',
    exclude: [],
  },
  'a composer.json that is left out': {
    attributes: '/composer.json export-ignore\n/tests export-ignore\n',
    exclude: [],
  },
  'rules of composer.json alone': {
    attributes: '* text=auto\n',
    exclude: ['/tests', '/docs/img', '*.log', '/.*', 'Makefile'],
  },
  'both, with converted files': {
    attributes: '*.bat text eol=crlf\n/docs export-ignore\n*.php ident\n',
    exclude: ['tests', '!/docs/index.md', '*.dist'],
  },
  'patterns with folders and stars': {
    attributes: '/build export-ignore\n',
    exclude: ['/*', '!/src', '!/composer.json', '/src/**/B.php'],
  },
};

describe.skipIf(lacks('composer', 'git'))('an archive compared with `composer archive`', () => {
  const folder = temporaryFolder('composer-archive');
  afterAll(() => folder.remove());

  it.each(Object.entries(trees))('contains the same files with %s', async (name, { attributes, exclude }) => {
    const id = name.replaceAll(/\W+/g, '-');
    const json = { name: 'acme/lib', ...(exclude.length === 0 ? {} : { archive: { exclude } }) };
    const repository = createRepository(folder.at(id), [
      { commit: 'main', files: { ...library, 'composer.json': JSON.stringify(json), '.gitattributes': attributes } },
      { tag: '1.0.0', at: 'main' },
    ]);
    const checkout = folder.at(`${id}-checkout`);
    repository.git('clone', '--quiet', '--branch', '1.0.0', repository.path, checkout);
    const home = folder.at(`${id}-home`);
    mkdirSync(home);
    execFileSync('composer', ['archive', '--format=zip', '--file=packed', `--dir=${home}`], {
      cwd: checkout,
      env: { ...testGitEnvironment, ...composerEnvironment(home) },
      stdio: 'pipe',
    });
    const zip = new AdmZip(`${home}/packed.zip`);
    const expected = new Map(
      zip
        .getEntries()
        .filter(({ isDirectory }) => !isDirectory)
        .map((entry) => [entry.entryName, entry.getData().toString('latin1')]),
    );
    await withReleases({ path: repository.path, cacheDirectory: folder.at('cache') }, async (scan) => {
      const found = new Map(
        Array.from(await contentsOf(findRelease(scan, '1.0.0')), ([path, bytes]) => [path, bytes.toString('latin1')]),
      );
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
    });
  });
});
