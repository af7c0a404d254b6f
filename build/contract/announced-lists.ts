// The counts that the announcement of a publication gives for the two lists of versions that stay out. These are the
// tombstones (`index/_purged.json`) and the versions withdrawn by hand (`index/_withheld.json`). With these counts a
// reader notices a list that is lost or lacks a row. Pure.

import { isJsonObject } from './json.ts';
import { parsePackageName } from './name.ts';
import { purgedKey, type PurgedVersion } from './purged.ts';
import type { NormalizedVersion } from './version.ts';
import type { WithheldVersion } from './withheld.ts';

/** Enough to name the version to people, and to keep its label and its reference out. */
export type AnnouncedPurge = Pick<PurgedVersion, 'name' | 'version' | 'version_normalized' | 'reference'>;

export interface AnnouncedLists {
  readonly purged: readonly AnnouncedPurge[];
  /** whole rows: the list can be written again from them */
  readonly withheld: readonly WithheldVersion[];
}

/** The tombstones, or the versions withdrawn by hand. */
export type GuardedList = keyof AnnouncedLists;

/** The rows of both lists. */
export interface GuardedLists {
  readonly purged: readonly PurgedVersion[];
  readonly withheld: readonly WithheldVersion[];
}

type Row = Pick<AnnouncedPurge, 'name' | 'version_normalized'> & { readonly reference?: string };

/** Sorted, in any order of the rows; a list without rows is omitted. */
export function announceLists({ purged, withheld }: GuardedLists): Partial<AnnouncedLists> {
  return {
    ...(purged.length === 0 ? {} : { purged: sorted(purged.map(announcedPurge)) }),
    ...(withheld.length === 0 ? {} : { withheld: sorted(withheld) }),
  };
}

function announcedPurge({ name, version, version_normalized, reference }: PurgedVersion): AnnouncedPurge {
  return { name, version, version_normalized, reference };
}

function sorted<Given extends Row>(rows: readonly Given[]): readonly Given[] {
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function keyOf({ reference = '', ...row }: Row): string {
  return purgedKey({ ...row, reference });
}

/**
 * Announced rows that a list lacks. A list may have more rows: the list is written before the announcement, and a
 * publication may stop in between.
 */
export function missingRows<Announced extends Row>(
  announced: readonly Announced[],
  rows: readonly Row[],
): readonly Announced[] {
  const keys = new Set(rows.map(keyOf));
  return announced.filter((row) => !keys.has(keyOf(row)));
}

/**
 * The rows that the lists must have while a publication replaces them: announced rows that are also in the next lists.
 * A version that is published again leaves its list before the announcement changes.
 */
export function announcedUntilThen(announced: AnnouncedLists, next: GuardedLists): Partial<AnnouncedLists> {
  const { purged, withheld } = announced;
  const leaving = new Set(missingRows(withheld, next.withheld));
  return {
    ...(purged.length === 0 ? {} : { purged }),
    ...(withheld.length === 0 ? {} : { withheld: withheld.filter((row) => !leaving.has(row)) }),
  };
}

/**
 * True if an announcement without missing rows names all rows of the lists. An older version of Libretto names none:
 * the next build announces them in any case.
 */
export function announcesAll(announced: Partial<AnnouncedLists> | undefined, lists: GuardedLists): boolean {
  const { purged = [], withheld = [] } = announced ?? {};
  return purged.length === lists.purged.length && withheld.length === lists.withheld.length;
}

/**
 * Tombstones for the lost rows of a list. They still block label and reference; digests of the files, reason and date
 * are lost.
 */
export function replacedTombstones(missing: readonly AnnouncedPurge[], now: Date): readonly PurgedVersion[] {
  return missing.map((purge) => ({
    ...purge,
    sha1: null,
    sha256: null,
    content: null,
    released: null,
    source: null,
    reason: 'other',
    since: now.toISOString(),
  }));
}

/** The lists in a publication or a manifest. Throws an Error that describes the fault. */
export function parseAnnouncedLists(json: {
  readonly purged?: unknown;
  readonly withheld?: unknown;
}): Partial<AnnouncedLists> {
  return {
    ...(json.purged === undefined ? {} : { purged: parseRows(json.purged, 'purged', 'reference') }),
    ...(json.withheld === undefined ? {} : { withheld: parseRows(json.withheld, 'withheld', 'since') }),
  };
}

function parseRows<Field extends string>(
  value: unknown,
  list: string,
  field: Field,
): readonly (Omit<AnnouncedPurge, 'reference'> & Readonly<Record<Field, string>>)[] {
  if (!Array.isArray(value)) throw new Error(`${list} is malformed`);
  return value.map((given: unknown) => {
    const row = isJsonObject(given) ? given : {};
    const { version, version_normalized: normalized, [field]: more } = row;
    const name = typeof row['name'] === 'string' ? parsePackageName(row['name']) : undefined;
    if (name === undefined || typeof version !== 'string' || typeof normalized !== 'string' || typeof more !== 'string')
      throw new Error(`${list} is malformed`);
    const rest = { [field]: more } as Readonly<Record<Field, string>>;
    return { name, version, version_normalized: normalized as NormalizedVersion, ...rest };
  });
}
