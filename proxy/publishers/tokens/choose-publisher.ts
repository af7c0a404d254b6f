// Chooses the publisher that accepts a verified ID token.

import { dialects } from '../claims/dialects.ts';
import { matchClaims } from '../claims/match-claims.ts';
import { parsePublisherId, type PublisherRecord, type Purpose } from '../model/publisher.ts';
import type { Stored } from '../../state/rows.ts';
import { withKnownId } from '../records/same-repository.ts';
import { acceptedOtherwise, ambiguous, mismatched, noPublisher } from './refusals.ts';
import type { IdToken } from './verify-id-token.ts';

export interface TokenOrder {
  /** an id; undefined: the only one that accepts the job */
  readonly publisher?: string | undefined;
  readonly purpose?: Purpose | undefined;
}

/** Throws PUBLISHER_MISMATCH, and CONFLICT if several accept the job. */
export function choosePublisher(
  publishers: readonly Stored<PublisherRecord>[],
  { issuer, claims }: Pick<IdToken, 'issuer' | 'claims'>,
  { publisher, purpose }: TokenOrder,
): Stored<PublisherRecord> {
  const id = publisher === undefined ? undefined : parsePublisherId(publisher);
  const known = publishers
    .filter(({ record }) => record.issuer === issuer.url && record.kind === issuer.kind)
    .map((stored, _at, all) => ({ ...stored, ...matchClaims(withKnownId(stored.record, all), claims) }));
  const judged = known.filter(
    ({ record }) =>
      (publisher === undefined || record.id === id) && (purpose === undefined || record.purpose === purpose),
  );
  const accepting = judged.filter(({ mismatches }) => mismatches.length === 0);
  const [first] = accepting;
  if (first !== undefined && accepting.length === 1) return first;
  if (first !== undefined) throw ambiguous(accepting.map(({ record }) => record));
  const own = judged
    .filter(({ isOfRepository }) => isOfRepository)
    .toSorted((one, other) => one.mismatches.length - other.mismatches.length);
  if (own.length > 0) throw mismatched(own);
  const others = known.filter(({ mismatches }) => mismatches.length === 0);
  if (others.length > 0) throw acceptedOtherwise(others.map(({ record }) => record));
  const job = dialects[issuer.kind].read(claims, issuer.url);
  const shown = [job.repository, job.repositoryId].find(({ value }) => value !== null) ?? job.repository;
  throw noPublisher(shown.value, shown.claim);
}
