// The net changes of several publications, without versions that came and went between them. Pure.

import type { Reference } from '../contract/digest.ts';
import type { PackageChange, PublicationRecord } from './record.ts';

/** One version, by its published label. null: the version is not published. */
export interface NetChange {
  readonly name: string;
  readonly version: string;
  readonly before: Reference | null;
  readonly after: Reference | null;
  /** location of the source it is, or was, published from */
  readonly source: string;
}

export interface NetChanges {
  /** sorted by name; of one package in the order they happened */
  readonly versions: readonly NetChange[];
  /** packages whose metadata was rewritten with the same contents */
  readonly metadata: readonly string[];
}

/**
 * The net changes of these publications, in any order. `backward`: the changes from the state after the last to the
 * state before the first.
 */
export function netChanges(records: readonly PublicationRecord[], backward = false): NetChanges {
  const packages = new Map<string, Map<string, NetChange>>();
  for (const { packages: changes, sources } of records.toSorted((one, other) => one.serial - other.serial)) {
    for (const change of changes) {
      const versions = packages.get(change.name) ?? new Map<string, NetChange>();
      packages.set(change.name, versions);
      for (const next of stepsOf(change, (id) => sources[id] ?? id))
        versions.set(next.version, { ...next, before: (versions.get(next.version) ?? next).before });
    }
  }
  const names = [...packages.keys()].toSorted();
  const versions = names.flatMap((name) =>
    [...(packages.get(name)?.values() ?? [])].filter(({ before, after }) => before !== after),
  );
  const moved = new Set(versions.map(({ name }) => name));
  return {
    versions: backward
      ? versions.map((change) => ({ ...change, before: change.after, after: change.before }))
      : versions,
    metadata: names.filter((name) => !moved.has(name)),
  };
}

/** A version may change its label too: then one goes and another comes. */
function stepsOf(
  { name, added, changed, withdrawn }: PackageChange,
  locate: (id: string) => string,
): readonly NetChange[] {
  return [
    ...withdrawn.map(({ version, reference, source }) => ({
      name,
      version,
      before: reference,
      after: null,
      source: locate(source),
    })),
    ...changed.flatMap(({ version, reference, source, was }): readonly NetChange[] => {
      const place = { name, source: locate(source) };
      if (was.version === version) return [{ ...place, version, before: was.reference, after: reference }];
      return [
        { ...place, version: was.version, before: was.reference, after: null },
        { ...place, version, before: null, after: reference },
      ];
    }),
    ...added.map(({ version, reference, source }) => ({
      name,
      version,
      before: null,
      after: reference,
      source: locate(source),
    })),
  ];
}
