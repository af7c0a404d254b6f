// Tests that docs/INVARIANTS.md is true of the tree: the named files exist, and each promise is named by its number in
// code that keeps it and in a test that proves it.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, sourceFiles } from './source-files.ts';

const files = [...sourceFiles('cli', 'build', 'proxy'), ...sourceFiles('test')];
const rows = readFileSync(join(root, 'docs/INVARIANTS.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [id = '', , keptBy = '', provedBy = ''] = line.replace(/^\| | \|$/g, '').split(' | ');
    return /^I\d+$/.test(id) ? [{ id, keptBy: pathsIn(keptBy), provedBy: pathsIn(provedBy) }] : [];
  });

/** Paths in backticks. */
function pathsIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, path = '']) => (/^[a-z]+\/\S*$/.test(path) ? [path] : []));
}

const naming = (id: string, paths: readonly string[]): readonly string[] =>
  files
    .filter(
      ({ path, text }) =>
        paths.some((named) => path === named || (named.endsWith('/') && path.startsWith(named))) &&
        new RegExp(`\\b${id}\\b`).test(text),
    )
    .map(({ path }) => path);

describe('the promises of Libretto', () => {
  it('have one row for each number', () =>
    expect(rows.map(({ id }) => id)).toEqual([
      'I1',
      'I2',
      'I3',
      'I4',
      'I5',
      'I6',
      'I7',
      'I8',
      'I9',
      'I10',
      'I11',
      'I12',
      'I13',
      'I14',
      'I15',
      'I16',
      'I17',
      'I18',
      'I19',
      'I20',
      'I21',
      'I22',
      'I23',
      'I24',
      'I25',
      'I26',
      'I27',
    ]));

  it.each(rows)('are kept by code and proved by a test that name them: $id', ({ id, keptBy, provedBy }) => {
    expect([...keptBy, ...provedBy].filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(provedBy.filter((path) => !path.startsWith('test/'))).toEqual([]);
    expect(naming(id, keptBy)).not.toEqual([]);
    expect(naming(id, provedBy)).not.toEqual([]);
  });
});
