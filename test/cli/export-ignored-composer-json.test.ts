// Tests a repository whose archives differ from usual ones: .gitattributes exclude composer.json, as `git archive` and
// Composer do, and symbolic links point at nothing or lead out. Every command that reads archives accepts that.

import { readFileSync } from 'node:fs';
import AdmZip from 'adm-zip';
import { expect, it } from 'vitest';

import { createRepository } from '../util/git-repository.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

it.skipIf(lacks('git'))(
  'row 52: a package without composer.json in its archive and with a dead link is built, verified and received',
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
          dead: { mode: '120000', content: 'src/B.php' },
          outside: { mode: '120000', content: '/etc/passwd' },
        },
      },
      { tag: '1.0.0', at: 'main' },
    ]);
    const built = await run('build', 'lib', '--data', 'data');
    expect(built).toMatchObject({ exitCode: 0, stderr: '' });
    expect(built.stdout).toContain('symbolic links left out: "outside" → "/etc/passwd": its target is absolute');
    const entries = new AdmZip(readFileSync(folder.at('data/public/dist/acme/lib/1.0.0.zip')))
      .getEntries()
      .map(({ entryName }) => entryName.replace(/^[^/]+\//, ''));
    expect(entries.toSorted()).toEqual(['.gitattributes', 'dead', 'src/A.php']);
    expect(JSON.parse(readFileSync(folder.at('data/public/p2/acme/lib.json'), 'utf8'))).toMatchObject({
      packages: { 'acme/lib': { '1.0.0': { require: { php: '>=7' } } } },
    });
    expect(await run('verify', '--data', 'data')).toMatchObject({ exitCode: 0 });
    expect(await run('receive', 'data', '--as', 'ci', '--data', 'receiving')).toMatchObject({ exitCode: 0 });
    expect(publishedVersions(folder.at('receiving'))).toEqual(publishedVersions(folder.at('data')));
    expect(await run('verify', '--data', 'receiving')).toMatchObject({ exitCode: 0 });
  },
);
