// Explains to an admin what an ID token would get: each publisher of its issuer with what does not match. The ID token
// is not used up. A token that could not be exchanged, such as an expired one from a log, is explained too.

import type { PublishedFrom } from '../../artifacts/published-from.ts';
import type { AuditedStore } from '../../state/audit.ts';
import { dialects } from '../claims/dialects.ts';
import type { IdTokenClaims, Mismatch } from '../claims/job.ts';
import { matchClaims } from '../claims/match-claims.ts';
import type { Issuer } from '../model/issuer.ts';
import { type PublisherRecord, listPublishers } from '../model/publisher.ts';
import { withKnownId } from '../records/same-repository.ts';
import { IssuerUnavailable } from '../../oidc/fetch-issuer.ts';
import { faultText } from './refusals.ts';
import { wasUsed } from '../../state/used-once.ts';
import {
  peekIdToken,
  verifyIdToken,
  type IdToken,
  type IdTokenFault,
  type VerifierParts,
  usedIdTokens,
} from './verify-id-token.ts';

export interface ExplainedPublisher {
  readonly record: PublisherRecord;
  readonly is_of_repository: boolean;
  /** empty: it accepts the job */
  readonly mismatches: readonly Mismatch[];
}

export interface IdTokenExplanation {
  /** true: signature, issuer, audience and times are right */
  readonly verified: boolean;
  /** why it could not be exchanged now, whatever the publishers say; null: it could */
  readonly problem: string | null;
  readonly issuer: Issuer | null;
  /** what the token says of its job */
  readonly run: Omit<PublishedFrom, 'publisher'> | null;
  /** of its issuer; those that accept the job first, then by the number of mismatches */
  readonly publishers: readonly ExplainedPublisher[];
}

export interface ExplainParts extends VerifierParts {
  readonly store: Pick<AuditedStore, 'get' | 'range'>;
}

export async function explainIdToken(parts: ExplainParts, text: string, audience: string): Promise<IdTokenExplanation> {
  const peeked = peekIdToken(parts.issuers, text);
  if (!('issuer' in peeked))
    return { verified: false, problem: faultText(peeked), issuer: null, run: null, publishers: [] };
  const { issuer, claims } = peeked;
  const judged = await judge(parts, text, audience);
  const isVerified = typeof judged !== 'string' && 'onceId' in judged;
  return {
    verified: isVerified,
    problem: isVerified ? await usedProblem(parts, judged) : typeof judged === 'string' ? judged : faultText(judged),
    issuer,
    run: dialects[issuer.kind].read(claims, issuer.url).run,
    publishers: await explainedPublishers(parts, issuer, claims),
  };
}

async function judge(parts: ExplainParts, text: string, audience: string): Promise<IdToken | IdTokenFault | string> {
  try {
    return await verifyIdToken(parts, text, audience);
  } catch (error) {
    if (error instanceof IssuerUnavailable) return error.message;
    throw error;
  }
}

async function usedProblem({ store }: ExplainParts, { onceId }: IdToken): Promise<string | null> {
  return (await wasUsed(store, usedIdTokens, onceId)) ? 'It was exchanged already, and works once.' : null;
}

async function explainedPublishers(
  { store }: ExplainParts,
  issuer: Issuer,
  claims: IdTokenClaims,
): Promise<readonly ExplainedPublisher[]> {
  return (await listPublishers(store))
    .filter(({ record }) => record.issuer === issuer.url && record.kind === issuer.kind)
    .map(({ record }, _at, all) => {
      const { isOfRepository, mismatches } = matchClaims(withKnownId(record, all), claims);
      return { record, is_of_repository: isOfRepository, mismatches };
    })
    .toSorted((one, other) => one.mismatches.length - other.mismatches.length);
}
