// Trees that were built elsewhere: what is taken over of them, what is left out, and which are refused as a whole, with
// nothing changed.

import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../../../build/build.ts';
import type { BuildRequest } from '../../../../build/scan/build-request.ts';
import { receiveTree } from '../../../../build/receive/receive.ts';
import type { BuildReport } from '../../../../build/contract/build-report.ts';
import { verifyTree } from '../../../../build/inspect/verify.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { zipOf, type EntrySpec } from '../../../util/hostile-zip.ts';
import { below, temporaryTree, type TemporaryTree } from '../../../util/package-tree.ts';
import { publishedTree, publishedVersions, wholeTree } from '../../../util/published-tree.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../util/temporary-folder.ts';
import { whoLibrary } from '../../../util/who-library.ts';

let series: BuildSeries;
let checkout: TemporaryTree;
let folder: TemporaryFolder;
let minute = 0;

beforeEach(() => {
  series = buildSeries();
  checkout = temporaryTree();
  folder = temporaryFolder('received');
});
afterEach(async () => {
  series.tree.remove();
  checkout.remove();
  await folder.remove();
});

const effects = () => ({
  now: () => new Date(Date.UTC(2027, 0, 1, 0, (minute += 1))),
  progress: () => undefined,
  environment: process.env,
});
const request = (data: string): BuildRequest => ({
  dataDirectory: data,
  arguments: [],
  baseDirectory: checkout.root,
  configured: undefined,
  fallback: undefined,
  forget: [],
  strict: false,
  allowRepublish: false,
  jobs: 1,
  metadataUrl: '/p2/%package%$%hash%.json',
  distBaseUrl: undefined,
});

/** As a CI job does: everything is built anew out of the checkout, and copied. */
async function sent(more: Partial<BuildRequest> = {}, into = 'incoming'): Promise<string> {
  rmSync(folder.at('made'), { recursive: true, force: true });
  await build({ ...request(folder.at('made')), arguments: [checkout.root], ...more }, effects());
  return copied(into);
}

function copied(into: string): string {
  rmSync(folder.at(into), { recursive: true, force: true });
  for (const part of ['public', 'index']) cpSync(folder.at('made', part), folder.at(into, part), { recursive: true });
  return folder.at(into);
}

const receive = (tree: string, more: Partial<BuildRequest> = {}, name = 'ci'): Promise<BuildReport> =>
  receiveTree({ name, tree }, { ...request(series.data), ...more }, effects());
const put = (version: string | undefined, who = 'a', name = 'acme/hello'): void =>
  checkout.write(below(`${name}/${version ?? 'head'}`, whoLibrary(name, version, {}, who)));
const versions = (data = series.data): string[] => Object.keys(publishedVersions(data)).toSorted();
const codes = (report: BuildReport): string[][] => report.quarantined.map(({ version, code }) => [version ?? '', code]);
const expectSound = async (): Promise<void> => expect((await verifyTree(series.data)).faults).toEqual([]);

