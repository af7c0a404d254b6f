// A received hook as the state keeps it, for people. The last ones of each repository are kept, and the last ones to
// the address for all repositories. Nothing of a payload is in it.

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { deliveryPrefix } from '../sync/repository-rows.ts';
import type { RepositoryId } from '../sync/repository.ts';
import type { DeliveryOutcome, HookAddress, ProviderName } from './inbox.ts';

export interface HookDeliveryRecord {
  /** `dlv_` and 16 base62 characters */
  readonly id: string;
  /** the address that it was sent to */
  readonly hook: HookAddress['of'];
  readonly provider: ProviderName;
  /** the id in the provider's own list of deliveries */
  readonly provider_id: string;
  readonly event: string;
  readonly outcome: DeliveryOutcome;
  /** RFC 3339 UTC */
  readonly received_at: string;
  /** the repositories that it asked to sync */
  readonly repositories: readonly RepositoryId[];
}

/** The list of a repository, or of the address for all repositories. */
export type DeliveryList = RepositoryId | 'registry';

/** The number of deliveries that a list keeps. */
const kept = 20;

export function mintDeliveryId(randomBytes: RandomBytes): string {
  return `dlv_${randomBase62(16, randomBytes)}`;
}

/** Orders the deliveries of a list by their arrival. */
export function deliveryKey(list: DeliveryList, { id, received_at: at }: HookDeliveryRecord): string {
  return `${deliveryPrefix(list)}${String(Date.parse(at)).padStart(15, '0')}-${id}`;
}

/** Newest first. */
export async function listDeliveries(
  state: Pick<StateStore, 'range'>,
  list: DeliveryList,
): Promise<readonly HookDeliveryRecord[]> {
  const entries = await state.range(deliveryPrefix(list), { reverse: true, limit: kept });
  return entries.map(({ value }) => parseDeliveryRecord(value));
}

/** The keys of old deliveries that one more pushes out. */
export async function surplusDeliveries(
  state: Pick<StateStore, 'range'>,
  list: DeliveryList,
): Promise<readonly string[]> {
  // of several hosts that write at once each may find one too many
  const entries = await state.range(deliveryPrefix(list), { reverse: true, limit: 2 * kept });
  return entries.slice(kept - 1).map(({ key }) => key);
}

/** Throws StateError for a value that is no row of a delivery. */
export function parseDeliveryRecord(value: JsonValue): HookDeliveryRecord {
  if (
    isJsonObject(value) &&
    ['id', 'hook', 'provider', 'provider_id', 'event', 'outcome', 'received_at'].every(
      (name) => typeof value[name] === 'string',
    ) &&
    Array.isArray(value['repositories'])
  )
    return value as unknown as HookDeliveryRecord;
  throw malformedRecord('The record of a delivery');
}
