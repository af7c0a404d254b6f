// A CI job as its ID token describes it, in the same words for every kind of issuer. Pure.

import type { PublishedFrom } from '../../artifacts/published-from.ts';
import type { WorkflowClaim } from '../model/publisher.ts';

/** The payload of an ID token. */
export type IdTokenClaims = Readonly<Record<string, unknown>>;

/** A claim that did not match, in words for the person who sets up the job. */
export interface Mismatch {
  readonly claim: string;
  /** completes "expected: …" */
  readonly expected: string;
  /** null: the token has no such claim */
  readonly found: string | null;
}

export interface NamedClaim {
  /** the name in the ID token */
  readonly claim: string;
  readonly value: string | null;
}

/** A workflow file in the job's own repository; `path` is null for another place. */
export interface WorkflowFile extends NamedClaim {
  readonly path: string | null;
}

export interface Job {
  readonly repository: NamedClaim;
  readonly repositoryId: NamedClaim;
  readonly ownerId: NamedClaim;
  readonly environment: NamedClaim;
  readonly workflow: (which: WorkflowClaim) => WorkflowFile;
  /** `isTag`, `isProtected`: undefined if the issuer does not say it */
  readonly ref: NamedClaim & {
    readonly isTag: boolean | undefined;
    readonly isProtected: boolean | undefined;
    readonly protectedClaim: string;
  };
  /** why no publisher may trust such a job */
  readonly refusals: readonly Mismatch[];
  readonly run: Omit<PublishedFrom, 'publisher'>;
}

export type ReadJob = (claims: IdTokenClaims, issuer: string) => Job;

const longest = 500;

/** Text of one line or a number; null for anything else, and for a text of blanks. Others could forge lines of output. */
export function textOf(claims: IdTokenClaims, claim: string): string | null {
  const value = claims[claim];
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  const isText = typeof value === 'string' && value.length <= longest && value.trim() !== '';
  return isText && !/[\p{Cc}\u2028\u2029]/u.test(value) ? value : null;
}

export function named(claims: IdTokenClaims, claim: string): NamedClaim {
  return { claim, value: textOf(claims, claim) };
}

/** A claim that this issuer does not have. */
export const missing = (claim: string): NamedClaim => ({ claim, value: null });

/** Some issuers write true, others "true". undefined: neither. */
export function flagOf(claims: IdTokenClaims, claim: string): boolean | undefined {
  const value = claims[claim];
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}
