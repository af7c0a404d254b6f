// `index/_projection.json`: the listing whose documents are at their own paths, and the builder that copies them there.
// A builder that was killed loses this lease when the object has not changed for `leaseMs`, measured on the clock of the
// one that waits: the clocks of two hosts may differ. An object that cannot be read counts as one without a listing.

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isJsonObject } from '../contract/json.ts';
import type { ObjectDigest } from '../contract/store-listing.ts';
import { idPath } from '../listing/working-copy-files.ts';
import { replaceFile } from '../shared/files/atomic-file.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import type { PutHeaders } from './object-store.ts';
import { StoreFailure } from './store-failure.ts';
import type { WorkingCopy } from './working-copy.ts';

const projectionKey = 'index/_projection.json';
export const leaseMs = 60_000;
/** A lease that ended so long ago is over on every clock that a store accepts. */
const clockDifferenceMs = 15 * 60_000;
const mostBytes = 64 * 1024;

export const jsonHeaders: PutHeaders = { contentType: 'application/json', cacheControl: 'private, no-cache' };

export interface Projection {
  /** the listing whose documents are at their own paths; null: nothing was projected yet */
  readonly listing: ObjectDigest | null;
  /** listings that were begun since then */
  readonly begun: readonly ObjectDigest[];
  /** epoch milliseconds: until then the builder that wrote this projects; 0: nobody does */
  readonly until: number;
  /** the working copy of that builder */
  readonly by: string;
}

export type Held = Projection & { readonly etag: string };

export async function readProjection(copy: WorkingCopy): Promise<Held | undefined> {
  const found = await copy.store.get(projectionKey, mostBytes);
  if (found === undefined) return undefined;
  const { listing, begun, until, by } = objectIn(found.bytes.toString('utf8'));
  return {
    listing: digestIn(listing) ?? null,
    begun: Array.isArray(begun) ? begun.flatMap((one) => digestIn(one) ?? []) : [],
    until: Number.isSafeInteger(until) ? (until as number) : 0,
    by: String(by),
    etag: found.etag,
  };
}

/** Names this working copy: the one that has its lock finds out that a killed process of the same copy had the lease. */
export async function nameOfCopy(copy: WorkingCopy): Promise<string> {
  const kept = await readFile(copy.at(idPath), 'utf8').catch(() => '');
  if (kept !== '') return kept;
  const name = randomUUID();
  await replaceFile(copy.at(idPath), [name]);
  return name;
}

/**
 * Decides whether a lease of `ms` milliseconds may be taken. Each waiting builder has its own. `until` as in a
 * projection, where the lease says it.
 */
export function leaseObserver(
  own: string,
  now: () => Date,
  ms = leaseMs,
): (found: (Pick<Held, 'by' | 'etag'> & { readonly until?: number }) | undefined) => boolean {
  let seen: { readonly etag: string; readonly sinceMs: number } | undefined;
  return (found) => {
    const atMs = now().getTime();
    if (found === undefined || found.until === 0 || found.by === own) return true;
    if (seen?.etag !== found.etag) seen = { etag: found.etag, sinceMs: atMs };
    return atMs - seen.sinceMs >= ms || atMs > (found.until ?? Infinity) + clockDifferenceMs;
  };
}

/** undefined: another builder was first. */
export async function writeProjection(
  copy: WorkingCopy,
  before: Held | undefined,
  next: Projection,
): Promise<Held | undefined> {
  const { listing, begun, until, by } = next;
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, listing, begun, until, by })}\n`);
  const condition = before === undefined ? 'absent' : { etag: before.etag };
  const written = await copy.store.put(projectionKey, { bytes, sha256: digestOf(bytes) }, jsonHeaders, condition);
  return written.outcome === 'written' ? { ...next, etag: written.etag } : undefined;
}

/** The result of `work`; that of `otherwise` if the store has lost a former listing. */
export async function unlessGone<Result>(
  work: () => Promise<Result>,
  otherwise: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreFailure && error.kind === 'damaged') return otherwise();
    throw error;
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : {};
  } catch {
    return {}; // as without a listing
  }
}

function digestIn(value: unknown): ObjectDigest | undefined {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? (value as ObjectDigest) : undefined;
}
