// The first half of a refresh: walks through the pages of the forge's list. Each page is one step that a killed refresh
// need not repeat. A page that has not changed since (ETag) is not read again.

import { recheckMs, wantedNames } from '../model/decide-repository.ts';
import type { RepositoryPath } from '../model/forge-name.ts';
import type { ForgeRepository, ListedRepository } from '../model/forge-repository.ts';
import type { RefreshProgress, RememberedPage } from '../model/progress.ts';
import { applyRepository } from './apply-repository.ts';
import type { HookInstaller } from './install-hooks.ts';
import type { RefreshParts } from './refresh-parts.ts';
import { changeProgress, forgetPages, readPage, writePage } from './refresh-rows.ts';

/** `progress`: in the phase `listing`. Gives it in the phase `missing`. */
export async function listAll(
  parts: RefreshParts,
  progress: RefreshProgress,
  hooks: HookInstaller,
): Promise<RefreshProgress> {
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
