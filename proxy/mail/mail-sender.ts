// Sends waiting mails when they are due, one after the other. A mail that the server puts off is tried again, with
// growing waits; what the server refuses for good, and what is out of date, is dropped and reported.

import { z } from 'zod';
import type { JsonObject } from '../../build/contract/json.ts';
import type { Sealer } from '../keys/sealer.ts';
import { rowParser, type RowOf } from '../state/rows.ts';
import type { StateChange, StateEntry, StateStore } from '../core/state/state-store.ts';
import { openContent, parseWaitingMail, waitingMailKey, waitingMailPrefix, type WaitingMail } from './mail.ts';
import type { MailTransport, SendFailure } from './transport.ts';

export interface MailSenderParts {
  readonly state: StateStore;
  readonly sealer: Sealer;
  readonly transport: MailTransport;
  /** epoch milliseconds */
  readonly now: () => number;
  /** receives the reason of a mail that is dropped, without its content */
  readonly onDropped: (mail: Pick<WaitingMail, 'id' | 'kind'>, reason: string) => void;
  readonly onError: (error: unknown) => void;
}

/** How mails went, for people and for `libretto doctor`. */
const mailStatus = z.object({
  /** RFC 3339 UTC; null: never */
  sent_at: z.string().nullable(),
  failed_at: z.string().nullable(),
  /** of the last failure */
  error: z.string().nullable(),
});
export type MailStatus = RowOf<typeof mailStatus>;

export const mailStatusKey = 'mail-status/server';

/** Throws StateError for a value that is no status. */
export const parseMailStatus = rowParser(mailStatus, 'The status of mails');

const minute = 60_000;
/** Waits after failures; greylisting servers take a mail after some minutes. */
const waits: readonly number[] = [1, 3, 5, 10, 20, 30, 60, 120, 240].map((minutes) => minutes * minute);
const mailsAtOnce = 20;

export function createMailSender(parts: MailSenderParts) {
  let sending: Promise<void> | undefined;
  let isClosed = false;
  let isIdle = false;
  return {
    /** Begins to send what is due. False: nothing was due at the last look. */
    look: (): Promise<boolean> => {
      sending ??= sendDue(parts, () => isClosed)
        .then((sent) => void (isIdle = sent === 0))
        .catch(parts.onError)
        .finally(() => {
          sending = undefined;
        });
      // a slow mail server must not hold up webhooks
      return Promise.resolve(!isIdle);
    },
    /** Resolves when nothing is being sent. */
    idle: async () => sending,
    close: async (): Promise<void> => {
      isClosed = true;
      await Promise.race([sending, new Promise((resolve) => void setTimeout(resolve, 1000).unref())]);
    },
  };
}

/** The number of mails that were due. */
async function sendDue(parts: MailSenderParts, isClosed: () => boolean): Promise<number> {
  const { state, now } = parts;
  const rows = await state.range(waitingMailPrefix, { limit: mailsAtOnce });
  const due = rows.filter(({ value }) => Date.parse(parseWaitingMail(value).next_at) <= now());
  for (const entry of due) {
    if (isClosed()) break;
    await sendOne(parts, entry);
  }
  return due.length;
}

async function sendOne(parts: MailSenderParts, entry: StateEntry): Promise<void> {
  const { sealer, transport, now, onDropped } = parts;
  const mail = parseWaitingMail(entry.value);
  if (now() >= Date.parse(mail.ends_at)) {
    await settle(parts, entry, mail, { message: 'it could not be sent in time', isFinal: true }, true);
    return onDropped(mail, 'it could not be sent in time');
  }
  const content = ((): ReturnType<typeof openContent> | Error => {
    try {
      return openContent(sealer, mail);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  })();
  const failure: SendFailure =
    content instanceof Error
      ? { message: content.message, isFinal: true }
      : await transport.send({ ...content, to: mail.to, id: mail.id });
  await settle(parts, entry, mail, failure, false);
  if (failure?.isFinal === true) onDropped(mail, failure.message);
}

/** Commits the outcome of a mail as the status, with `change`. False: another came first. */
export async function noteOutcome(
  { state, now }: Pick<MailSenderParts, 'state' | 'now'>,
  failure: SendFailure,
  { conditions, puts, deletes }: StateChange = { conditions: [], puts: [], deletes: [] },
): Promise<boolean> {
  const entry = await state.get(mailStatusKey);
  const before = entry === undefined ? { sent_at: null, failed_at: null, error: null } : parseMailStatus(entry.value);
  const at = new Date(now()).toISOString();
  const next = failure === null ? { ...before, sent_at: at } : { ...before, failed_at: at, error: failure.message };
  return state.commit({
    conditions: [...conditions, { key: mailStatusKey, revision: entry?.revision ?? null }],
    puts: [...puts, { key: mailStatusKey, value: next }],
    deletes,
    quiet: true,
  });
}

/** `isLate`: its time is over, which says nothing new about the mail server. */
async function settle(
  parts: MailSenderParts,
  { key, revision }: StateEntry,
  mail: WaitingMail,
  failure: SendFailure,
  isLate: boolean,
): Promise<void> {
  const { state, now } = parts;
  const conditions = [{ key, revision }];
  for (;;) {
    const wait = failure === null || failure.isFinal ? undefined : (waits[mail.failures] ?? waits.at(-1));
    const again =
      wait === undefined
        ? undefined
        : { ...mail, failures: mail.failures + 1, next_at: new Date(now() + wait).toISOString() };
    const puts =
      again === undefined ? [] : [{ key: waitingMailKey(again), value: { ...again } as unknown as JsonObject }];
    const deletes = again !== undefined && waitingMailKey(again) === key ? [] : [key];
    const change = { conditions, puts, deletes };
    const done = isLate ? await state.commit({ ...change, quiet: true }) : await noteOutcome(parts, failure, change);
    if (done || (await state.get(key))?.revision !== revision) return;
  }
}
