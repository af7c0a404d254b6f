// The requests to the address of a webhook that were refused for their proof, as people see them: a number, the last
// one, and its reason. A new secret begins the count anew.

import { z } from 'zod';
import type { StateStore } from '../core/state/state-store.ts';
import { rowParser, readRow, type RowOf } from '../state/rows.ts';
import { refusalKey } from '../sync/repository-rows.ts';
import type { DeliveryList } from './delivery.ts';
import type { HookAddress } from './inbox.ts';

export const refusalReasons = ['no proof', 'wrong proof', 'wrong time'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

const refusalRecord = z.object({
  /** since the current secret was made */
  count: z.number().int(),
  /** RFC 3339 UTC */
  last_at: z.string(),
  /** of the last one */
  reason: z.enum(refusalReasons),
});
export type RefusalRecord = RowOf<typeof refusalRecord>;

/** The list of deliveries, and the count of refusals, of an address. */
export function listOf(hook: HookAddress): DeliveryList {
  return hook.of === 'repository' ? hook.id : 'registry';
}

export async function readRefusal(
  state: Pick<StateStore, 'get'>,
  hook: HookAddress,
): Promise<RefusalRecord | undefined> {
  return readRow(state, refusalKey(listOf(hook)), parseRefusalRecord);
}

/** Throws StateError for a value that is no row of refusals. */
export const parseRefusalRecord = rowParser(refusalRecord, 'The count of refused webhooks');

const remedies: Readonly<Record<RefusalReason, string>> = {
  'no proof': 'The sender sends no secret. Enter the secret in the settings of the webhook there.',
  'wrong proof':
    'The sender has another secret. Make a new one, and enter it there. A proxy that changes the body has the same effect.',
  'wrong time': 'The clocks of the sender and of this registry differ by more than five minutes. Set both.',
};

/** What helps most likely, for people. */
export function remedyOf({ reason }: Pick<RefusalRecord, 'reason'>): string {
  return remedies[reason];
}
