// Which limits of libretto.json keep a package or a version out, pure: each limit is asked by itself.

import type { PackageName } from './contract/name.ts';
import { isDevVersion, type NormalizedVersion } from './contract/version.ts';
import type { DescribedSource } from './sources/configured.ts';
import { createFilter } from './sources/filter.ts';
import type { FilterOptions } from './sources/options.ts';

export interface ExcludedBy {
  /** location of the source that would be limited */
  readonly source: string;
  /** as in libretto.json: `sources[0].except["acme/*"]` */
  readonly option: string;
  readonly value: string;
}

/** `version`: undefined asks for the package as a whole. */
export function excludedBy(name: PackageName, version: NormalizedVersion | undefined, sources: readonly DescribedSource[]): readonly ExcludedBy[] {
  return sources.flatMap(({ spec, options, where = 'sources' }) =>
    limitsOf(options).flatMap(({ option, value, limit }) => {
      const filter = createFilter(limit);
      const admitted = version === undefined ? filter.admitsName(name) : filter.admits(name, version);
      return admitted ? [] : [{ source: spec.location, option: `${where}.${option}`, value }];
    }).concat(version === undefined ? [] : refsNotRead(options, version).map(({ option, value }) => ({ source: spec.location, option: `${where}.${option}`, value }))),
  );
}

interface Limit {
  readonly option: string;
  readonly value: string;
  readonly limit: FilterOptions;
}

function limitsOf({ only, except = {}, versions = {}, 'minimum-stability': stability }: FilterOptions): readonly Limit[] {
  return [
    ...(only === undefined ? [] : [{ option: 'only', value: only.join(', '), limit: { only } }]),
    ...Object.entries(except).map(([pattern, value]) => ({ option: `except[${JSON.stringify(pattern)}]`, value, limit: { except: { [pattern]: value } } })),
    ...Object.entries(versions).map(([pattern, value]) => ({ option: `versions[${JSON.stringify(pattern)}]`, value, limit: { versions: { [pattern]: value } } })),
    ...(stability === undefined ? [] : [{ option: 'minimum-stability', value: stability, limit: { 'minimum-stability': stability } }]),
  ];
}

/** Which tag or branch a version would come from is not known, so that any pattern of them may be what keeps it out. */
function refsNotRead({ tags, branches }: DescribedSource['options'], version: NormalizedVersion): readonly { readonly option: string; readonly value: string }[] {
  const patterns = isDevVersion(version) ? branches : tags;
  return patterns === undefined ? [] : [{ option: isDevVersion(version) ? 'branches' : 'tags', value: patterns.join(', ') }];
}
