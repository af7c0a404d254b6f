// Seals the secrets in user records again after a new sealing key was made.

import type { Sealer } from '../keys/sealer.ts';
import type { Actor, AuditedStore } from '../state/audit.ts';
import { changeUser, readUsers } from './user-records.ts';
import type { TwoFactor } from './user.ts';

/** Resolves with how many were sealed under another key. */
export async function resealUsers(store: AuditedStore, sealer: Sealer, actor: Actor): Promise<number> {
  let count = 0;
  for (const { id, two_factor } of await readUsers(store)) {
    if (two_factor === null) continue;
    await changeUser(store, id, (current) => {
      if (current.two_factor === null) return undefined;
      const resealed = resealOf(current.two_factor, (secret) => sealer.reseal(secret, id));
      if (resealed === undefined) return undefined;
      count += 1;
      return {
        record: { ...current, two_factor: resealed },
        event: { actor, action: 'user.reseal', subject: id, details: {} },
      };
    });
  }
  return count;
}

/** undefined: nothing was sealed under another key. */
function resealOf(two_factor: TwoFactor, reseal: (secret: string) => string): TwoFactor | undefined {
  const { secret, next_secret: next } = two_factor;
  const edited: TwoFactor = {
    ...two_factor,
    secret: secret === null ? null : reseal(secret),
    ...(next === undefined ? {} : { next_secret: reseal(next) }),
  };
  return edited.secret === secret && edited.next_secret === next ? undefined : edited;
}
