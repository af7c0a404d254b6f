// The neighbourhood of a package as a picture: the packages that require it on the left, those that it requires on the
// right, one or two steps away. Pure.

import type { PackageName } from '../../../../build/contract/name.ts';
import { compareText } from '../../../../build/shared/text/compare-text.ts';
import type { PublishedPackages } from '../../../packages/catalogue.ts';
import type { Picture } from '../../components/layered-picture.tsx';
import { packagePath, type OpenPackage } from './open-package.ts';

/** A picture of more is no picture: the lists say the same. */
export const maxInPicture = 50;

type All = PublishedPackages['all'];
type Layer = ReadonlySet<string>;

export interface Neighbourhood {
  /** undefined: the package has too many neighbours for a picture, or none */
  readonly picture: Picture | undefined;
  /** the number of packages at this distance or nearer, without the package itself; of too many, some number */
  readonly count: number;
}

/** The package, all others, and those of them that require it. */
export type Centre = Pick<OpenPackage, 'name' | 'packages' | 'dependents'>;

/** `steps`: 1 or 2 in both directions. */
export function neighbourhoodOf({ name, packages: { all }, dependents }: Centre, steps: number): Neighbourhood {
  const seen = new Set<string>([name]);
  const nearest = new Set<string>(dependents.slice(0, maxInPicture + 1));
  const right = layersFrom(name, steps, seen, (layer) => requiredBy(all, layer));
  // the dependents of the package are known: a search for them in all packages, for each package, is slow
  const left = layersFrom(name, steps, seen, (layer) => (layer.has(name) ? nearest : requiring(all, layer)));
  const count = seen.size - 1;
  if (count === 0 || count > maxInPicture - 1) return { picture: undefined, count };
  const layers = [...left.toReversed(), new Set([name]), ...right];
  return {
    picture: {
      layers: layers.map((layer) => [...layer].toSorted(compareText).map((one) => nodeOf(all, one, name))),
      lines: layers.flatMap((layer, at) => linesBetween(all, layer, layers[at + 1] ?? new Set())),
    },
    count,
  };
}

/** The nearest layer first. Ends early when there are more packages than a picture shows. */
function layersFrom(name: string, steps: number, seen: Set<string>, next: (layer: Layer) => Layer): readonly Layer[] {
  const layers: Layer[] = [];
  let layer: Layer = new Set([name]);
  for (let step = 0; step < steps && seen.size <= maxInPicture; step += 1) {
    layer = new Set([...next(layer)].filter((one) => !seen.has(one)));
    if (layer.size === 0) break;
    for (const one of layer) seen.add(one);
    layers.push(layer);
  }
  return layers;
}

/** Without PHP, extensions and libraries of the system. */
function requiredBy(all: All, layer: Layer): Layer {
  const names = [...layer].flatMap((one) => [...(all.get(one as PackageName)?.requires ?? [])]);
  return new Set(names.filter((one) => one.includes('/')));
}

/** Ends early when there are more packages than a picture shows. */
function requiring(all: All, layer: Layer): Layer {
  const found = new Set<string>();
  for (const { name, requires } of all.values()) {
    if (found.size > maxInPicture) break;
    for (const one of layer) {
      if (!requires.has(one)) continue;
      found.add(name);
      break;
    }
  }
  return found;
}

function linesBetween(all: All, left: Layer, right: Layer): readonly (readonly [string, string])[] {
  return [...left].flatMap((from) => {
    const requires = all.get(from as PackageName)?.requires;
    return [...right].filter((to) => requires?.has(to) === true).map((to) => [from, to] as const);
  });
}

function nodeOf(all: All, one: string, centre: string) {
  return { name: one, to: all.has(one as PackageName) ? packagePath(one) : undefined, isCentre: one === centre };
}
