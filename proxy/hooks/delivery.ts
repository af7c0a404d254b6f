// A received hook as the state keeps it, for people. The last ones of each repository are kept, and the last ones to
// the address for all repositories. Nothing of a payload is in it.

import { z } from 'zod';
import { idsOf } from '../../build/shared/text/base62.ts';
import { rowParser, type RowOf } from '../state/rows.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { deliveryPrefix } from '../sync/repository-rows.ts';
import type { RepositoryId } from '../sync/repository.ts';
import type { DeliveryOutcome, HookAddress, ProviderName } from './inbox.ts';

const text = <Text extends string>() => z.custom<Text>((value) => typeof value === 'string');

const hookDelivery = z.object({
  /** `dlv_` and 16 base62 characters */
  id: z.string(),
  /** the address that it was sent to */
  hook: text<HookAddress['of']>(),
  provider: text<ProviderName>(),
  /** the id in the provider's own list of deliveries */
  provider_id: z.string(),
  event: z.string(),
  outcome: text<DeliveryOutcome>(),
  /** RFC 3339 UTC */
  received_at: z.string(),
  /** the repositories that it asked to sync */
  repositories: z.array(text<RepositoryId>()),
});
export type HookDeliveryRecord = RowOf<typeof hookDelivery>;

/** The list of a repository, or of the address for all repositories. */
export type DeliveryList = RepositoryId | 'registry';

/** The number of deliveries that a list keeps. */
const kept = 20;

export const { mint: mintDeliveryId } = idsOf('dlv');

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
export const parseDeliveryRecord = rowParser(hookDelivery, 'The record of a delivery');
