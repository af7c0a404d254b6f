// Tests what a server shows of history, reasons and differences, on a registry that the program built. The commands of
// the program say the same.

import { realpathSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PackageName } from '../../build/contract/name.ts';
import { inspectedRegistry, type InspectedRegistry } from '../util/inspected-registry.ts';
import { below } from '../util/package-tree.ts';
import { whoLibrary } from '../util/who-library.ts';

const hello = 'acme/hello' as PackageName;
let registry: InspectedRegistry;

beforeAll(async () => {
  const old = whoLibrary('acme/hello', '1.0.0', { require: { php: '>=8.1', 'psr/log': '^2' } });
  registry = await inspectedRegistry({
    ...below('packages/one', { ...old, 'src/Gone.php': '<?php // four\n', 'README.md': 'Hello' }),
    ...below('packages/other', whoLibrary('acme/other', '1.0.0')),
  });
  const build = (): Promise<unknown> => registry.run('build', 'packages', '--data', 'data', '--keep', '3');
  await build();
  const now = whoLibrary('acme/hello', '1.1.0', {
    require: { php: '>=8.1', 'psr/log': '^3' },
    'require-dev': { a: '*' },
  });
  registry.tree.write(below('packages/two', { ...now, 'src/New.php': '<?php\n', 'README.md': 'Hello' }));
  await build();
  registry.tree.write(below('packages/bad', whoLibrary('acme/hello', '2.0.0', { require: { 'acme/other': '^^1' } })));
  registry.tree.write(below('packages/other2', whoLibrary('acme/other', '2.0.0')));
  await build();
  registry.tree.write(below('packages/other3', whoLibrary('acme/other', '3.0.0')));
  await build();
});
afterAll(() => registry.tree.remove());

/** The document with the path of the source, which the commands write relative to the data folder. */
const withPaths = (document: unknown): unknown =>
  JSON.parse(
    JSON.stringify(document).replaceAll(
      '"dir:../packages"',
      JSON.stringify(realpathSync(registry.tree.path('packages'))),
    ),
  );

describe('recorded publications', () => {
  it('are those of `libretto history list`, the newest first, in pages', async () => {
    const { publications } = registry.inspection;
    const known = (await registry.json('history'))['publications'] as {
      serial: number;
      packages: { name: string; added: { version: string }[]; withdrawn: { version: string }[] }[];
    }[];
    const shown = known.map(({ packages, ...summary }) => ({
      ...summary,
      names: packages.map(({ name }) => name),
      released: packages.flatMap(({ name, added }) => added.map(({ version }) => `${name} ${version}`)),
      recalled: packages.flatMap(({ name, withdrawn }) => withdrawn.map(({ version }) => `${name} ${version}`)),
    }));
    expect(shown.map(({ serial }) => serial)).toEqual([4, 3, 2]);
    expect(await publications.list({ limit: 2 })).toEqual({ publications: shown.slice(0, 2), next: 3 });
    expect(await publications.list({ before: 3, limit: 2 })).toEqual({ publications: shown.slice(2), next: null });
    expect(await publications.list({ before: 2, limit: 2 })).toEqual({ publications: [], next: null });
    for (const { serial, packages } of known)
      expect((await publications.get(serial, { limit: 10 })).packages).toEqual(withPaths(packages));
  });

  it('show a new publication at once', async () => {
    const { publications } = registry.inspection;
    const before = await publications.list({ limit: 1 });
    registry.tree.write(below('packages/more', whoLibrary('acme/more', '1.0.0')));
    registry.tree.write(below('packages/other4', whoLibrary('acme/other', '4.0.0')));
    await registry.run('build', 'packages', '--data', 'data', '--keep', '3');
    const [last] = (await publications.list({ limit: 1 })).publications;
    expect(last).toMatchObject({
      serial: (before.publications[0]?.serial ?? 0) + 1,
      by: { actor: expect.stringMatching(/^cli:/), command: 'build' },
      counts: { added: 2, packages: 2 },
    });
    const first = await publications.get(last?.serial ?? 0, { limit: 1 });
    expect([first.packages.map(({ name }) => name), first.next]).toEqual([['acme/more'], 1]);
    const rest = await publications.get(last?.serial ?? 0, { from: 1, limit: 1 });
    expect([rest.packages.map(({ name }) => name), rest.next]).toEqual([['acme/other'], null]);
  });

  it.each([1, 99])('publication %i, which is not recorded, is not found', async (serial) => {
    await expect(registry.inspection.publications.get(serial, { limit: 1 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `Publication ${serial} is not recorded. Only the newest publications stay recorded.`,
    });
  });
});

describe('the reasons of a version', () => {
  it.each([[[]], [['1.1.0']], [['2.0.0']], [['7.0.0']]])('are those of `libretto why` for %j', async (version) => {
    const {
      suggestions: _names,
      mirrored: _mirrored,
      policy: _policy,
      waiting,
      ...said
    } = await registry.json('why', hello, ...version);
    const { versions, ...explanation } = await registry.inspection.why.explain(hello, version[0]);
    const withWithdrawals = versions.map((content) => ({
      ...content,
      withdrawal: null,
      published_by: null,
      uploaded_by: null,
      approved_by: null,
    }));
    expect({ ...explanation, versions: withWithdrawals }).toEqual(withPaths(said));
    expect(waiting).toEqual([]);
  });

  it('name why a version was left out', async () => {
    expect(await registry.inspection.why.explain(hello, '2.0.0')).toMatchObject({
      published: false,
      left_out: [{ code: 'CONSTRAINT_INVALID', source: expect.stringContaining('packages') }],
    });
  });
});

describe('a server with an origin', () => {
  it('says that the folder of the builder is on another host', async () => {
    const { inspection, tree } = await inspectedRegistry({}, { origin: 'https://packages.example.org/' });
    for (const refused of [
      inspection.publications.list({ limit: 1 }),
      inspection.why.explain(hello),
      inspection.rollbacksOf('user:usr_ada').preview(1),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'NOT_AVAILABLE' });
    tree.remove();
  });
});
