// The sources libretto.json names, each once.

import { BuildRefused } from '../contract/refusals.ts';
import { noOptions, type ConfiguredSource, type SourceOptions } from '../sources/options.ts';
import { distinguish, inlineSources, parseSource, type SourceSpec } from '../sources/spec.ts';

export interface DescribedSource {
  readonly spec: SourceSpec;
  readonly options: SourceOptions;
  /** `sources[2]`; undefined for one that is only named, which may be named as often as one likes */
  readonly where: string | undefined;
}

/**
 * Two lists of inline packages with the same name differ by their order. Throws BuildRefused if one place is described
 * twice.
 */
export function describeSources(
  configured: readonly (string | ConfiguredSource)[],
  base: string,
  dataDirectory: string,
): readonly DescribedSource[] {
  const sources = new Map<string, DescribedSource>();
  for (const one of configured) {
    const { source, options, where } =
      typeof one === 'string' ? { source: one, options: noOptions, where: undefined } : one;
    for (const parsed of typeof source === 'string'
      ? [parseSource(source, base, dataDirectory)]
      : inlineSources(source)) {
      const spec = parsed.place.kind === 'package' ? firstFree(parsed, sources) : parsed;
      refuseTwice(spec, sources.get(spec.id), where);
      sources.set(spec.id, { spec, options, where });
    }
  }
  return [...sources.values()];
}

function firstFree(spec: SourceSpec, taken: ReadonlyMap<string, unknown>): SourceSpec {
  let free = spec;
  for (let ordinal = 2; taken.has(free.id); ordinal += 1) free = distinguish(spec, ordinal);
  return free;
}

function refuseTwice(spec: SourceSpec, same: DescribedSource | undefined, where: string | undefined): void {
  if (same === undefined || (same.where === undefined && where === undefined)) return;
  const places = same.where !== undefined && where !== undefined ? `, as ${same.where} and ${where}` : '';
  throw new BuildRefused(
    `libretto.json describes the source ${spec.shown} twice${places}. Merge both entries into one.`,
  );
}
