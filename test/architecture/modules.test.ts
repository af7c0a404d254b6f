// Tests the modules. Each folder of the product is one: it has a purpose and a list of folders that it may import.
// modules.json holds both, and wings.json the same for the three wings. docs/explanation/modules.md and a part of
// docs/ARCHITECTURE.md are generated from them (`npx vitest run --config test/vitest.config.ts --project architecture -u`).

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

/** folder → every folder of this repository that its files import, types included */
const importsOf = new Map<string, Set<string>>();
for (const { path, imports } of product) {
  const folder = dirname(path);
  const found = importsOf.get(folder) ?? new Set();
  importsOf.set(folder, found);
  for (const { target } of imports) if (target !== undefined && dirname(target) !== folder) found.add(dirname(target));
}

describe('modules', () => {
  it('have one entry for each folder, with a purpose', () => {
    expect(modules.map(({ folder }) => folder).sort()).toEqual([...importsOf.keys()].sort());
    expect(modules.filter(({ purpose }) => purpose.length < 10)).toEqual([]);
  });

  it.each(modules)('import exactly what the table allows: $folder', ({ folder, imports }) => {
    expect([...(importsOf.get(folder) ?? [])].sort()).toEqual([...imports].sort());
  });

  it('are listed after all modules that they import, so that there is no circle between folders', () => {
    const place = new Map(modules.map(({ folder }, index) => [folder, index]));
    const upward = modules.flatMap(({ folder, imports }) =>
      imports
        .filter((one) => (place.get(one) ?? Infinity) > (place.get(folder) ?? -1))
        .map((one) => `${folder} -> ${one}`),
    );
    expect(upward).toEqual([]);
  });

  it('have no circle between groups, the folders below a wing with all their modules', () => {
    const groupOf = (folder: string): string => folder.split('/').slice(0, 2).join('/');
    const targets = new Map<string, string[]>();
    for (const { folder, imports } of modules)
      targets.set(groupOf(folder), [...(targets.get(groupOf(folder)) ?? []), ...imports.map(groupOf)]);
    expect(findCircles(targets)).toEqual([]);
  });

  it('have no circle between files, types included', () => {
    const targets = new Map(
      product.map(({ path, imports }) => [
        path,
        imports.flatMap(({ target }) => (target === undefined ? [] : [target])),
      ]),
    );
    expect(findCircles(targets)).toEqual([]);
  });

  it('have few loose files at the root of a wing', () => {
    const loose = product.map(({ path }) => path).filter((path) => path.split('/').length === 2);
    expect(loose.sort()).toEqual(['build/build.ts', 'cli/main.ts', 'proxy/handler.ts', 'proxy/server.ts']);
  });

  it('are described in docs/explanation/modules.md', async () => {
    await expect(describeModules(modules)).toMatchFileSnapshot(join(root, 'docs/explanation/modules.md'));
  });
});

describe('the wings', () => {
  const isWithin = (folder: string, outer: string): boolean => folder === outer || folder.startsWith(`${outer}/`);

  it.each(wings)('import only what the table allows: $wing', ({ wing, imports }) => {
    const outside = modules
      .filter(({ folder }) => isWithin(folder, wing))
      .flatMap((module) => module.imports)
      .filter((folder) => !isWithin(folder, wing));
    expect(outside.filter((folder) => !imports.some((outer) => isWithin(folder, outer)))).toEqual([]);
    expect(imports.filter((outer) => !outside.some((folder) => isWithin(folder, outer)))).toEqual([]);
  });

  it('are described in docs/ARCHITECTURE.md', async () => {
    const path = join(root, 'docs/ARCHITECTURE.md');
    await expect(withWings(readFileSync(path, 'utf8'), wings)).toMatchFileSnapshot(path);
  });
});
