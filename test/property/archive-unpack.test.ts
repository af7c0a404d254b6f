// Tests Libretto's archives with other unpackers: unzip (Composer's first choice), PHP's ZipArchive (its fallback) and
// Python's zipfile.

import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createArchiver } from '../../build/archive/archiver.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { memoryContent } from '../unit/build/archive/memory-content.ts';

const entryTime = Date.UTC(2023, 6, 8, 21, 30, 15) / 1000;
const files = {
  'composer.json': '{"name": "acme/hello"}\n',
  'bin/hello': '!#!/usr/bin/env php\n<?php echo "hello\\n";\n',
  'src/Hello.php': `<?php\n${'// a line that deflates well\n'.repeat(300)}`,
  'src/link.php': '→Hello.php',
  current: '→src',
  'empty.txt': '',
  'docs/über ♪.md': '# umlauts\n',
  'a/deep/folder/of/its/own/x': 'x',
};

const folder = temporaryFolder('unpack');
const zip = folder.at('out.zip');

beforeAll(async () => {
  const archiver = createArchiver({ scratchDirectory: folder.at('scratch'), jobs: 1 });
  await archiver.archive(memoryContent(files, { entryTime }), { topFolder: 'acme-hello-1234567', target: zip });
  await archiver.close();
});
afterAll(() => folder.remove());

const run = (command: string, args: readonly string[], environment: Record<string, string> = {}): string =>
  execFileSync(command, args, {
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).toString();
const textOf = (given: string): string => given.replace(/^[→!]/, '');

describe.skipIf(lacks('unzip'))('unzip', () => {
  it.each(['UTC', 'Asia/Tokyo', 'America/Los_Angeles'])(
    'restores contents, modes, links and times (time zone %s)',
    (zone) => {
      const target = folder.at(`unzipped-${zone.replace('/', '-')}`);
      run('sh', ['-c', 'umask 022 && unzip -qq -o "$0" -d "$1"', zip, target], { TZ: zone });
      const at = (path: string): string => `${target}/acme-hello-1234567/${path}`;
      for (const [path, text] of Object.entries(files)) {
        if (text.startsWith('→')) expect(readlinkSync(at(path))).toBe(textOf(text));
        else {
          expect(readFileSync(at(path), 'utf8')).toBe(textOf(text));
          expect((lstatSync(at(path)).mode & 0o777).toString(8)).toBe(text.startsWith('!') ? '755' : '644');
          expect(statSync(at(path)).mtimeMs / 1000).toBe(entryTime);
        }
      }
      expect(readFileSync(at('current/link.php'), 'utf8')).toBe(files['src/Hello.php']);
    },
  );

  it('reports no fault in an archive', () => {
    expect(run('unzip', ['-t', zip])).toContain('No errors detected');
    const details = run('unzip', ['-Z', '-v', zip]);
    expect(details).toContain('There is no zipfile comment');
    expect(details).not.toMatch(/warning|error/i);
    expect(details).not.toMatch(/extended local header: +yes/);
    expect(
      details.match(/Unix UID|universal time|time stamp|UT extra field modtime: +2023 Jul 8 21:30:15 UTC/gi),
    ).toHaveLength(Object.keys(files).length);
  });
});

describe.skipIf(lacks('php') || !hasZipArchive())("PHP's ZipArchive", () => {
  it('accepts an archive in its consistency check and extracts the same contents', () => {
    const target = folder.at('php');
    mkdirSync(target);
    const script =
      '$z = new ZipArchive; $r = $z->open($argv[1], ZipArchive::CHECKCONS); if ($r !== true) exit("open: $r"); if (!$z->extractTo($argv[2])) exit("extract"); echo $z->numFiles;';
    expect(run('php', ['-r', script, zip, target])).toBe(String(Object.keys(files).length));
    for (const [path, text] of Object.entries(files))
      expect(readFileSync(`${target}/acme-hello-1234567/${path}`, 'utf8')).toBe(textOf(text));
  });
});

describe.skipIf(lacks('python3'))("Python's zipfile", () => {
  it('reads every entry and its checksum', () => {
    const script =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print("\\n".join(z.namelist()))';
    expect(run('python3', ['-c', script, zip]).trim().split('\n').toSorted()).toEqual(
      Object.keys(files)
        .map((path) => `acme-hello-1234567/${path}`)
        .toSorted(),
    );
  });
});

function hasZipArchive(): boolean {
  return !lacks('php') && execFileSync('php', ['-r', 'echo class_exists("ZipArchive") ? 1 : 0;']).toString() === '1';
}
