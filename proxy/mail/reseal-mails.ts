// Seals the password of the mail server and the waiting mails under the current key: part of a key rotation.

import type { JsonValue } from '../../build/contract/json.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { Actor, AuditedStore } from '../state/audit.ts';
import { mailPasswordKey, parseMailPassword } from './mail-password.ts';
import { parseWaitingMail, waitingMailPrefix } from './mail.ts';

interface Parts {
  readonly store: AuditedStore;
  readonly sealer: Sealer;
  readonly actor: Actor;
}

/** Gives the number of secrets that were sealed under another key. */
export async function resealMails(parts: Parts): Promise<number> {
  let count = 0;
  for (const { key } of await parts.store.range(waitingMailPrefix))
    count += await reseal(parts, key, (value) => {
      const mail = parseWaitingMail(value);
      return { ...mail, sealed: parts.sealer.reseal(mail.sealed, mail.id) };
    });
  return (
    count +
    (await reseal(parts, mailPasswordKey, (value) => ({
      sealed: parts.sealer.reseal(parseMailPassword(value).sealed, mailPasswordKey),
    })))
  );
}

async function reseal(
  { store, actor }: Parts,
  key: string,
  resealed: (value: JsonValue) => object & { readonly sealed: string },
): Promise<number> {
  for (;;) {
    const entry = await store.get(key);
    if (entry === undefined) return 0; // sent in between
    const next = resealed(entry.value);
    if (JSON.stringify(next) === JSON.stringify(entry.value)) return 0;
    const done = await store.commit(
      { conditions: [{ key, revision: entry.revision }], puts: [{ key, value: next as JsonValue }], deletes: [] },
      { actor, action: 'mail.reseal', subject: 'mail', details: {} },
    );
    if (done) return 1;
  }
}
