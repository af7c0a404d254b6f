// The second half of a refresh: repositories that were listed before, and are not any more. A page may have shifted while
// it was read, so the forge is asked for each of them by itself. A missing one is reported; what it published stays.

import { ForgeRefusal } from '../client/forge-failure.ts';
import type { RepositoryPath } from '../model/forge-name.ts';
import { asItIsNow } from '../model/connected.ts';
import type { SeenRepository, SeenState } from '../model/forge-repository.ts';
import type { ConnectionCounts } from '../model/progress.ts';
import type { RefreshParts } from './refresh-parts.ts';
import { allSeen, forgetSeen, listedIds, writeSeen } from './refresh-rows.ts';

/** Gives the repositories of the connection by their state. */
export async function findMissing(parts: RefreshParts): Promise<ConnectionCounts> {
  const { connection, state } = parts;
  const listed = await listedIds(state, connection.id);
  const counts: Record<SeenState, number> = { registered: 0, archived: 0, removed: 0, skipped: 0 };
  for await (const seen of allSeen(state, connection.id)) {
    if (listed.size === 0 && seen.repository !== null) throw listsNothing(connection.owner);
    const now = listed.has(seen.id) ? (await asItIsNow(state, seen)).state : await stateOfUnlisted(parts, seen);
    if (now !== 'forgotten') counts[now] += 1;
  }
  return counts;
}

async function stateOfUnlisted(parts: RefreshParts, seen: SeenRepository): Promise<SeenState | 'forgotten'> {
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
