// The requests to the address of a webhook that were refused for their proof, as people see them: a number, the last
// one, and its reason. A new secret begins the count anew.

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { refusalKey } from '../sync/repository-rows.ts';
import type { DeliveryList } from './delivery.ts';
import type { HookAddress } from './inbox.ts';

export const refusalReasons = ['no proof', 'wrong proof', 'wrong time'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

export interface RefusalRecord {
  /** since the current secret was made */
  readonly count: number;
  /** RFC 3339 UTC */
  readonly last_at: string;
  /** of the last one */
  readonly reason: RefusalReason;
}

/** The list of deliveries, and the count of refusals, of an address. */
export function listOf(hook: HookAddress): DeliveryList {
  return hook.of === 'repository' ? hook.id : 'registry';
}

export async function readRefusal(
  state: Pick<StateStore, 'get'>,
  hook: HookAddress,
): Promise<RefusalRecord | undefined> {
  const entry = await state.get(refusalKey(listOf(hook)));
  return entry === undefined ? undefined : parseRefusalRecord(entry.value);
}

/** Throws StateError for a value that is no row of refusals. */
export function parseRefusalRecord(value: JsonValue): RefusalRecord {
  if (
    isJsonObject(value) &&
    Number.isSafeInteger(value['count']) &&
    typeof value['last_at'] === 'string' &&
    refusalReasons.some((reason) => reason === value['reason'])
  )
    return value as unknown as RefusalRecord;
  throw malformedRecord('The count of refused webhooks');
}

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