describe('a received tree', () => {
  it('is published as it was built, byte for byte, and changes nothing when it comes again', async () => {
    put('1.0.0');
    put('2.0.0-beta1');
    put(undefined);
    checkout.write({ 'acme/hello/1.0.0/README.md': '# Hello', 'acme/hello/1.0.0/link': { link: 'composer.json' } });
    const first = await receive(await sent());
    expect([first.published, first.added.length, first.quarantined]).toEqual([true, 3, []]);
    expect(publishedTree(series.data)).toEqual(publishedTree(folder.at('made')));
    expect(
      readFileSync(
        join(
          series.data,
          'index/_texts/acme/hello',
          readdirSync(join(series.data, 'index/_texts/acme/hello'))[0] ?? '',
        ),
        'utf8',
      ),
    ).toBe('# Hello');
    await expectSound();

    const before = wholeTree(series.data);
    expect(await receive(await sent({}, 'elsewhere'))).toMatchObject({
      serial: 1,
      published: false,
      added: [],
      changed: [],
      withdrawn: [],
    });
    rmSync(join(series.data, 'build'), { recursive: true });
    expect(await receive(copied('incoming'))).toMatchObject({ added: [], changed: [], withdrawn: [], quarantined: [] });
    expect(wholeTree(series.data)).toEqual(before);
  });

  it('follows what comes and goes, and leaves what other sources publish', async () => {
    series.tree.write(below('own/tool', whoLibrary('acme/tool', '1.0.0')));
    await series.run({ arguments: ['own'] });
    put('1.0.0');
    put(undefined, 'early');
    await receive(await sent());
    checkout.delete('acme/hello/1.0.0');
    put('1.1.0');
    put(undefined, 'late');
    const { added, changed, withdrawn } = await receive(await sent());
    expect([added, changed, withdrawn].map((lines) => lines.map(({ version }) => version))).toEqual([
      ['1.1.0'],
      ['dev-main'],
      ['1.0.0'],
    ]);
    expect(versions()).toEqual(['acme/hello@1.1.0', 'acme/hello@dev-main', 'acme/tool@1.0.0']);
    expect(existsSync(join(series.data, 'public/dist/acme/hello/1.0.0.zip'))).toBe(true);
    await expectSound();
  });

  it('stays published in builds of other sources, also with other settings, and is withdrawn when it is forgotten', async () => {
    put('1.0.0');
    await receive(await sent());
    series.tree.write(below('own/tool', whoLibrary('acme/tool', '1.0.0')));
    const built = await series.run({ arguments: ['own'] });
    expect([built.withdrawn, built.notices]).toEqual([[], []]);
    expect((await series.run({ arguments: [], distBaseUrl: 'https://packages.example.org' })).failed).toEqual([]);
    expect(readFileSync(join(series.data, 'public/p2/acme/hello.json'), 'utf8')).toContain(
      'https://packages.example.org/dist/acme/hello/1.0.0.zip',
    );
    await expect(series.run({ arguments: ['received:ci'] })).rejects.toThrow('libretto receive');
    expect((await series.run({ arguments: [], forget: ['received:ci'] })).withdrawn.map(({ name }) => name)).toEqual([
      'acme/hello',
    ]);
    expect(versions()).toEqual(['acme/tool@1.0.0']);
    await expectSound();
  });

  it('is one source for each name it has: neither takes over what the other publishes', async () => {
    put('1.0.0');
    put('1.0.0', 'a', 'acme/other');
    await receive(await sent(), {}, 'one');
    checkout.delete('acme/other');
    put('2.0.0');
    const report = await receive(await sent(), {}, 'two');
    expect([report.added.map(({ version }) => version), codes(report), report.withdrawn]).toEqual([
      ['2.0.0'],
      [['1.0.0', 'DUPLICATE_VERSION']],
      [],
    ]);
    await expect(receive(copied('incoming'), {}, '../one')).rejects.toThrow('--as');
  });

  it('changes no released version: other content is left out, and so are other bytes of the same content', async () => {
    put('1.0.0', 'first');
    put('1.1.0', 'x'.repeat(5000));
    await receive(await sent());
    const before = publishedTree(series.data);
    put('1.0.0', 'second');
    put('1.2.0');
    const report = await receive(await sent());
    expect([codes(report), report.added.map(({ version }) => version)]).toEqual([
      [['1.0.0', 'VERSION_CHANGED']],
      ['1.2.0'],
    ]);
    expect(publishedVersions(series.data)['acme/hello@1.0.0']).toBeDefined();
    expect(publishedTree(series.data)).toMatchObject({
      'dist/acme/hello/1.0.0.zip': before['dist/acme/hello/1.0.0.zip'],
    });

    put('1.0.0', 'first');
    const repacked = await sent();
    swapArchive(
      repacked,
      '1.1.0',
      zipOf([
        {
          name: 'composer.json',
          data: readFileSync(join(checkout.root, 'acme/hello/1.1.0/composer.json')),
        } satisfies EntrySpec,
      ]),
    );
    expect(codes(await receive(repacked, { allowRepublish: true }))).toEqual([['1.1.0', 'VERSION_CHANGED']]);
    expect(publishedTree(series.data)['dist/acme/hello/1.1.0.zip']).toBe(before['dist/acme/hello/1.1.0.zip']);
    await expectSound();
  });

  it('leaves out what is not safe to unpack, and what Composer could not read, and publishes the rest', async () => {
    put('1.0.0');
    put('1.1.0');
    put('1.2.0');
    const tree = await sent();
    swapArchive(
      tree,
      '1.1.0',
      zipOf([
        { name: 'hello/composer.json', data: '{"name": "acme/hello"}' },
        { name: '../evil.php', data: '<?php' },
      ]),
    );
    rewriteRecord(tree, '1.2.0', (record) => ({ ...record, require: { php: 'not a constraint' } }));
    expect(codes(await receive(tree)).toSorted()).toEqual([
      ['1.1.0', 'ARCHIVE_UNSAFE'],
      ['1.2.0', 'CONSTRAINT_INVALID'],
    ]);
    expect(versions()).toEqual(['acme/hello@1.0.0']);
    await expectSound();
  });

  it('says what its own build left out, and keeps what was published of that', async () => {
    put('1.0.0');
    put('1.1.0');
    await receive(await sent());
    checkout.write({
      'acme/hello/1.1.0/composer.json':
        '{"name": "acme/hello", "version": "1.1.0", "require": {"php": "not a constraint"}}',
    });
    const report = await receive(await sent());
    expect([codes(report), report.withdrawn]).toEqual([[['1.1.0', 'CONSTRAINT_INVALID']], []]);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.1.0']);
  });

  it('is held back where a package would lose all it has, unless that is meant', async () => {
    put('1.0.0');
    put('1.0.0', 'a', 'acme/other');
    await receive(await sent());
    checkout.delete('acme/other');
    const tree = await sent();
    await expect(receive(tree)).rejects.toThrow('--allow-withdraw');
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/other@1.0.0']);
    expect((await receive(tree, { allowWithdraw: true })).withdrawn.map(({ name }) => name)).toEqual(['acme/other']);
  });

  it('in a dry run, says what would be and changes nothing', async () => {
    put('1.0.0');
    await receive(await sent());
    const before = wholeTree(series.data);
    checkout.delete('acme/hello/1.0.0');
    put('1.1.0');
    const tree = await sent();
    expect(await receive(tree, { dryRun: true })).toMatchObject({
      published: false,
      serial: 1,
      added: [{ version: '1.1.0' }],
      withdrawn: [{ version: '1.0.0' }],
    });
    expect(wholeTree(series.data)).toEqual(before);
    expect(await receive(tree)).toMatchObject({
      published: true,
      serial: 2,
      added: [{ version: '1.1.0' }],
      withdrawn: [{ version: '1.0.0' }],
    });
  });
});

