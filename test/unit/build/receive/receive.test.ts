// Tests trees that were built elsewhere: the versions that receive takes over and those that it excludes.
// receive-damaged-trees.test.ts has the trees that are refused.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BuildReport } from '../../../../build/contract/build-report.ts';
import { verifyTree } from '../../../../build/inspect/verify.ts';
import { zipOf, type EntrySpec } from '../../../util/hostile-zip.ts';
import { below } from '../../../util/package-tree.ts';
import { publishedTree, publishedVersions, wholeTree } from '../../../util/published-tree.ts';
import { receivingRegistry, type ReceivingRegistry } from '../../../util/receiving-registry.ts';
import { whoLibrary } from '../../../util/who-library.ts';

let registry: ReceivingRegistry;
beforeEach(() => {
  registry = receivingRegistry();
});
afterEach(() => registry[Symbol.asyncDispose]());

const versions = (): string[] => Object.keys(publishedVersions(registry.data)).toSorted();
const codes = (report: BuildReport): string[][] => report.quarantined.map(({ version, code }) => [version ?? '', code]);
const expectSound = async (): Promise<void> => expect((await verifyTree(registry.data)).faults).toEqual([]);

describe('a received tree', () => {
  it('a received tree is published byte for byte, and receiving it again changes nothing', async () => {
    registry.put('1.0.0');
    registry.put('2.0.0-beta1');
    registry.put(undefined);
    registry.checkout.write({
      'acme/hello/1.0.0/README.md': '# Hello',
      'acme/hello/1.0.0/link': { link: 'composer.json' },
    });
    const first = await registry.receive(await registry.sent());
    expect([first.published, first.added.length, first.quarantined]).toEqual([true, 3, []]);
    expect(publishedTree(registry.data)).toEqual(publishedTree(registry.folder.at('made')));
    expect(
      readFileSync(
        join(
          registry.data,
          'index/_texts/acme/hello',
          readdirSync(join(registry.data, 'index/_texts/acme/hello'))[0] ?? '',
        ),
        'utf8',
      ),
    ).toBe('# Hello');
    await expectSound();

    const before = wholeTree(registry.data);
    expect(await registry.receive(await registry.sent('elsewhere'))).toMatchObject({
      serial: 1,
      published: false,
      added: [],
      changed: [],
      withdrawn: [],
    });
    rmSync(join(registry.data, 'build'), { recursive: true });
    expect(await registry.receive(registry.copied('incoming'))).toMatchObject({
      added: [],
      changed: [],
      withdrawn: [],
      quarantined: [],
    });
    expect(wholeTree(registry.data)).toEqual(before);
  });

  it('receive follows added and removed versions, and leaves the packages of other sources alone', async () => {
    registry.series.tree.write(below('own/tool', whoLibrary('acme/tool', '1.0.0')));
    await registry.series.run({ arguments: ['own'] });
    registry.put('1.0.0');
    registry.put(undefined, 'early');
    await registry.receive(await registry.sent());
    registry.checkout.delete('acme/hello/1.0.0');
    registry.put('1.1.0');
    registry.put(undefined, 'late');
    const { added, changed, withdrawn } = await registry.receive(await registry.sent());
    expect([added, changed, withdrawn].map((lines) => lines.map(({ version }) => version))).toEqual([
      ['1.1.0'],
      ['dev-main'],
      ['1.0.0'],
    ]);
    expect(versions()).toEqual(['acme/hello@1.1.0', 'acme/hello@dev-main', 'acme/tool@1.0.0']);
    expect(existsSync(join(registry.data, 'public/dist/acme/hello/1.0.0.zip'))).toBe(true);
    await expectSound();
  });

  it('a received tree stays published in builds of other sources with other settings, and is withdrawn when forgotten', async () => {
    registry.put('1.0.0');
    await registry.receive(await registry.sent());
    registry.series.tree.write(below('own/tool', whoLibrary('acme/tool', '1.0.0')));
    const built = await registry.series.run({ arguments: ['own'] });
    expect([built.withdrawn, built.notices]).toEqual([[], []]);
    expect((await registry.series.run({ arguments: [], distBaseUrl: 'https://packages.example.org' })).failed).toEqual(
      [],
    );
    expect(readFileSync(join(registry.data, 'public/p2/acme/hello.json'), 'utf8')).toContain(
      'https://packages.example.org/dist/acme/hello/1.0.0.zip',
    );
    await expect(registry.series.run({ arguments: ['received:ci'] })).rejects.toThrow('libretto receive');
    expect(
      (await registry.series.run({ arguments: [], forget: ['received:ci'] })).withdrawn.map(({ name }) => name),
    ).toEqual(['acme/hello']);
    expect(versions()).toEqual(['acme/tool@1.0.0']);
    await expectSound();
  });

  it('a received tree is one source among others: no source takes over versions of another', async () => {
    registry.put('1.0.0');
    registry.put('1.0.0', 'a', 'acme/other');
    await registry.receive(await registry.sent(), {}, 'one');
    registry.checkout.delete('acme/other');
    registry.put('2.0.0');
    const report = await registry.receive(await registry.sent(), {}, 'two');
    expect([report.added.map(({ version }) => version), codes(report), report.withdrawn]).toEqual([
      ['2.0.0'],
      [['1.0.0', 'DUPLICATE_VERSION']],
      [],
    ]);
    await expect(registry.receive(registry.copied('incoming'), {}, '../one')).rejects.toThrow('--as');
  });

  it('receive changes no released version: other content, and other bytes of the same content, are excluded', async () => {
    registry.put('1.0.0', 'first');
    registry.put('1.1.0', 'x'.repeat(5000));
    await registry.receive(await registry.sent());
    const before = publishedTree(registry.data);
    registry.put('1.0.0', 'second');
    registry.put('1.2.0');
    const report = await registry.receive(await registry.sent());
    expect([codes(report), report.added.map(({ version }) => version)]).toEqual([
      [['1.0.0', 'VERSION_CHANGED']],
      ['1.2.0'],
    ]);
    expect(publishedVersions(registry.data)['acme/hello@1.0.0']).toBeDefined();
    expect(publishedTree(registry.data)).toMatchObject({
      'dist/acme/hello/1.0.0.zip': before['dist/acme/hello/1.0.0.zip'],
    });

    registry.put('1.0.0', 'first');
    const repacked = await registry.sent();
    swapArchive(
      repacked,
      '1.1.0',
      zipOf([
        {
          name: 'composer.json',
          data: readFileSync(join(registry.checkout.root, 'acme/hello/1.1.0/composer.json')),
        } satisfies EntrySpec,
      ]),
    );
    expect(codes(await registry.receive(repacked, { allowRepublish: true }))).toEqual([['1.1.0', 'VERSION_CHANGED']]);
    expect(publishedTree(registry.data)['dist/acme/hello/1.1.0.zip']).toBe(before['dist/acme/hello/1.1.0.zip']);
    await expectSound();
  });

  it('receive excludes unsafe archives and records that Composer cannot read, and publishes the rest', async () => {
    registry.put('1.0.0');
    registry.put('1.1.0');
    registry.put('1.2.0');
    const tree = await registry.sent();
    swapArchive(
      tree,
      '1.1.0',
      zipOf([
        { name: 'hello/composer.json', data: '{"name": "acme/hello"}' },
        { name: '../evil.php', data: '<?php' },
      ]),
    );
    rewriteRecord(tree, '1.2.0', (record) => ({ ...record, require: { php: 'not a constraint' } }));
    expect(codes(await registry.receive(tree)).toSorted()).toEqual([
      ['1.1.0', 'ARCHIVE_UNSAFE'],
      ['1.2.0', 'CONSTRAINT_INVALID'],
    ]);
    expect(versions()).toEqual(['acme/hello@1.0.0']);
    await expectSound();
  });

  it('receive leaves out sources that git would run or open from the machine, and says so', async () => {
    const refused = ['ext::sh -c id', '/etc', '--upload-pack=id', 'file:///etc', '-x:y/z'];
    const urls = [...refused, 'https://git.example.org/acme/hello.git', 'git@git.example.org:acme/hello.git'];
    for (const minor of urls.keys()) registry.put(`1.${minor}.0`);
    const tree = await registry.sent();
    for (const [minor, url] of urls.entries())
      rewriteRecord(tree, `1.${minor}.0`, (record) => {
        const { reference } = record['dist'] as { readonly reference: string };
        return { ...record, source: { type: 'git', url, reference } };
      });
    const { notices } = await registry.receive(tree);
    const document = readFileSync(join(registry.data, 'public/p2/acme/hello.json'), 'utf8');
    expect(urls.filter((url) => document.includes(`"url":${JSON.stringify(url)}`))).toEqual(urls.slice(-2));
    expect(notices.map(({ message }) => message).toSorted()).toEqual(
      refused.map((_, minor) => `The address in "source" of acme/hello 1.${minor}.0 is none of git: it was left out.`),
    );
  });

  it('receive reports versions that the sending build excluded, and keeps their published content', async () => {
    registry.put('1.0.0');
    registry.put('1.1.0');
    await registry.receive(await registry.sent());
    registry.checkout.write({
      'acme/hello/1.1.0/composer.json':
        '{"name": "acme/hello", "version": "1.1.0", "require": {"php": "not a constraint"}}',
    });
    const report = await registry.receive(await registry.sent());
    expect([codes(report), report.withdrawn]).toEqual([[['1.1.0', 'CONSTRAINT_INVALID']], []]);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.1.0']);
  });

  it('receive is stopped where a package would lose all versions, unless that is confirmed', async () => {
    registry.put('1.0.0');
    registry.put('1.0.0', 'a', 'acme/other');
    await registry.receive(await registry.sent());
    registry.checkout.delete('acme/other');
    const tree = await registry.sent();
    await expect(registry.receive(tree)).rejects.toThrow('--allow-withdraw');
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/other@1.0.0']);
    expect((await registry.receive(tree, { allowWithdraw: true })).withdrawn.map(({ name }) => name)).toEqual([
      'acme/other',
    ]);
  });

  it('a dry run of receive shows the changes and makes none', async () => {
    registry.put('1.0.0');
    await registry.receive(await registry.sent());
    const before = wholeTree(registry.data);
    registry.checkout.delete('acme/hello/1.0.0');
    registry.put('1.1.0');
    const tree = await registry.sent();
    expect(await registry.receive(tree, { dryRun: true })).toMatchObject({
      published: false,
      serial: 1,
      added: [{ version: '1.1.0' }],
      withdrawn: [{ version: '1.0.0' }],
    });
    expect(wholeTree(registry.data)).toEqual(before);
    expect(await registry.receive(tree)).toMatchObject({
      published: true,
      serial: 2,
      added: [{ version: '1.1.0' }],
      withdrawn: [{ version: '1.0.0' }],
    });
  });
});

/** Replaces an archive, and all digests and sizes of it in the tree. */
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
