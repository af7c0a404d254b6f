// Tests the guard against builds that withdraw too much.
import { describe, expect, it } from 'vitest';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { PackageResult } from '../../../../build/package/package-stage.ts';
import { noChanges } from '../../../../build/output/publication.ts';
import { refuseRemovals, type Removals } from '../../../../build/publish/removing-guard.ts';
import { referenceOf } from '../samples.ts';

const resultOf = (name: string, published: number, ...withdrawn: readonly string[]): PackageResult => ({
  name: name as PackageName,
  published,
  leftovers: [],
  added: [],
  changed: [],
  ambiguous: [],
  retained: [],
  sourcesToRecheck: new Set(),
  refused: [],
  notices: [],
  changes: noChanges,
  history: undefined,
  undone: new Map(),
  blocked: [],
  withdrawn: withdrawn.map((version) => ({ version, source: 'a', reference: referenceOf('1') })),
});
const refuse =
  (results: readonly PackageResult[], more: Partial<Removals> = {}) =>
  () =>
    refuseRemovals({ results, packages: 20, confirmed: new Set(), sources: [], isMeant: () => false, ...more });
const losing = (count: number, version: string): readonly PackageResult[] =>
  Array.from({ length: count }, (_, index) => resultOf(`acme/p${index}`, 1, version));

describe('a build is stopped', () => {
  it.each([
    [
      'where a package loses all it has, be it a branch',
      refuse([resultOf('acme/one', 0, 'dev-main')]),
      /every version of a package\. .*\n {2}acme\/one dev-main \(all it has\)\n/,
    ],
    [
      'where more than a tenth of the packages lose a release',
      refuse(losing(3, '1.0.0')),
      /releases of 3 of 20 packages\./,
    ],
    [
      'with a list that stays short',
      refuse(
        Array.from({ length: 25 }, (_, index) => resultOf(`acme/p${index}`, 0, '1.0.0')),
        { packages: 500 },
      ),
      /every version of 25 packages\.[^]*\n {2}acme\/p19 [^\n]*\n {2}… and 5 more packages\n/,
    ],
  ])('%s', (_, build, message) => expect(build).toThrow(message));
});

describe('a build continues', () => {
  it.each([
    ['where exactly a tenth of the packages lose a release', refuse(losing(2, '1.0.0'))],
    ['where a branch goes from all packages of a repository', refuse(losing(20, 'dev-feature/x'))],
    ['where there are fewer than ten packages', refuse(losing(5, '1.0.0'), { packages: 9 })],
    ['where a person named the source', refuse([resultOf('acme/one', 0, '1.0.0')], { confirmed: new Set(['a']) })],
    [
      'where a person withdrew or purged the version',
      refuse([resultOf('acme/one', 0, '1.0.0')], {
        isMeant: (name, { normalized, reference }) =>
          name === 'acme/one' && normalized === '1.0.0.0' && reference === referenceOf('1'),
      }),
    ],
  ])('%s', (_, build) => expect(build).not.toThrow());
});
