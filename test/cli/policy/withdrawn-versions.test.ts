// I26. Tests with the shipped program that a version which leaves the documents stays blocked: withdrawn by hand, lost
// by its source, rolled back, or replaced by a later content of its branch.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { below, temporaryTree, writeTree, type TemporaryTree } from '../../util/package-tree.ts';
import { startRegistry, type Registry } from '../../util/registry.ts';
import { whoLibrary } from '../../util/who-library.ts';

interface IndexedVersion {
  readonly version: string;
  readonly reference: string;
  readonly state: string;
  readonly facts?: Readonly<Record<string, unknown>>;
}

const rules = [
  { name: 'abandoned', rule: 'abandoned', packages: ['acme/old'] },
  { name: 'plugins', rule: 'plugin', allow: [], packages: ['acme/plug', 'acme/branch'] },
  { name: 'licences', rule: 'license', allow: ['MIT'], packages: ['acme/closed'] },
  { name: 'readme', rule: 'required', fields: ['readme'], packages: ['acme/bare', 'acme/told'] },
];
const plugin = { type: 'composer-plugin' };
const readme = { 'README.md': '# Read me\n' };

let source: TemporaryTree;
let registry: Registry;
beforeAll(async () => {
  source = temporaryTree({
    ...below('old', whoLibrary('acme/old', '1.0.0', { abandoned: 'acme/new' })),
    ...below('plug-1', whoLibrary('acme/plug', '1.0.0', plugin)),
    ...below('plug-2', whoLibrary('acme/plug', '2.0.0')),
    ...below('branch', whoLibrary('acme/branch', undefined, plugin)),
    ...below('closed', whoLibrary('acme/closed', '1.0.0', { license: 'proprietary' })),
    ...below('bare', whoLibrary('acme/bare', '1.0.0')),
    ...below('told', { ...whoLibrary('acme/told', '1.0.0'), ...readme }),
  });
  registry = await startRegistry({
    sources: [source.root],
    prepare: (folder) => {
      const policy = { rules: rules.map((rule) => ({ ...rule, action: 'block' })) };
      writeFileSync(folder.at('libretto.json'), JSON.stringify({ policy: 'policy.json' }));
      writeFileSync(folder.at('policy.json'), JSON.stringify(policy));
    },
  });
});
afterAll(() => registry.stop());

const indexed = (name: string): readonly IndexedVersion[] =>
  (
    JSON.parse(readFileSync(`${registry.data}/index/acme/${name}.json`, 'utf8')) as {
      readonly versions: readonly IndexedVersion[];
    }
  ).versions;
const status = async (archive: string): Promise<number> =>
  (await fetch(`${registry.direct()}/dist/acme/${archive}`, { headers: { authorization: `Bearer ${registry.token}` } }))
    .status;
const succeeds = async (...args: readonly string[]): Promise<void> => {
  expect(await registry.cli(...args)).toMatchObject({ exitCode: 0 });
};
const left = (name: string): readonly unknown[] =>
  indexed(name).flatMap(({ version, state, facts }) =>
    state === 'published' ? [] : [[version, state, { ...facts, can: undefined }]],
  );

it('a version that is withdrawn by hand, alone in its package or not, stays blocked', async () => {
  expect([await status('old/1.0.0.zip'), await status('plug/1.0.0.zip'), await status('plug/2.0.0.zip')]).toEqual([
    410, 410, 200,
  ]);
  await succeeds('package', 'withdraw', 'acme/old', '1.0.0');
  await succeeds('package', 'withdraw', 'acme/plug', '1.0.0');
  expect([await status('old/1.0.0.zip'), await status('plug/1.0.0.zip'), await status('plug/2.0.0.zip')]).toEqual([
    410, 410, 200,
  ]);
  expect(left('old')).toEqual([['1.0.0', 'withdrawn', { license: ['MIT'], abandoned: 'acme/new' }]]);
  expect(left('plug')).toEqual([['1.0.0', 'withdrawn', { license: ['MIT'], type: 'composer-plugin' }]]);
  await succeeds('package', 'restore', 'acme/plug', '1.0.0');
  expect([left('plug'), await status('plug/1.0.0.zip')]).toEqual([[], 410]);
});

it('a version that its source has lost stays blocked, and one with a README stays free', async () => {
  expect([await status('closed/1.0.0.zip'), await status('bare/1.0.0.zip'), await status('told/1.0.0.zip')]).toEqual([
    410, 410, 200,
  ]);
  for (const folder of ['closed', 'bare', 'told']) rmSync(`${source.root}/${folder}`, { recursive: true });
  await registry.build(source.root, '--allow-withdraw');
  expect([await status('closed/1.0.0.zip'), await status('bare/1.0.0.zip'), await status('told/1.0.0.zip')]).toEqual([
    410, 410, 200,
  ]);
  expect([left('closed'), left('told')]).toEqual([
    [['1.0.0', 'withdrawn', { license: ['proprietary'] }]],
    [['1.0.0', 'withdrawn', { license: ['MIT'], readme: true }]],
  ]);
  await succeeds('verify');
});

it('an earlier content of a branch stays blocked where the later one is allowed', async () => {
  const reference = indexed('branch')[0]?.reference ?? '';
  const earlier = `branch/dev-main.zip?ref=${reference}`;
  expect(await status(earlier)).toBe(410);
  writeTree(`${source.root}/branch`, whoLibrary('acme/branch', undefined, {}, 'later'));
  await registry.build(source.root);
  expect([await status(earlier), await status('branch/dev-main.zip')]).toEqual([410, 200]);
  expect(left('branch')).toEqual([['dev-main', 'superseded', { license: ['MIT'], type: 'composer-plugin' }]]);
});

it('a version that a rollback takes back stays blocked, and an unchanged package is not written again', async () => {
  const { serial } = JSON.parse(readFileSync(`${registry.data}/index/_publication.json`, 'utf8')) as { serial: number };
  writeTree(`${source.root}/plug-3`, whoLibrary('acme/plug', '3.0.0', plugin));
  await registry.build(source.root);
  await succeeds('rollback', String(serial));
  expect([await status('plug/3.0.0.zip'), left('plug')]).toEqual([
    410,
    [['3.0.0', 'withdrawn', { license: ['MIT'], type: 'composer-plugin' }]],
  ]);
  const before = readFileSync(`${registry.data}/index/acme/old.json`, 'utf8');
  await registry.build(source.root);
  expect(readFileSync(`${registry.data}/index/acme/old.json`, 'utf8')).toBe(before);
});
