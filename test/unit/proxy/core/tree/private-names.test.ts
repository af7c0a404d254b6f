// Tests the private names of a data folder: unknown before the first publication, and while the announcement cannot be
// read.

import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  createPrivateNames,
  eitherOf,
  privateNamesIn,
  privateNamesOf,
} from '../../../../../proxy/core/tree/private-names.ts';
import { packageName } from '../../../../util/running-mirror.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';
import { HandMadeTree, zipBytes } from '../../../../util/hand-made-tree.ts';

const version = (seed: string) => [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes(seed) }];

it('private names are known while a publication can be read, and otherwise unknown', async () => {
  const folder = temporaryFolder('private-names');
  const read = createPrivateNames(folder.path);
  expect((await read()).unknown).toContain('nothing is published here yet, so the private names are unknown');
  const tree = new HandMadeTree(folder.path);
  tree.put('acme/app', version('app'));
  tree.writeIndex('acme/app', version('app'));
  expect((await read()).unknown, 'a first build is under way').toContain('nothing is published');
  expect((await read()).has(packageName('acme/app'))).toBe(true);
  tree.publish();
  const names = await read();
  expect([
    names.unknown,
    names.has(packageName('acme/app')),
    names.has(packageName('acme/other')),
    names.hasVendor('acme'),
    names.hasVendor('some'),
  ]).toEqual([undefined, true, false, true, false]);
  writeFileSync(folder.at('index/_publication.json'), '{"format": 1, "serial"');
  expect((await read()).unknown).toMatch(/^index\/_publication\.json cannot be used \(.+\), so the private names/);
  tree.publish();
  expect((await read()).unknown).toBeUndefined();
  await folder.remove();
});

it.each([
  ['deleted', rmSync],
  [
    'refused by the system',
    (path: string) => {
      rmSync(path);
      symlinkSync('app.json', path);
    },
  ],
])('private names include a package, and its vendor, whose index is %s', async (_, damage) => {
  const folder = temporaryFolder('private-names');
  const tree = new HandMadeTree(folder.path);
  tree.put('acme/app', version('app'));
  tree.publish();
  damage(folder.at('index/acme/app.json'));
  const names = await createPrivateNames(folder.path)();
  expect([names.has(packageName('acme/app')), names.hasVendor('acme')]).toEqual([true, true]);
  expect([names.has(packageName('acme/other')), names.hasVendor('some')]).toEqual([false, false]);
  await folder.remove();
});

it.each([
  ['packages.json', ['public/dist'], true],
  ['an archive', ['public/packages.json'], true],
  ['nothing', ['public/packages.json', 'public/dist/acme/app/1.0.0.zip'], false],
])('a package without index and documents is private as long as a file names it: %s', async (_, lost, isPrivate) => {
  const folder = temporaryFolder('private-names');
  const tree = new HandMadeTree(folder.path);
  tree.put('acme/app', version('app'));
  tree.publish();
  for (const path of [...lost, 'index/acme', 'public/p2']) rmSync(folder.at(path), { recursive: true });
  const names = await createPrivateNames(folder.path)();
  expect([names.has(packageName('acme/app')), names.hasVendor('acme')]).toEqual([isPrivate, isPrivate]);
  expect([names.has(packageName('acme/other')), names.hasVendor('some')]).toEqual([false, false]);
  const unknown = lost.includes('public/packages.json')
    ? expect.stringMatching(/^public\/packages\.json cannot be used/)
    : undefined;
  expect(names.unknown).toEqual(unknown);
  await folder.remove();
});

it('private names include a withdrawn package whose index is lost, and the names of the last readable packages.json', async () => {
  const folder = temporaryFolder('private-names');
  const tree = new HandMadeTree(folder.path);
  tree.put('acme/app', version('app'));
  tree.publish();
  const announcement = folder.at('index/_publication.json');
  const announced = JSON.parse(readFileSync(announcement, 'utf8')) as object;
  writeFileSync(announcement, JSON.stringify({ ...announced, withdrawn: ['gone/lib'] }));
  const read = createPrivateNames(folder.path);
  expect([(await read()).has(packageName('gone/lib')), (await read()).hasVendor('gone')]).toEqual([true, true]);
  for (const path of ['public', 'index/acme']) rmSync(folder.at(path), { recursive: true });
  expect([(await read()).has(packageName('acme/app')), (await read()).hasVendor('acme')]).toEqual([true, true]);
  await folder.remove();
});

it('the private names with an origin are those of the folder, and unknown if either is unknown', () => {
  const folder = temporaryFolder('private-names');
  const here = privateNamesIn(folder.path);
  expect(here.unknown).toBeUndefined();
  const both = eitherOf(privateNamesOf([packageName('acme/app')]), here);
  expect([both.unknown, both.has(packageName('acme/app')), both.hasVendor('some')]).toEqual([undefined, true, false]);
  expect(eitherOf({ ...here, unknown: 'why' }, here).unknown).toBe('why');
  expect(eitherOf(here, { ...here, unknown: 'why' }).unknown).toBe('why');
});
