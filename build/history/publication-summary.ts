// What people see of a recorded publication: its head with the numbers of changes, and the changes with the locations
// of their sources. Pure.

import type { PackageChange, PublicationRecord, PublishedBy } from './record.ts';

export interface PublicationCounts {
  readonly added: number;
  readonly changed: number;
  readonly withdrawn: number;
  /** packages with a change, also those whose metadata alone was rewritten */
  readonly packages: number;
}

/** A type, not an interface: it is printed as JSON. */
export type PublicationSummary = {
  readonly serial: number;
  /** the serial of the publication before; 0 for none */
  readonly previous: number;
  /** RFC 3339 UTC */
  readonly published_at: string;
  readonly by: PublishedBy | null;
  /** the publication to which a rollback returned */
  readonly rollback_to: number | null;
  readonly counts: PublicationCounts;
};

export function summaryOf(record: PublicationRecord): PublicationSummary {
  const { serial, previous, published_at: publishedAt, by, rollback_to: to } = record;
  return { serial, previous, published_at: publishedAt, by, rollback_to: to, counts: countsOf(record) };
}

export function countsOf({ packages }: Pick<PublicationRecord, 'packages'>): PublicationCounts {
  const sum = (list: 'added' | 'changed' | 'withdrawn'): number =>
    packages.reduce((total, change) => total + change[list].length, 0);
  return { added: sum('added'), changed: sum('changed'), withdrawn: sum('withdrawn'), packages: packages.length };
}

/** `packages`: some or all of the record. A source that the record does not name keeps its id. */
export function changesIn(
  { sources }: Pick<PublicationRecord, 'sources'>,
  packages: readonly PackageChange[],
): readonly Omit<PackageChange, 'former'>[] {
  const locate = <Line extends { readonly source: string }>(line: Line): Line => ({
    ...line,
    source: sources[line.source] ?? line.source,
  });
  return packages.map(({ name, added, changed, withdrawn }) => ({
    name,
    added: added.map(locate),
    changed: changed.map(locate),
    withdrawn: withdrawn.map(locate),
  }));
}
