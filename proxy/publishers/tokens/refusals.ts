// The refusals of an exchange, in words for the person who sets up the CI job. They name claims of the caller's own
// token, and what was expected; they name no packages, and no publishers of other repositories.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { Mismatch } from '../claims/job.ts';
import type { PublisherRecord } from '../model/publisher.ts';
import type { IdTokenFault } from './verify-id-token.ts';

export function faultText({ claim, expected, found }: IdTokenFault): string {
  if (claim === null) return `It is not ${expected}.`;
  return `${claim} is ${found === null ? 'missing' : JSON.stringify(found)}; expected: ${expected}.`;
}

export function idTokenRefused(fault: IdTokenFault): RegistryError {
  return new RegistryError('ID_TOKEN_INVALID', {
    message: `The ID token is not accepted. ${faultText(fault)}`,
    details: { mismatches: [{ ...fault }] },
  });
}

export function noAudience(): RegistryError {
  return new RegistryError('NOT_AVAILABLE', {
    message:
      'This registry does not know its own address, so no ID token can be made for it. Set publicUrl in ' +
      'libretto.json, or LIBRETTO_PUBLIC_URL, and restart the server.',
  });
}

/** `repository`: what the token says of itself; null: it names none. */
export function noPublisher(repository: string | null, claim: string): RegistryError {
  const message =
    repository === null
      ? 'No trusted publisher accepts the claims of this ID token.'
      : `There is no trusted publisher of this repository (${claim} is ${JSON.stringify(repository)}).`;
  return new RegistryError('PUBLISHER_MISMATCH', {
    message: `${message} Ask an admin of the registry to add one: \`libretto publisher explain\` says what does not match.`,
    details: { mismatches: [{ claim, expected: 'the repository of a trusted publisher', found: repository }] },
  });
}

/** The job asked for another purpose or publisher than those that accept it. */
export function acceptedOtherwise(records: readonly Pick<PublisherRecord, 'id' | 'purpose'>[]): RegistryError {
  const ids = records.map(({ id, purpose }) => `${id} (${purpose})`).join(', ');
  return new RegistryError('PUBLISHER_MISMATCH', {
    message:
      `No trusted publisher with the purpose or the id that was asked for accepts this job. It is accepted by ${ids}. ` +
      'Ask for that one, or ask an admin of the registry to add another.',
    details: { publishers: records.map(({ id }) => id) },
  });
}

export interface RefusedPublisher {
  readonly record: Pick<PublisherRecord, 'id'>;
  readonly mismatches: readonly Mismatch[];
}

/** Publishers of the repository, the nearest first. */
export function mismatched(refused: readonly RefusedPublisher[]): RegistryError {
  const [nearest] = refused;
  const lines = (nearest?.mismatches ?? []).map(faultText).join(' ');
  const more = refused.length > 1 ? ` ${refused.length - 1} more of this repository do not fit either.` : '';
  return new RegistryError('PUBLISHER_MISMATCH', {
    message: `The trusted publisher ${nearest?.record.id ?? ''} does not accept this job. ${lines}${more}`,
    details: {
      publisher: nearest?.record.id ?? null,
      mismatches: (nearest?.mismatches ?? []).map((one): JsonObject => ({ ...one })),
    },
  });
}

export function ambiguous(records: readonly Pick<PublisherRecord, 'id' | 'purpose'>[]): RegistryError {
  const ids = records.map(({ id, purpose }) => `${id} (${purpose})`).join(', ');
  return new RegistryError('CONFLICT', {
    message: `Several trusted publishers accept this job: ${ids}. Name its purpose, or its id (--publisher, or the field publisher).`,
    details: { publishers: records.map(({ id }) => id) },
  });
}

export function exchangesUsedUp(limit: number, waitMs: number): RegistryError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new RegistryError('RATE_LIMIT_EXCEEDED', {
    message:
      `This trusted publisher has used all its ${limit} exchanges for this hour. Try again in ${seconds} seconds, or ` +
      'ask an admin to raise exchanges_per_hour.',
    details: { retry_after_seconds: seconds },
  });
}
