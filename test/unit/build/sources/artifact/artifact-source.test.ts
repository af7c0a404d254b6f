// Tests a folder of ZIPs as a source: the published releases, their versions and bytes, and the refused ZIPs.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  existsSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createArtifactSource } from '../../../../../build/sources/artifact/artifact-source.ts';
import type { ReadyArchive } from '../../../../../build/archive/content.ts';
import type { Release, Scan, SourceMemory } from '../../../../../build/sources/release.ts';
import { zipOf, type EntrySpec } from '../../../../util/hostile-zip.ts';
import { labels, onlyQuarantine, releaseOf, stored, type ReadScan } from '../../../../util/directory-scan.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../../util/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(() => (folder = temporaryFolder('artifacts')));
afterEach(() => folder.remove());

function put(path: string, bytes: Buffer): string {
  const file = folder.at(path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  return file;
}

const composer = (json: object, at = 'hello/'): EntrySpec => ({
  name: `${at}composer.json`,
  data: JSON.stringify(json),
});
const hello = (version?: string): Buffer =>
  zipOf([
    composer({ name: 'acme/hello', ...(version === undefined ? {} : { version }) }),
    { name: 'hello/src/Hello.php', data: '<?php' },
  ]);

async function scan(previous?: SourceMemory, secondsLater = 10): Promise<Scan> {
  const source = createArtifactSource({
    root: folder.path,
    dataDirectory: folder.at('var'),
    now: () => new Date(Date.now() + secondsLater * 1000),
  });
  const found = await source.scan(previous);
  await source.close();
  return found;
}

async function read(previous?: SourceMemory): Promise<ReadScan> {
  const found = await scan(previous);
  if (found.outcome !== 'read') throw new Error(`expected to read, but: ${JSON.stringify(found)}`);
  return found;
}

const copyOf = (release: Release, target: string): ReturnType<ReadyArchive['copyTo']> =>
  (release.content as ReadyArchive).copyTo(target);

describe('the releases of a folder of ZIPs', () => {
  it('include ZIPs at any depth, byte for byte', async () => {
    const bytes = hello('1.0.0');
    const path = put('a/b/whatever.ZIP', bytes);
    const release = releaseOf(await read(), 'acme/hello 1.0.0');
    expect(release).toMatchObject({
      normalized: '1.0.0.0',
      dev: false,
      time: undefined,
      defaultBranch: false,
      where: path,
    });
    expect(release.reference).toBe(createHash('sha256').update(bytes).digest('hex').slice(0, 40));
    expect(await release.composerJson()).toMatchObject({ name: 'acme/hello' });
    expect(await copyOf(release, folder.at('copy'))).toEqual({
      shasum: createHash('sha1').update(bytes).digest('hex'),
      size: bytes.length,
    });
    expect(readFileSync(folder.at('copy')).equals(bytes)).toBe(true);
  });

  it('include flat ZIPs and ZIPs that contain a ZIP', async () => {
    put(
      'flat.zip',
      zipOf([
        composer({ name: 'acme/flat', version: '2.0' }, ''),
        { name: 'src/' },
        { name: 'src/a.php', data: '' },
        { name: 'inner.zip', data: zipOf([{ name: '../x', data: '' }]) },
        { name: 'src/' },
      ]),
    );
    const flat = releaseOf(await read(), 'acme/flat 2.0');
    expect(await flat.composerJson()).toMatchObject({ name: 'acme/flat' }); // adm-zip reads no two src/
  });

  it('include a ZIP with a .DS_Store next to its top folder, as in Composer', async () => {
    put('mac.zip', zipOf([{ name: '.DS_Store', data: 'x' }, composer({ name: 'acme/mac', version: '1' })]));
    expect(labels(await read())).toEqual(['acme/mac 1']);
  });

  it('exclude folders and files that start with a dot, and the data folder', async () => {
    put('1.0.0.zip', hello());
    for (const path of ['.cache/2.0.0.zip', '._1.0.0.zip', 'var/dist/3.0.0.zip']) put(path, hello());
    expect(labels(await read())).toEqual(['acme/hello 1.0.0']);
  });

  it('are reported with the files that look like credentials', async () => {
    put(
      '1.0.0.zip',
      zipOf([
        composer({ name: 'acme/hello' }),
        { name: 'hello/auth.json', data: '{}' },
        { name: 'hello/.env', data: '' },
      ]),
    );
    const { releases, notices } = await read();
    expect(releases).toHaveLength(1);
    expect(notices).toEqual([
      expect.stringMatching(
        /^1\.0\.0\.zip contains hello\/auth\.json and 1 more, which by its name may be a credential/,
      ),
    ]);
  });
});

describe('the version of a ZIP', () => {
  it.each([
    ['acme-hello-1.2.0.zip', '1.2.0'],
    ['Acme_Hello_v1.2.0.zip', 'v1.2.0'],
    ['hello-1.2.0.zip', '1.2.0'],
    ['hello.1.2.0-beta1.zip', '1.2.0-beta1'],
    ['hello@1.x-dev.zip', '1.x-dev'],
    ['hello-dev-main.zip', 'dev-main'],
    ['hello-master.zip', 'dev-master'],
    ['1.2.0.zip', '1.2.0'],
    ['dev-main.zip', 'dev-main'],
    ['20240131.zip', '20240131'],
  ])('the version of %s is %s', async (file, version) => {
    put(file, hello());
    expect(labels(await read())).toEqual([`acme/hello ${version}`]);
  });

  it.each([
    ['hello.zip', 'The version of acme/hello in "hello.zip" is unknown. Rename it to acme-hello-1.2.0.zip'],
    ['other-hello-1.2.0.zip', 'The version of acme/hello in'],
    ['hello-1.2.0-final.zip', 'The version of acme/hello in'],
    ['hello-1.2.0 (1).zip', 'The version of acme/hello in'],
    ['hello-main.zip', 'The version of acme/hello in'],
    ['dev-a b.zip', 'cannot be downloaded'],
  ])('no version is found in %s', async (file, message) => {
    put(file, hello());
    expect(onlyQuarantine(await read())).toMatchObject({
      code: 'VERSION_INVALID',
      name: 'acme/hello',
      version: null,
      where: folder.at(file),
      message: expect.stringContaining(message),
    });
  });

  it('the version of a package whose name starts like a branch is the part behind the name', async () => {
    put('dev-tools-1.0.zip', zipOf([composer({ name: 'acme/dev-tools' })]));
    expect(labels(await read())).toEqual(['acme/dev-tools 1.0']);
  });

  it('a file name that could mean two versions is refused', async () => {
    put('dev-1.0.zip', zipOf([composer({ name: 'acme/dev' })]));
    expect(onlyQuarantine(await read())).toMatchObject({
      code: 'VERSION_INVALID',
      message: expect.stringContaining('may be version 1.0 or dev-1.0 of acme/dev'),
    });
  });

  it('the version in composer.json applies, unless the file name has another version', async () => {
    put('a.zip', hello('1.0.0'));
    put('hello-7.zip', hello('1.1.0'));
    put('hello-v1.2.zip', hello('1.2.0'));
    put('hello-1.4.0.zip', hello('1.3.0'));
    const found = await read();
    expect(labels(found)).toEqual(['acme/hello 1.0.0', 'acme/hello 1.1.0', 'acme/hello 1.2.0']);
    expect(onlyQuarantine(found)).toMatchObject({ code: 'VERSION_MISMATCH', name: 'acme/hello' });
  });

  it('a version that two ZIPs claim is published from neither', async () => {
    put('a/1.0.0.zip', hello());
    put('b/1.0.zip', hello());
    put('2.0.0.zip', hello());
    const found = await read();
    expect(labels(found)).toEqual(['acme/hello 2.0.0']);
    expect(found.quarantined.map(({ code }) => code)).toEqual(['DUPLICATE_VERSION', 'DUPLICATE_VERSION']);
  });
});

describe('a refused ZIP', () => {
  beforeEach(() => void put('1.0.0.zip', hello()));

  it.each<[string, () => unknown, string, string]>([
    [
      'a hostile ZIP',
      () => put('x.zip', zipOf([composer({ name: 'acme/x' }), { name: 'hello/../../evil', data: '' }])),
      'ARCHIVE_UNSAFE',
      'evil',
    ],
    ['a file that is no ZIP', () => put('x.zip', Buffer.from('hello')), 'ARCHIVE_UNREADABLE', 'not a ZIP file'],
    [
      'a ZIP without composer.json',
      () => put('x.zip', zipOf([{ name: 'a.php', data: '' }])),
      'INVALID_COMPOSER_JSON',
      'no composer.json',
    ],
    [
      'a composer.json too deep',
      () => put('x.zip', zipOf([composer({}, 'a/b/'), { name: 'readme', data: '' }])),
      'INVALID_COMPOSER_JSON',
      '"a/b/composer.json" is somewhere else',
    ],
    [
      'a ZIP of the Finder',
      () => put('x.zip', zipOf([composer({}), { name: '__MACOSX/x', data: '' }])),
      'INVALID_COMPOSER_JSON',
      'The folder "__MACOSX" of the Finder is in the way: remove it',
    ],
    ['broken JSON', () => put('x.zip', zipOf([{ name: 'composer.json', data: '{' }])), 'INVALID_JSON', 'line 1'],
    [
      'an array',
      () => put('x.zip', zipOf([{ name: 'composer.json', data: '[]' }])),
      'INVALID_COMPOSER_JSON',
      'an array',
    ],
    [
      'a composer.json of 2 MB',
      () => put('x.zip', zipOf([{ name: 'composer.json', data: Buffer.alloc(2 ** 21, ' '), stored: true }])),
      'INVALID_COMPOSER_JSON',
      'larger than',
    ],
    [
      'a composer.json that is a symlink',
      () =>
        put(
          'x.zip',
          zipOf([
            { name: 'composer.json', data: 'a.json', mode: 0o120777 },
            { name: 'a.json', data: '{}' },
          ]),
        ),
      'INVALID_COMPOSER_JSON',
      'or no file',
    ],
    ['no name', () => put('x.zip', zipOf([composer({ version: '1.0' })])), 'NAME_MISSING', 'no name'],
    [
      'a bad constraint',
      () => put('1.1.0.zip', zipOf([composer({ name: 'acme/x', require: { php: 'x y z' } })])),
      'CONSTRAINT_INVALID',
      'require',
    ],
    [
      'a symlink to a ZIP',
      () => symlinkSync(folder.at('1.0.0.zip'), folder.at('x.zip')),
      'UNSAFE_SYMLINK',
      'symbolic link',
    ],
  ])('does not stop the others: %s', async (_what, make, code, message) => {
    make();
    const found = await read();
    expect(labels(found)).toEqual(['acme/hello 1.0.0']);
    expect(onlyQuarantine(found)).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('keeps the name of the earlier ZIP at its path', async () => {
    const { memory } = await read();
    writeFileSync(folder.at('1.0.0.zip'), 'broken');
    expect(onlyQuarantine(await read(stored(memory)))).toMatchObject({
      code: 'ARCHIVE_UNREADABLE',
      name: 'acme/hello',
      version: '1.0.0',
    });
  });

  it.skipIf(process.getuid?.() === 0)('in an unreadable folder keeps its published versions', async () => {
    put('locked/2.0.0.zip', hello());
    const { memory } = await read();
    chmodSync(folder.at('locked'), 0);
    expect(onlyQuarantine(await read(stored(memory)))).toMatchObject({
      code: 'UNREADABLE_FILE',
      name: 'acme/hello',
      version: '2.0.0',
    });
  });

  it('a folder that is missing or has no ZIP fails the whole source', async () => {
    rmSync(folder.at('1.0.0.zip'));
    expect(await scan()).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('contains no ZIP') });
    rmSync(folder.path, { recursive: true });
    expect(await scan()).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('does not exist') });
  });
});

