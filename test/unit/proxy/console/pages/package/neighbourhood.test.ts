// Tests which packages stand in the picture around a package, and the lines between them.

import { describe, expect, it } from 'vitest';
import type { PackageName } from '../../../../../../build/contract/name.ts';
import { maxInPicture, neighbourhoodOf } from '../../../../../../proxy/console/pages/package/neighbourhood.ts';
import { listedVersions, summaryOf } from '../../../../../../proxy/packages/package-summary.ts';
import { sampleVersion } from '../../../../../util/sample-version.ts';

/** Name → names that it requires. */
function registry(requires: Readonly<Record<string, readonly string[]>>) {
  return new Map(
    Object.entries(requires).map(([text, names]) => {
      const name = text as PackageName;
      const require = Object.fromEntries(names.map((one) => [one, '*']));
      const summary = summaryOf(name, listedVersions([sampleVersion('1.0.0', { require })]));
      if (summary === undefined) throw new Error('a version is published');
      return [name, summary];
    }),
  );
}

const around = (all: ReturnType<typeof registry>, text: string, steps: number) => {
  const name = text as PackageName;
  const dependents = [...all.values()].filter(({ requires }) => requires.has(name)).map((one) => one.name);
  return neighbourhoodOf({ name, packages: { all }, dependents }, steps);
};

const layersOf = (all: ReturnType<typeof registry>, name: string, steps: number) =>
  around(all, name, steps).picture?.layers.map((layer) => layer.map((node) => node.name));

const chain = registry({
  'a/site': ['a/shop'],
  'a/shop': ['a/billing', 'php'],
  'a/billing': ['a/money', 'monolog/monolog'],
  'a/money': ['a/number'],
  'a/number': [],
});

describe('neighbourhoodOf', () => {
  it('shows one or two steps in both directions, without the platform', () => {
    expect(layersOf(chain, 'a/billing', 1)).toEqual([['a/shop'], ['a/billing'], ['a/money', 'monolog/monolog']]);
    expect(layersOf(chain, 'a/billing', 2)).toEqual([
      ['a/site'],
      ['a/shop'],
      ['a/billing'],
      ['a/money', 'monolog/monolog'],
      ['a/number'],
    ]);
  });

  it('draws lines between neighbouring layers, and links to packages that are here', () => {
    const { picture } = around(chain, 'a/billing', 1);
    expect(picture?.lines).toEqual([
      ['a/shop', 'a/billing'],
      ['a/billing', 'a/money'],
      ['a/billing', 'monolog/monolog'],
    ]);
    expect(picture?.layers[2]?.map(({ to }) => to)).toEqual(['/packages/a/money', undefined]);
  });

  it('shows a package once where packages require each other', () => {
    const circle = registry({ 'a/one': ['a/two'], 'a/two': ['a/one'] });
    expect(layersOf(circle, 'a/one', 2)).toEqual([['a/one'], ['a/two']]);
  });

  it('draws nothing for a package without neighbours, and for one with too many', () => {
    expect(around(registry({ 'a/one': [] }), 'a/one', 1)).toEqual({
      picture: undefined,
      count: 0,
    });
    const users = (count: number) =>
      registry({
        'a/base': [],
        ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`u/p${at}`, ['a/base']])),
      });
    expect(around(users(maxInPicture - 1), 'a/base', 2).picture).toBeDefined();
    expect(around(users(maxInPicture), 'a/base', 2).picture).toBeUndefined();
  });
});
