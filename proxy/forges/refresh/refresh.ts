// Refreshes one connection: lists the forge's repositories, registers new ones, and reports what changed. It goes on
// where an earlier refresh stopped: at a kill, at a rate limit, or on another host.

import { ForgePause, ForgeRefusal } from '../client/forge-failure.ts';
import type { RefreshProgress, ConnectionCounts } from '../model/progress.ts';
import { readProgress } from '../model/read-progress.ts';
import { createHookInstaller } from './install-hooks.ts';
import { listAll } from './list-repositories.ts';
import type { RefreshParts } from './refresh-parts.ts';
import { changeProgress, allSeen, forgetSeen, listedIds, writeSeen } from './refresh-rows.ts';
import type { RepositoryPath } from '../model/forge-name.ts';
import { asItIsNow } from '../model/connected.ts';
import type { ListedRepository, RepositoryState } from '../model/forge-repository.ts';

export type RefreshEnd =
  | { readonly end: 'finished'; readonly progress: RefreshProgress }
  /** the forge asked for a pause, or fails now: a later refresh goes on. `untilMs`: epoch milliseconds */
  | { readonly end: 'paused'; readonly untilMs: number; readonly isLimit: boolean; readonly message: string }
  | { readonly end: 'refused'; readonly message: string };

/** Throws what `keep` throws, ConnectionRemoved, and StateError. */
export async function refresh(parts: RefreshParts): Promise<RefreshEnd> {
  try {
    return { end: 'finished', progress: await run(parts) };
  } catch (error) {
    if (error instanceof ForgePause) return pause(parts, error);
    if (error instanceof ForgeRefusal) return refuse(parts, error);
    throw error;
  }
}

async function run(parts: RefreshParts): Promise<RefreshProgress> {
  const { connection, state, now, random } = parts;
  let progress = await readProgress(state, connection.id);
  if (progress.phase === 'idle')
    progress = await changeProgress(state, connection.id, { phase: 'listing', page: 0, query: null });
  const hooks = createHookInstaller(parts);
  progress = await hooks.ofOwner(progress);
  if (progress.phase === 'listing') progress = await listAll(parts, progress, hooks);
  const counts = await findMissing(parts);
  return changeProgress(state, connection.id, {
    phase: 'idle',
    page: 0,
    query: null,
    counts,
    finished_at: timeOf(now()),
    // a jitter of a tenth keeps connections apart
    next_at: timeOf(now() + connection.interval * 1000 * (0.9 + 0.2 * random())),
    error: null,
    failures: 0,
  });
}

const longestPauseMs = 3_600_000;

async function pause(
  { connection, state, now }: RefreshParts,
  { message, untilMs: asked, isLimit, isNamed }: ForgePause,
): Promise<RefreshEnd> {
  const { failures } = await readProgress(state, connection.id);
  const untilMs = isNamed
    ? asked
    : Math.min(now() + (asked - now()) * 2 ** Math.min(failures, 10), now() + longestPauseMs);
  await changeProgress(state, connection.id, {
    next_at: timeOf(untilMs),
    error: isLimit ? null : message,
    failures: isNamed ? 0 : failures + 1,
  });
  return { end: 'paused', untilMs, isLimit, message };
}

/** The next refresh begins anew: the refused page may have been named by a list that is gone. */
async function refuse({ connection, state, now }: RefreshParts, { message }: ForgeRefusal): Promise<RefreshEnd> {
  const { failures } = await readProgress(state, connection.id);
  await changeProgress(state, connection.id, {
    phase: 'idle',
    page: 0,
    query: null,
    next_at: timeOf(now() + connection.interval * 1000),
    error: message,
    failures: failures + 1,
  });
  return { end: 'refused', message };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

// The second half of a refresh: repositories that were listed before, and are not any more. A page may have shifted
// while it was read, so the forge is asked for each of them by itself. A missing one is reported; what it published
// stays.

/** Gives the repositories of the connection by their state. */
async function findMissing(parts: RefreshParts): Promise<ConnectionCounts> {
  const { connection, state } = parts;
  const listed = await listedIds(state, connection.id);
  const counts: Record<RepositoryState, number> = { registered: 0, archived: 0, removed: 0, skipped: 0 };
  for await (const seen of allSeen(state, connection.id)) {
    if (listed.size === 0 && seen.repository !== null) throw listsNothing(connection.owner);
    const now = listed.has(seen.id) ? (await asItIsNow(state, seen)).state : await stateOfUnlisted(parts, seen);
    if (now !== 'forgotten') counts[now] += 1;
  }
  return counts;
}

async function stateOfUnlisted(parts: RefreshParts, seen: ListedRepository): Promise<RepositoryState | 'forgotten'> {
  const { connection, state, forge, now, onStep, keep } = parts;
  if (seen.state === 'removed') return 'removed';
  if (seen.state === 'skipped' || seen.repository === null) {
    await forgetSeen(state, connection.id, seen.id);
    return 'forgotten';
  }
  await keep();
  if ((await forge.find({ id: seen.id, path: seen.path as RepositoryPath })) !== undefined) return seen.state;
  await writeSeen(state, connection.id, { ...seen, state: 'removed', checked_at: new Date(now()).toISOString() });
  onStep({ step: 'removed', path: seen.path, repository: seen.repository });
  return 'removed';
}

function listsNothing(owner: string): ForgeRefusal {
  return new ForgeRefusal(
    `The forge lists no repository of ${owner} any more. Check the permissions of the connection's credentials. ` +
      'All repositories stay registered.',
  );
}
