// Refreshes one connection: lists the forge's repositories, registers new ones, and reports what changed. It goes on
// where an earlier refresh stopped: at a kill, at a rate limit, or on another host.

import { ForgePause, ForgeRefusal } from '../client/forge-failure.ts';
import type { RefreshProgress } from '../model/progress.ts';
import { readProgress } from '../model/read-progress.ts';
import { findMissing } from './find-missing.ts';
import { createHookInstaller } from './install-hooks.ts';
import { listAll } from './list-repositories.ts';
import type { RefreshParts } from './refresh-parts.ts';
import { changeProgress } from './refresh-rows.ts';

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
