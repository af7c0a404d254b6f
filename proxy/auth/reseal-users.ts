// Seals the secrets in user records again after a new sealing key was made.

import type { Sealer } from '../keys/sealer.ts';
import type { Actor, AuditedStore } from '../state/audit.ts';
import { changeUser, readUsers } from './user-records.ts';

/** Resolves with how many were sealed under another key. */
export async function resealUsers(store: AuditedStore, sealer: Sealer, actor: Actor): Promise<number> {
  let count = 0;
  for (const { id, two_factor } of await readUsers(store)) {
    if (two_factor === null) continue;
    await changeUser(store, id, (current) => {
      if (current.two_factor === null) return undefined;
      const secret = sealer.reseal(current.two_factor.secret, id);
      if (secret === current.two_factor.secret) return undefined;
      count += 1;
      return {
        record: { ...current, two_factor: { ...current.two_factor, secret } },
        event: { actor, action: 'user.reseal', subject: id, details: {} },
      };
    });
  }
  return count;
}