describe('a tree that is not whole is refused, and nothing is changed:', () => {
  const flip = (path: string): void => {
    const bytes = readFileSync(path);
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  };
  const damages: Readonly<Record<string, readonly [damage: (tree: string) => void, says: string]>> = {
    'no such folder': [(tree) => rmSync(tree, { recursive: true }), 'is not a folder'],
    'an empty folder': [
      (tree) => (rmSync(tree, { recursive: true }), mkdirSync(tree)),
      'index/_publication.json is missing',
    ],
    'its public/ alone': [
      (tree) => rmSync(join(tree, 'index'), { recursive: true }),
      'index/_publication.json is missing',
    ],
    'no announcement': [(tree) => rmSync(join(tree, 'index/_publication.json')), '_publication.json is missing'],
    'another packages.json': [
      (tree) => writeFileSync(join(tree, 'public/packages.json'), '{"available-packages": []}\n'),
      'packages.json is not the one',
    ],
    'a document that is cut off': [
      (tree) => writeFileSync(join(tree, 'public/p2/acme/hello.json'), '{"pack'),
      'hello.json is not the one',
    ],
    'a missing document': [(tree) => rmSync(join(tree, 'public/p2/acme/hello.json')), 'hello.json is missing'],
    'a missing index': [(tree) => rmSync(join(tree, 'index/acme/hello.json')), 'index/acme/hello.json is missing'],
    'a damaged index': [
      (tree) => writeFileSync(join(tree, 'index/acme/hello.json'), 'secret of another file'),
      'index/acme/hello.json is damaged',
    ],
    'a missing archive': [(tree) => rmSync(join(tree, 'public/dist/acme/hello/2.0.0.zip')), '2.0.0.zip is missing'],
    'an archive that is cut off': [
      (tree) => writeFileSync(join(tree, 'public/dist/acme/hello/2.0.0.zip'), 'PK'),
      '2 bytes instead of',
    ],
    'a flipped bit in an archive': [
      (tree) => flip(join(tree, 'public/dist/acme/hello/2.0.0.zip')),
      'does not have the SHA-1',
    ],
    'a newer format': [
      (tree) =>
        writeFileSync(
          join(tree, 'index/_publication.json'),
          readFileSync(join(tree, 'index/_publication.json'), 'utf8').replace('"format": 1', '"format": 999'),
        ),
      'newer version of Libretto',
    ],
    'a symbolic link that leads out of it': [
      (tree) => (
        renameSync(join(tree, 'public/p2'), join(tree, 'p2')),
        symlinkSync(join(tree, 'p2'), join(tree, 'public/p2'))
      ),
      'symbolic link',
    ],
  };

  for (const [what, [damage, says]] of Object.entries(damages)) {
    it(what, async () => {
      put('1.0.0');
      await receive(await sent());
      const before = [wholeTree(series.data), readFileSync(join(series.data, 'index/_publication.json'), 'utf8')];
      put('2.0.0');
      put('1.0.0', 'a', 'acme/other');
      const tree = await sent();
      damage(tree);
      const error = await receive(tree).then(
        () => new Error('it was received'),
        (thrown: unknown) => thrown as Error,
      );
      expect([error.name, error.message]).toEqual(['BuildRefused', expect.stringContaining(says) as string]);
      expect(error.message).not.toContain('secret');
      expect([wholeTree(series.data), readFileSync(join(series.data, 'index/_publication.json'), 'utf8')]).toEqual(
        before,
      );
      expect(await receive(copied('incoming'))).toMatchObject({
        added: [{ version: '2.0.0' }, { version: '1.0.0' }],
        quarantined: [],
      });
    });
  }

  it('a tree inside the data folder, and the data folder itself', async () => {
    put('1.0.0');
    await receive(await sent());
    cpSync(folder.at('incoming'), join(series.data, 'incoming'), { recursive: true });
    await expect(receive(join(series.data, 'incoming'))).rejects.toThrow('inside the data folder');
    await expect(receive(series.data)).rejects.toThrow('data folder');
    expect(statSync(series.data).isDirectory()).toBe(true);
  });
});

