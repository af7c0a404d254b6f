// The publishers of one repository share its id: the id that one of them pinned counts at the others, too, so that
// nobody takes over the name. Pure.

import type { PublisherRecord } from '../model/publisher.ts';

interface Known {
  readonly record: PublisherRecord;
}

/** The other publishers whose repository has the same name at the same issuer. */
export function ofSameRepository<One extends Known>(
  { id, issuer, kind, repository }: PublisherRecord,
  all: readonly One[],
): readonly One[] {
  const name = repository?.toLowerCase();
  if (name === undefined) return [];
  return all.filter(
    ({ record: other }) =>
      other.id !== id && other.issuer === issuer && other.kind === kind && other.repository?.toLowerCase() === name,
  );
}

/** The id that another publisher of the same repository pinned; null: none did, or the publisher has its own. */
export function sharedId(record: PublisherRecord, all: readonly Known[]): string | null {
  if (record.repository_id !== null) return null;
  const pinned = ofSameRepository(record, all).find(({ record: other }) => other.repository_id !== null);
  return pinned?.record.repository_id ?? null;
}

/** The publisher with the id that counts for it. */
export function withKnownId(record: PublisherRecord, all: readonly Known[]): PublisherRecord {
  const id = sharedId(record, all);
  return id === null ? record : { ...record, repository_id: id };
}
