// Replays a delivery: starts the syncs that it asked for once more, as a request of the person who replays it.

import { RegistryError } from '../../build/contract/errors.ts';
import type { Actor } from '../state/audit.ts';
import type { StateStore } from '../core/state/state-store.ts';
import type { JobRecord } from '../sync/job.ts';
import type { Syncer } from '../sync/syncer.ts';
import { listDeliveries } from './delivery.ts';
import type { HookAddress } from './inbox.ts';

export interface ReplayParts {
  readonly state: Pick<StateStore, 'range'>;
  readonly syncer: Pick<Syncer, 'sync'>;
}

/**
 * Gives the job of each repository; one that is active already is joined. Throws NOT_FOUND for a delivery that is not
 * kept, CONFLICT for one that asked for no sync, and OVERLOADED.
 */
export async function replayDelivery(
  { state, syncer }: ReplayParts,
  address: HookAddress,
  delivery: string,
  actor: Actor,
): Promise<readonly JobRecord[]> {
  const list = await listDeliveries(state, address.of === 'repository' ? address.id : 'registry');
  const found = list.find(({ id }) => id === delivery);
  if (found === undefined)
    throw new RegistryError('NOT_FOUND', { message: 'Delivery not found. Only the last deliveries are kept.' });
  if (found.repositories.length === 0)
    throw new RegistryError('CONFLICT', {
      message: `This delivery asked for no sync (${found.outcome}), so there is nothing to replay.`,
    });
  const ids = address.of === 'repository' ? [address.id] : found.repositories;
  const jobs: JobRecord[] = [];
  for (const id of ids) jobs.push(await syncer.sync(id, { trigger: 'request', actor, replays: found.id }));
  return jobs;
}
