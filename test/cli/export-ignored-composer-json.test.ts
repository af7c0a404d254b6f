// Tests a repository whose .gitattributes exclude composer.json from archives, as `git archive` and Composer do: every
// command that reads archives accepts that.

import { readFileSync } from 'node:fs';
import AdmZip from 'adm-zip';
import { expect, it } from 'vitest';

import { createRepository } from '../util/git-repository.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

it.skipIf(lacks('git'))(
  'a package without composer.json in its archive is built, verified, received and backed up',
  async () => {
    await using folder = temporaryFolder('export-ignored');
    const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
    const composerJson = '{"name": "acme/lib", "require": {"php": ">=7"}}';
    createRepository(folder.at('lib'), [
      {
        commit: 'main',
        files: {
          'composer.json': composerJson,
          'src/A.php': '<?php',
          '.gitattributes': '/composer.json export-ignore\n',
        },
      },
      { tag: '1.0.0', at: 'main' },
    ]);
    expect(await run('build', 'lib', '--data', 'data')).toMatchObject({ exitCode: 0, stderr: '' });
    const entries = new AdmZip(readFileSync(folder.at('data/public/dist/acme/lib/1.0.0.zip')))
      .getEntries()
      .map(({ entryName }) => entryName.replace(/^[^/]+\//, ''));
    expect(entries.toSorted()).toEqual(['.gitattributes', 'src/A.php']);
    expect(JSON.parse(readFileSync(folder.at('data/public/p2/acme/lib.json'), 'utf8'))).toMatchObject({
      packages: { 'acme/lib': { '1.0.0': { require: { php: '>=7' } } } },
    });
    expect(await run('verify', '--data', 'data')).toMatchObject({ exitCode: 0 });
    expect(await run('receive', 'data', '--as', 'ci', '--data', 'receiving')).toMatchObject({ exitCode: 0 });
    expect(publishedVersions(folder.at('receiving'))).toEqual(publishedVersions(folder.at('data')));
    expect(await run('verify', '--data', 'receiving')).toMatchObject({ exitCode: 0 });
  },
);
