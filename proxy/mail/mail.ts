// One mail that waits to be sent, as the state stores it. Its content is sealed, since it may hold a link that signs a
// person in.

import { z } from 'zod';
import type { JsonObject } from '../../build/contract/json.ts';
import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import { Secret } from '../../build/shared/text/secret.ts';
import type { MailTopic } from '../auth/mail-topic.ts';
import type { Sealer } from '../keys/sealer.ts';
import { rowParser, type RowOf } from '../state/rows.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { readBranding } from '../settings/stored-settings.ts';

export type MailKind = 'invitation' | 'reset' | 'test' | 'message' | MailTopic;

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailDraft {
  /** an e-mail address */
  readonly to: string;
  readonly kind: MailKind;
  readonly content: MailContent;
  /** it is not sent later than this, epoch milliseconds */
  readonly endsMs: number;
}

const waitingMail = z.object({
  /** `mail_` and 16 base62 characters */
  id: z.string(),
  to: z.string(),
  kind: z.custom<MailKind>((value) => typeof value === 'string'),
  /** a MailContent, sealed for the id */
  sealed: z.string(),
  failures: z.number(),
  /** RFC 3339 UTC, as all times here */
  created_at: z.string(),
  ends_at: z.string(),
  next_at: z.string(),
});
export type WaitingMail = RowOf<typeof waitingMail>;

export const waitingMailPrefix = 'mail-waiting/';

/** Orders mails by the time of their next attempt. */
export function waitingMailKey({ id, next_at: nextAt }: Pick<WaitingMail, 'id' | 'next_at'>): string {
  return `${waitingMailPrefix}${String(Date.parse(nextAt)).padStart(15, '0')}-${id}`;
}

export interface MailParts {
  readonly sealer: Sealer;
  readonly randomBytes: RandomBytes;
  /** epoch milliseconds */
  readonly now: () => number;
  /** of the registry for its clients, without a slash at its end */
  readonly address: string;
}

/** The row of a mail, for the commit that is the reason for it. */
export function mailRow(
  { sealer, randomBytes, now }: MailParts,
  { to, kind, content, endsMs }: MailDraft,
): { readonly key: string; readonly value: JsonObject } {
  const id = `mail_${randomBase62(16, randomBytes)}`;
  const at = new Date(now()).toISOString();
  const mail: WaitingMail = {
    id,
    to,
    kind,
    sealed: sealer.seal(new Secret(JSON.stringify(content)), id),
    failures: 0,
    created_at: at,
    ends_at: new Date(endsMs).toISOString(),
    next_at: at,
  };
  return { key: waitingMailKey(mail), value: { ...mail } as unknown as JsonObject };
}

/** Throws UnreadableSecret if the key is gone. */
export function openContent(sealer: Sealer, { id, sealed }: WaitingMail): MailContent {
  return JSON.parse(sealer.unseal(sealed, id).reveal()) as MailContent;
}

/** Throws StateError for a value that is no waiting mail. */
export const parseWaitingMail = rowParser(waitingMail, 'The record of a mail');

/** What mails call the registry: the name that people gave it, or else its host. */
export async function registryName(state: Pick<StateStore, 'range'>, address: string): Promise<string> {
  return (await readBranding(state)).name ?? new URL(address).host;
}