/** Puts another archive there, and makes all that the tree says of it agree. */
function swapArchive(tree: string, version: string, zip: Buffer): void {
  const shasum = createHash('sha1').update(zip).digest('hex');
  writeFileSync(join(tree, `public/dist/acme/hello/${version}.zip`), zip);
  rewriteRecord(tree, version, (record) => ({ ...record, dist: { ...(record['dist'] as object), shasum } }), {
    shasum,
    size: zip.length,
  });
}

function rewriteRecord(
  tree: string,
  version: string,
  change: (record: Record<string, unknown>) => Record<string, unknown>,
  entry: object = {},
): void {
  const path = join(tree, 'public/p2/acme/hello.json');
  const json = JSON.parse(readFileSync(path, 'utf8')) as {
    packages: Record<string, Record<string, Record<string, unknown>>>;
  };
  const all = json.packages['acme/hello'] ?? {};
  all[version] = change(all[version] ?? {});
  const text = `${JSON.stringify(json)}\n`;
  writeFileSync(path, text);
  const index = JSON.parse(readFileSync(join(tree, 'index/acme/hello.json'), 'utf8')) as {
    documents: { stable: { sha256: string } };
    versions: { version: string }[];
  };
  index.documents.stable.sha256 = createHash('sha256').update(text).digest('hex');
  index.versions = index.versions.map((one) => (one.version === version ? { ...one, ...entry } : one));
  writeFileSync(join(tree, 'index/acme/hello.json'), `${JSON.stringify(index, null, 1)}\n`);
}
