// Names the limits of libretto.json that exclude a package or a version. Each limit is evaluated separately. Pure.

import type { PackageName } from '../contract/name.ts';
import { isDevVersion, type NormalizedVersion } from '../contract/version.ts';
import type { DescribedSource } from '../scan/configured.ts';
import { createFilter } from '../sources/filter.ts';
import type { FilterOptions } from '../sources/options.ts';

export interface ExcludedBy {
  /** location of the source with the limit */
  readonly source: string;
  /** the path of the option in libretto.json: `sources[0].except["acme/*"]` */
  readonly option: string;
  readonly value: string;
}

/** `version`: undefined for the package as a whole. */
export function excludedBy(
  name: PackageName,
  version: NormalizedVersion | undefined,
  sources: readonly DescribedSource[],
): readonly ExcludedBy[] {
  return sources.flatMap(({ spec, options, where = 'sources' }) =>
    limitsOf(options)
      .flatMap(({ option, value, limit }) => {
        const filter = createFilter(limit);
        const admitted = version === undefined ? filter.admitsName(name) : filter.admits(name, version);
        return admitted ? [] : [{ source: spec.location, option: `${where}.${option}`, value }];
      })
      .concat(
        version === undefined
          ? []
          : refsNotRead(options, version).map(({ option, value }) => ({
              source: spec.location,
              option: `${where}.${option}`,
              value,
            })),
      ),
  );
}

interface Limit {
  readonly option: string;
  readonly value: string;
  readonly limit: FilterOptions;
}

function limitsOf({
  only,
  except = {},
  versions = {},
  'minimum-stability': stability,
  'minimum-stability-per-package': stabilities = {},
}: FilterOptions): readonly Limit[] {
  return [
    ...(only === undefined ? [] : [{ option: 'only', value: only.join(', '), limit: { only } }]),
    ...Object.entries(except).map(([pattern, value]) => ({
      option: `except[${JSON.stringify(pattern)}]`,
      value,
      limit: { except: { [pattern]: value } },
    })),
    ...Object.entries(versions).map(([pattern, value]) => ({
      option: `versions[${JSON.stringify(pattern)}]`,
      value,
      limit: { versions: { [pattern]: value } },
    })),
    ...(stability === undefined
      ? []
      : [
          {
            option: 'minimum-stability',
            value: stability,
            limit: { 'minimum-stability': stability, ...dev(stabilities) },
          },
        ]),
    ...Object.entries(stabilities).map(([name, value]) => ({
      option: `minimum-stability-per-package[${JSON.stringify(name)}]`,
      value,
      limit: { 'minimum-stability-per-package': { [name]: value } },
    })),
  ];
}

/** Lets the packages with a separate stability pass, for a test of `minimum-stability` alone. */
function dev(stabilities: NonNullable<FilterOptions['minimum-stability-per-package']>): FilterOptions {
  return { 'minimum-stability-per-package': Object.fromEntries(Object.keys(stabilities).map((name) => [name, 'dev'])) };
}

/** The tag or branch of the version is unknown, so any pattern of tags or branches may exclude it. */
function refsNotRead(
  { tags, branches }: DescribedSource['options'],
  version: NormalizedVersion,
): readonly { readonly option: string; readonly value: string }[] {
  const patterns = isDevVersion(version) ? branches : tags;
  return patterns === undefined
    ? []
    : [{ option: isDevVersion(version) ? 'branches' : 'tags', value: patterns.join(', ') }];
}
