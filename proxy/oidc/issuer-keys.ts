// The keys and descriptions of the accepted issuers, in memory. They are fetched anew after ten minutes, and for an
// unknown key at most once a minute, however many tokens name one. While an issuer does not answer, its last keys are
// used for one hour.

import type { JsonObject } from '../../build/contract/json.ts';
import { createLocalJWKSet, errors, type CryptoKey, type JSONWebKeySet, type JWSHeaderParameters } from 'jose';
import { IssuerUnavailable, type FetchIssuer } from './fetch-issuer.ts';

export type IssuerKeys = ReturnType<typeof createIssuerKeys>;

const freshMs = 10 * 60_000;
const unknownKeyMs = 60_000;
const lastGoodMs = 60 * 60_000;
/** After a failed fetch, the next one waits this long. */
const failedMs = 10_000;

interface Known {
  keys: ReturnType<typeof createLocalJWKSet> | undefined;
  description: JsonObject | undefined;
  /** of both */
  fetchedMs: number;
  /** when the last fetch began */
  triedMs: number;
  failure: IssuerUnavailable | undefined;
  flight: Promise<void> | undefined;
}

/** `now`: epoch milliseconds. A clock that was set back leads to a new fetch. */
export function createIssuerKeys({
  fetchIssuer,
  now,
}: {
  readonly fetchIssuer: FetchIssuer;
  readonly now: () => number;
}) {
  const known = new Map<string, Known>();
  const isPast = (sinceMs: number, spanMs: number): boolean => now() - sinceMs >= spanMs || now() < sinceMs;
  /** One fetch at a time: who comes meanwhile waits for it. */
  const refresh = (issuer: string, entry: Known): Promise<void> => {
    entry.flight ??= fetchNow(fetchIssuer, now, issuer, entry).finally(() => {
      entry.flight = undefined;
    });
    return entry.flight;
  };
  const usable = async (issuer: string): Promise<Known> => {
    const entry = entryOf(known, issuer);
    const isStale = entry.keys === undefined || isPast(entry.fetchedMs, freshMs);
    if (isStale && (entry.failure === undefined || isPast(entry.triedMs, failedMs))) await refresh(issuer, entry);
    assertUsable(issuer, entry, isPast(entry.fetchedMs, lastGoodMs));
    return entry;
  };
  return {
    /** The discovery document. Rejects with IssuerUnavailable. */
    describe: async (issuer: string) => (await usable(issuer)).description ?? {},
    /** undefined: the issuer has no such key. Rejects with IssuerUnavailable. */
    keyFor: async (issuer: string, header: JWSHeaderParameters): Promise<CryptoKey | undefined> => {
      const entry = await usable(issuer);
      const key = await find(entry, header);
      if (key !== undefined || !isPast(entry.triedMs, unknownKeyMs)) return key;
      await refresh(issuer, entry);
      return find(entry, header);
    },
  };
}

async function fetchNow(fetchIssuer: FetchIssuer, now: () => number, issuer: string, entry: Known): Promise<void> {
  entry.triedMs = now();
  try {
    const { keys, description } = await fetchIssuer(issuer);
    entry.keys = importable(keys, issuer);
    entry.description = description;
    entry.fetchedMs = now();
    entry.failure = undefined;
  } catch (error) {
    if (!(error instanceof IssuerUnavailable)) throw error;
    entry.failure = error;
  }
}

function entryOf(known: Map<string, Known>, issuer: string): Known {
  const entry = known.get(issuer) ?? {
    keys: undefined,
    description: undefined,
    fetchedMs: 0,
    triedMs: 0,
    failure: undefined,
    flight: undefined,
  };
  known.set(issuer, entry);
  return entry;
}

function assertUsable(issuer: string, { keys, failure }: Known, isTooOld: boolean): void {
  if (keys !== undefined && !isTooOld) return;
  const age = keys === undefined ? '' : ' The last ones are older than an hour, and are not used any more.';
  throw new IssuerUnavailable(
    `The description and the keys of ${issuer} cannot be fetched: ${failure?.message ?? 'no reason given.'}${age}`,
    { again: failedMs / 1000 },
  );
}

function importable(set: JSONWebKeySet, issuer: string): ReturnType<typeof createLocalJWKSet> {
  try {
    return createLocalJWKSet(set);
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw new IssuerUnavailable(`The keys of ${issuer} are malformed.`, { cause: error });
  }
}

/** A key that cannot be read, or several that fit, count as none: jose picks by `kid`, `alg` and use. */
async function find({ keys }: Known, header: JWSHeaderParameters): Promise<CryptoKey | undefined> {
  try {
    return await keys?.(header);
  } catch (error) {
    if (isUnusableKey(error)) return undefined;
    throw error;
  }
}

/** jose throws its own errors; the key import of Node throws DOMException and TypeError for a malformed key. */
function isUnusableKey(error: unknown): boolean {
  return error instanceof errors.JOSEError || error instanceof DOMException || error instanceof TypeError;
}
