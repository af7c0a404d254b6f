// Tests copies of files for a backup: hard links and times stay, and only the owner can read files with secrets.

import { linkSync, statSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { copyFiles, listFiles } from '../../../../cli/backup/copy-files.ts';
import { writeTree } from '../../../util/package-tree.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

describe('copying files', () => {
  it('a copy keeps links, times and privacy, and the report counts the copied files', async () => {
    await using folder = temporaryFolder('copy-files');
    writeTree(folder.at('from'), {
      'public/a.zip': 'zip',
      'index/keys/hello.json': '{}',
      'keys/signing-0001.json': 'secret',
      'left/out': '',
    });
    writeTree(folder.path, {
      'disk/a/b.zip': 'b',
      'from/artifacts': { link: '../disk' },
      'from/public/loop': { link: '..' },
      'from/public/nowhere': { link: 'nowhere' },
    });
    linkSync(folder.at('from/public/a.zip'), folder.at('from/public/b.zip'));
    utimesSync(folder.at('from/public/a.zip'), 1_700_000_000, 1_700_000_000);
    const paths = await listFiles(folder.at('from'), (path) => path.startsWith('left'));
    expect(paths).toEqual([
      'artifacts/a/b.zip',
      'index/keys/hello.json',
      'keys/signing-0001.json',
      'public/a.zip',
      'public/b.zip',
    ]);
    const files = await copyFiles(folder.at('from'), folder.at('to'), paths);
    const zip = {
      size: 3,
      modified: 1_700_000_000,
      sha256: '4a70fe9aa6436e02c2dea340fbd1e352e4ef2d8ce6ca52ad25d4b95471fc8bf2',
    };
    expect(files.slice(3)).toEqual([
      { path: 'public/a.zip', ...zip },
      { path: 'public/b.zip', ...zip },
    ]);
    const facts = (path: string): ReturnType<typeof statSync> => statSync(folder.at('to', path));
    expect(facts('public/a.zip')?.ino).toBe(facts('public/b.zip')?.ino);
    expect(facts('public/b.zip')?.mtimeMs).toBe(1_700_000_000_000);
    const isOpen = (path: string): boolean => (Number(facts(path)?.mode) & 0o044) !== 0;
    expect(
      ['keys', 'keys/signing-0001.json', 'index/keys', 'index/keys/hello.json', 'public/a.zip'].filter(isOpen),
    ).toEqual(['index/keys', 'index/keys/hello.json', 'public/a.zip']);
  });
});
