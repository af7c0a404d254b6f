// What people decided about held releases: one row for each archive, with its audit event in the same commit (I8). The
// first of two approvals is a row of its own, which no rule reads.

import { z } from 'zod';
import type { JsonValue } from '../../../build/contract/json.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { Actor, AuditedStore } from '../../state/audit.ts';
import { parseRow, type RowOf } from '../../state/rows.ts';
import { readAgain } from './read-again.ts';

const prefix = 'policy/decision/';
const firstPrefix = 'policy/first-approval/';

const row = z.object({
  package: z.string(),
  /** normalized */
  version: z.string(),
  /** of the archive that the person saw: another archive is undecided */
  reference: z.string(),
  decision: z.enum(['approved', 'rejected']),
  /** who */
  by: z.string(),
  /** who gave the first of two approvals; absent: one was enough */
  first_by: z.string().exactOptional(),
  reason: z.string(),
  /** ISO 8601 */
  at: z.string(),
});
/** What a person decided about a release. The last one about it counts. */
export type ReviewDecision = RowOf<typeof row>;

export function isDecisionKey(key: string): boolean {
  return key.startsWith(prefix) || key.startsWith(firstPrefix);
}

/** Throws StateError for a malformed row. */
export function parseDecision(value: JsonValue): ReviewDecision {
  return parseRow(row, value, 'A decision about a release');
}

/** In the order of time; one object while the state is unchanged. Throws StateError for a malformed row. */
export function storedDecisions(
  store: Pick<StateStore, 'range' | 'generation'>,
): () => MaybeAsync<readonly ReviewDecision[]> {
  return readAgain(store, () => decisionsBelow(store, prefix), JSON.stringify);
}

async function decisionsBelow(store: Pick<StateStore, 'range'>, key: string): Promise<readonly ReviewDecision[]> {
  const rows = (await store.range(key)).map(({ value }) => parseDecision(value));
  return rows.toSorted((one, other) => (one.at < other.at ? -1 : 1));
}

/** The approvals that wait for a second person. */
export function firstApprovals(store: Pick<StateStore, 'range'>): Promise<readonly ReviewDecision[]> {
  return decisionsBelow(store, firstPrefix);
}

type DecidedVersion = Pick<ReviewDecision, 'package' | 'version'>;

/** The last decision about a version, whatever its archive; undefined: none. */
export async function lastDecision(
  store: Pick<StateStore, 'range'>,
  version: DecidedVersion,
): Promise<ReviewDecision | undefined> {
  return (await decisionsBelow(store, `${prefix}${keyOf(version)}/`)).at(-1);
}

/** Whether a person rejected an archive: the label of an own release is free for another one. */
export async function readRejections(store: Pick<StateStore, 'range'>): Promise<(archive: Archive) => boolean> {
  const decisions = await decisionsBelow(store, prefix);
  return (archive) => decisions.findLast((one) => isAbout(one, archive))?.decision === 'rejected';
}

interface Archive {
  readonly name: string;
  readonly normalized: string;
  readonly reference: string;
}

export function isAbout(decision: ReviewDecision, { name, normalized, reference }: Archive): boolean {
  return decision.package === name && decision.version === normalized && decision.reference === reference;
}

function keyOf({ package: name, version }: DecidedVersion): string {
  return `${name}/${encodeURIComponent(version)}`;
}

/** The row keys of an archive. */
function keysOf({ reference, ...version }: DecidedArchive) {
  const key = `${keyOf(version)}/${encodeURIComponent(reference)}`;
  return { last: `${prefix}${key}`, first: `${firstPrefix}${key}` };
}

type DecidedArchive = DecidedVersion & Pick<ReviewDecision, 'reference'>;

/** What was decided about an archive, and what a new decision replaces. */
export interface StandingDecisions {
  /** undefined: none */
  readonly last: ReviewDecision | undefined;
  /** the first of two approvals */
  readonly first: ReviewDecision | undefined;
  readonly conditions: readonly { readonly key: string; readonly revision: number | null }[];
}

/** `version`: normalized. Throws StateError for a malformed row. */
export async function standingDecisions(
  store: Pick<StateStore, 'get'>,
  archive: DecidedArchive,
): Promise<StandingDecisions> {
  const keys = keysOf(archive);
  const [last, first] = [await store.get(keys.last), await store.get(keys.first)];
  return {
    last: last && parseDecision(last.value),
    first: first && parseDecision(first.value),
    conditions: [
      { key: keys.last, revision: last?.revision ?? null },
      { key: keys.first, revision: first?.revision ?? null },
    ],
  };
}

export interface DecisionDetails {
  /** true: a second person has to approve, too */
  readonly isFirst: boolean;
  /** for the audit log: who published the release, and who approved before */
  readonly people: Readonly<Record<string, string>>;
}

/** Replaces the standing decision or first approval. False: somebody else decided meanwhile. */
export function storeDecision(
  store: AuditedStore,
  decision: ReviewDecision,
  { isFirst, people, conditions }: DecisionDetails & Pick<StandingDecisions, 'conditions'>,
  actor: Actor,
): Promise<boolean> {
  const { package: name, version, reference, decision: outcome, reason } = decision;
  const { first, last } = keysOf(decision);
  return store.commit(
    {
      conditions,
      puts: [{ key: isFirst ? first : last, value: { ...decision } }],
      deletes: isFirst ? [] : [first],
    },
    {
      actor,
      action: isFirst ? 'policy.approved_once' : `policy.${outcome}`,
      subject: `${name} ${version}`,
      details: { reference, reason, ...people },
    },
  );
}

/** After a decision that could not be carried out: the release is undecided again. A later decision stays. */
export async function removeDecision(store: AuditedStore, decision: ReviewDecision, actor: Actor): Promise<void> {
  const { package: name, version, reference } = decision;
  const { last, conditions } = await standingDecisions(store, decision);
  if (last?.at !== decision.at || last.by !== decision.by) return;
  await store.commit(
    { conditions, puts: [], deletes: [keysOf(decision).last] },
    { actor, action: 'policy.decision_failed', subject: `${name} ${version}`, details: { reference } },
  );
}
