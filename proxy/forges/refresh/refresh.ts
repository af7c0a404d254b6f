// Refreshes one connection: lists the forge's repositories, registers new ones, and reports what changed. It goes on
// where an earlier refresh stopped: at a kill, at a rate limit, or on another host.

import { ForgePause, ForgeRefusal } from '../client/forge-failure.ts';
import type { RefreshProgress, ConnectionCounts, RememberedPage } from '../model/progress.ts';
import { readProgress } from '../model/read-progress.ts';
import { createHookInstaller, type HookInstaller } from './install-hooks.ts';
import type { RefreshParts } from './refresh-parts.ts';
import {
  changeProgress,
  allSeen,
  forgetSeen,
  listedIds,
  writeSeen,
  forgetPages,
  readPage,
  writePage,
} from './refresh-rows.ts';
import type { RepositoryPath } from '../model/forge-name.ts';
import { asItIsNow } from '../model/connected.ts';
import type { ListedRepository, RepositoryState, ForgeRepository } from '../model/forge-repository.ts';
import { recheckMs, wantedNames } from '../model/decide-repository.ts';
import { applyRepository } from './apply-repository.ts';
import { isoTime } from '../../../build/shared/text/iso-time.ts';

// The first half of a refresh: walks through the pages of the forge's list. Each page is one step that a killed refresh
// need not repeat. A page that has not changed since (ETag) is not read again.

/** `progress`: in the phase `listing`. Gives it in the phase `missing`. */
async function listAll(parts: RefreshParts, progress: RefreshProgress, hooks: HookInstaller): Promise<RefreshProgress> {
  const { connection, state } = parts;
  const wanted = wantedNames(connection, connection.owner);
  let current = progress;
  for (;;) {
    const page = await listPage(parts, current, hooks, wanted);
    await writePage(state, connection.id, current.page, page);
    const next = { page: current.page + 1, query: page.next };
    if (page.next === null) await forgetPages(state, connection.id, next.page);
    current = await changeProgress(state, connection.id, {
      ...next,
      ...(page.next === null ? { phase: 'missing' as const } : {}),
      failures: 0,
    });
    if (page.next === null) return current;
  }
}

async function listPage(
  parts: RefreshParts,
  { page: number, query }: RefreshProgress,
  hooks: HookInstaller,
  wanted: (path: RepositoryPath) => boolean,
): Promise<RememberedPage> {
  const { connection, state, forge, now, keep } = parts;
  const remembered = await readPage(state, connection.id, number);
  await keep();
  const etag = remembered !== undefined && isFresh(remembered, query, now()) ? remembered.etag : null;
  const listed = await forge.list(connection.owner_kind, query ?? undefined, etag ?? undefined);
  if (listed === 'unchanged') return remembered ?? lastPage(query);
  const rows: ListedRepository[] = [];
  for (const repository of listed.repositories) rows.push(await applyWithHook(parts, repository, hooks, wanted));
  const isDue = rows.some((row) => row.reason === 'unreadable' || row.reason === 'forbidden' || hooks.isMissing(row));
  return {
    query,
    etag: listed.etag ?? null,
    next: listed.next ?? null,
    ids: listed.repositories.map(({ id }) => id),
    fresh_until: new Date(now() + (isDue ? 0 : recheckMs)).toISOString(),
  };
}

async function applyWithHook(
  parts: RefreshParts,
  repository: ForgeRepository,
  hooks: HookInstaller,
  wanted: (path: RepositoryPath) => boolean,
): Promise<ListedRepository> {
  return hooks.ofRepository(repository, await applyRepository(parts, repository, wanted));
}

/** The last page is always read: a 304 does not say that a page was added behind it. */
function isFresh(
  { query: known, next, fresh_until: until }: RememberedPage,
  query: string | null,
  nowMs: number,
): boolean {
  return known === query && next !== null && nowMs < Date.parse(until);
}

function lastPage(query: string | null): RememberedPage {
  return { query, etag: null, next: null, ids: [], fresh_until: new Date(0).toISOString() };
}

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
    finished_at: isoTime(now()),
    // a jitter of a tenth keeps connections apart
    next_at: isoTime(now() + connection.interval * 1000 * (0.9 + 0.2 * random())),
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
    next_at: isoTime(untilMs),
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
    next_at: isoTime(now() + connection.interval * 1000),
    error: message,
    failures: failures + 1,
  });
  return { end: 'refused', message };
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