describe('copying an admitted ZIP', () => {
  it('gives the admitted bytes, or an error and no file', async () => {
    const path = put('1.0.0.zip', hello());
    const release = releaseOf(await read(), 'acme/hello 1.0.0');
    writeFileSync(path, hello('2.0.0'));
    await expect(copyOf(release, folder.at('copy'))).rejects.toMatchObject({ code: 'UNREADABLE_FILE' });
    await expect(release.composerJson()).rejects.toMatchObject({ code: 'UNREADABLE_FILE' });
    expect(existsSync(folder.at('copy'))).toBe(false);
  });
});

describe('a second scan', () => {
  const settle = (...paths: readonly string[]): void => {
    for (const path of paths) utimesSync(folder.at(path), 1_700_000_000, 1_700_000_000);
  };

  it('reports no change where no file changed, with or without refused ZIPs', async () => {
    put('1.0.0.zip', hello());
    put('broken.zip', Buffer.from('x'));
    const { memory } = await read();
    expect(await scan(stored(memory))).toEqual({ outcome: 'unchanged' });
  });

  it('opens only changed ZIPs', async () => {
    put('1.0.0.zip', hello());
    put('2.0.0.zip', hello());
    const first = await read();
    const known = JSON.stringify(first.memory).replaceAll(
      createHash('sha256').update(hello()).digest('hex'),
      'f'.repeat(64),
    );
    put('2.0.0.zip', zipOf([composer({ name: 'acme/hello' })]));
    const second = await read(JSON.parse(known) as SourceMemory);
    expect(releaseOf(second, 'acme/hello 1.0.0').reference).toBe('f'.repeat(40));
    expect(releaseOf(second, 'acme/hello 2.0.0').reference).not.toBe('f'.repeat(40));
  });

  it('opens again a ZIP that was modified just before the last scan', async () => {
    put('1.0.0.zip', hello());
    settle('1.0.0.zip');
    const first = (await scan(undefined, 0)) as ReadScan;
    expect((await scan(stored(first.memory), 10)).outcome).toBe('read');
  });

  it('forgets removed ZIPs', async () => {
    put('1.0.0.zip', hello());
    put('2.0.0.zip', hello());
    const { memory } = await read();
    rmSync(folder.at('2.0.0.zip'));
    const second = await read(stored(memory));
    expect(labels(second)).toEqual(['acme/hello 1.0.0']);
    expect(second.quarantined).toEqual([]);
  });
});

