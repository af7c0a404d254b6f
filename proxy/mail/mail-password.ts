// The password for the mail server, where the configuration names none: stored sealed, and never shown.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { ChangeParts } from '../state/audit.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import type { StateEntry } from '../core/state/state-store.ts';

export const mailPasswordKey = 'mail-password/server';

/** undefined: none is stored. Throws UnreadableSecret. */
export function openMailPassword(sealer: Sealer, entry: StateEntry | undefined): Secret | undefined {
  return entry === undefined ? undefined : sealer.unseal(parseMailPassword(entry.value).sealed, mailPasswordKey);
}

/** Throws StateError for a value that is no such row. */
export function parseMailPassword(value: JsonValue): { readonly sealed: string } {
  if (isJsonObject(value) && typeof value['sealed'] === 'string') return { sealed: value['sealed'] };
  throw malformedRecord('The password of the mail server');
}

interface Parts extends Pick<ChangeParts, 'store' | 'actor'> {
  readonly sealer: Sealer;
}

/** undefined: removes it. */
export async function storeMailPassword({ store, sealer, actor }: Parts, password: Secret | undefined): Promise<void> {
  for (;;) {
    const entry = await store.get(mailPasswordKey);
    if (password === undefined && entry === undefined) return;
    const value: JsonObject | undefined = password && { sealed: sealer.seal(password, mailPasswordKey) };
    const done = await store.commit(
      {
        conditions: [{ key: mailPasswordKey, revision: entry?.revision ?? null }],
        puts: value === undefined ? [] : [{ key: mailPasswordKey, value }],
        deletes: value === undefined ? [mailPasswordKey] : [],
      },
      {
        actor,
        action: value === undefined ? 'mail.remove_password' : 'mail.set_password',
        subject: 'mail',
        details: {},
      },
    );
    if (done) return;
  }
}
