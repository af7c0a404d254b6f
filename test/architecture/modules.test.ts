// Tests the modules: some sixty groups of folders of the product, each with a purpose and the groups that it may
// import. modules.json holds them, and wings.json the same for the three wings. docs/explanation/modules.md and a part
// of docs/ARCHITECTURE.md are generated from them (`npx vitest run --config test/vitest.config.ts test/architecture
// -u`).

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeModules, type Module } from './describe-modules.ts';
import { withWings, type Wing } from './describe-wings.ts';
import { findCircles } from './find-circles.ts';
import { root, sourceFiles } from './source-files.ts';

const modules = JSON.parse(readFileSync(join(import.meta.dirname, 'modules.json'), 'utf8')) as readonly Module[];
const wings = JSON.parse(readFileSync(join(import.meta.dirname, 'wings.json'), 'utf8')) as readonly Wing[];
const product = sourceFiles('cli', 'build', 'proxy');

const isWithin = (folder: string, outer: string): boolean => folder === outer || folder.startsWith(`${outer}/`);

/** file → the files of this repository that it imports, types included */
const targetsOf = new Map(
  product.map(({ path, imports }) => [path, imports.flatMap(({ target }) => (target === undefined ? [] : [target]))]),
);

/** The imports between parts, such as folders, that hold the files. */
function importsBetween(partOf: (path: string) => string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const [path, targets] of targetsOf) {
    const part = partOf(path);
    const others = found.get(part) ?? new Set();
    found.set(part, others);
    for (const other of targets.map(partOf)) if (other !== part) others.add(other);
  }
  return new Map([...found].map(([part, others]) => [part, [...others].sort()]));
}

const places = modules
  .flatMap(({ name, folders }) => folders.map((folder) => ({ name, folder })))
  .sort((a, b) => b.folder.length - a.folder.length);

/** The module of the deepest listed folder around a file. */
const moduleOf = (path: string): string =>
  places.find(({ folder }) => isWithin(dirname(path), folder))?.name ?? `no module has ${dirname(path)}`;

describe('modules', () => {
  const found = importsBetween(moduleOf);

  it('hold every folder, and have a purpose', () => {
    expect([...found.keys()].sort()).toEqual(modules.map(({ name }) => name).sort());
    expect(modules.filter(({ purpose }) => purpose.length < 10)).toEqual([]);
  });

  it.each(modules)('import exactly what the table allows: $name', ({ name, imports }) => {
    expect(found.get(name)).toEqual([...imports].sort());
  });

  it('are listed after all modules that they import', () => {
    const before = new Set<string>();
    const upward = modules.flatMap(({ name, imports }) => {
      before.add(name);
      return imports.filter((one) => !before.has(one)).map((one) => `${name} -> ${one}`);
    });
    expect(upward).toEqual([]);
  });

  it('have no circle between folders, or between files, types included', () => {
    expect(findCircles(importsBetween(dirname))).toEqual([]);
    expect(findCircles(targetsOf)).toEqual([]);
  });

  it('leave no loose file at the root of a wing but the entry points', () => {
    const loose = product.map(({ path }) => path).filter((path) => path.split('/').length === 2);
    expect(loose.sort()).toEqual(['build/build.ts', 'cli/main.ts']);
  });

  it('are described in docs/explanation/modules.md', async () => {
    await expect(describeModules(modules)).toMatchFileSnapshot(join(root, 'docs/explanation/modules.md'));
  });
});

describe('the wings', () => {
  it.each(wings)('import only what the table allows: $wing', ({ wing, imports }) => {
    const outside = [...targetsOf]
      .filter(([path]) => isWithin(path, wing))
      .flatMap(([, targets]) => targets)
      .filter((target) => !isWithin(target, wing));
    expect(outside.filter((target) => !imports.some((outer) => isWithin(target, outer)))).toEqual([]);
    expect(imports.filter((outer) => !outside.some((target) => isWithin(target, outer)))).toEqual([]);
  });

  it('are described in docs/ARCHITECTURE.md', async () => {
    const path = join(root, 'docs/ARCHITECTURE.md');
    await expect(withWings(readFileSync(path, 'utf8'), wings)).toMatchFileSnapshot(path);
  });
});

describe('the core of the server', () => {
  const core = product.filter(({ path }) => isWithin(path, 'proxy/core'));

  it('imports nothing of this repository but itself, build/contract and build/shared', () => {
    const outside = core
      .flatMap(({ path }) => targetsOf.get(path) ?? [])
      .filter((target) => !['proxy/core', 'build/contract', 'build/shared'].some((outer) => isWithin(target, outer)));
    expect(outside).toEqual([]);
  });

  it('has at most 11 000 lines', () => {
    const lines = core.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
    expect(lines).toBeLessThanOrEqual(11_000);
  });
});
