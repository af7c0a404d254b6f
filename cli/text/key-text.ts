// Keys as the commands show them: never the key itself. Pure.

import type { RingKey } from '../../proxy/keys/key-ring.ts';
import { formatTable } from '../io/output.ts';

/** The `--json` document of a key; part of the interface to scripts. */
export interface KeyDocument {
  readonly kid: string;
  readonly purpose: 'signing' | 'sealing';
  /** `old`: still opens older values; `ended`: no longer used */
  readonly state: 'current' | 'old' | 'ended';
  readonly created_at: string;
  readonly ends_at: string | null;
}

export function keyDocuments(keys: readonly RingKey[], nowMs: number): KeyDocument[] {
  return keys.map(({ kid, purpose, number, created_at, ends_at }) => {
    const isCurrent = keys.every((other) => other.purpose !== purpose || other.number <= number);
    const hasEnded = ends_at !== null && nowMs >= Date.parse(ends_at);
    return { kid, purpose, state: isCurrent ? 'current' : hasEnded ? 'ended' : 'old', created_at, ends_at };
  });
}

export function describeKeys(keys: readonly KeyDocument[]): string[] {
  return formatTable(
    ['KID', 'PURPOSE', 'STATE', 'CREATED', 'ENDS'],
    keys.map(({ kid, purpose, state, created_at, ends_at }) => [kid, purpose, state, created_at, ends_at ?? 'never']),
  );
}