describe('tars in the folder', () => {
  const tarOf = (json: object, file: string): string => {
    put('parts/composer.json', Buffer.from(JSON.stringify(json)));
    execFileSync('tar', ['czf', folder.at(file), '-C', folder.at('parts'), 'composer.json']);
    rmSync(folder.at('parts'), { recursive: true });
    return folder.at(file);
  };

  it('are versions like ZIPs, and are not opened again while they stay as they are', async () => {
    mkdirSync(folder.at('var'));
    const path = tarOf({ name: 'acme/hello' }, 'hello-1.2.0.tar.gz');
    tarOf({ name: 'acme/other', version: '2.0.0' }, 'other.tgz');
    const source = createArtifactSource({ root: folder.path, dataDirectory: folder.at('var') });
    const again = createArtifactSource({ root: folder.path, dataDirectory: folder.at('var') });
    const first = await read();
    expect(labels(first)).toEqual(['acme/hello 1.2.0', 'acme/other 2.0.0']);
    expect(first.notices).toEqual([]);
    expect(await scan(first.memory)).toEqual({ outcome: 'unchanged' });
    utimesSync(path, 1, 1);
    for (const [one, target] of [
      [source, 'one.zip'],
      [again, 'two.zip'],
    ] as const) {
      const release = releaseOf((await one.scan(undefined)) as ReadScan, 'acme/hello 1.2.0');
      expect(release.reference).toBe(releaseOf(first, 'acme/hello 1.2.0').reference);
      expect(await release.composerJson()).toEqual({ name: 'acme/hello' });
      await (release.content as ReadyArchive).copyTo(folder.at(`var/${target}`));
      await one.close();
    }
    expect(readFileSync(folder.at('var/two.zip')).equals(readFileSync(folder.at('var/one.zip')))).toBe(true);
  });

  it('of other kinds are named, and so is a folder with nothing else', async () => {
    put('old.tar.bz2', Buffer.from('BZh9'));
    const reason: unknown = expect.stringContaining('no ZIP and no tar');
    expect(await scan()).toMatchObject({ outcome: 'failed', reason });
    put('1.0.0.zip', hello());
    const { notices, memory } = await read();
    expect(notices).toEqual([expect.stringContaining('old.tar.bz2 is passed over. Pack it as .zip')]);
    put('more/x.rar', Buffer.from('Rar!'));
    expect((await read(memory)).notices).toHaveLength(2);
  });
});
