// How mails go: the server, the sender, the password, the last mail, and those that wait.

import { mailPasswordKey, parseMailPassword } from '../../../proxy/mail/mail-password.ts';
import { mailStatusKey, parseMailStatus } from '../../../proxy/mail/mail-sender.ts';
import { parseWaitingMail, waitingMailPrefix } from '../../../proxy/mail/mail.ts';
import { whyUnreadable, type Sealer } from '../../../proxy/keys/sealer.ts';
import type { StateEntry, StateStore } from '../../../proxy/core/state/state-store.ts';
import { senderOf } from '../../compose/mailing.ts';
import { formatOrigin, type Config } from '../../config/config.ts';
import { counted, formatFields } from '../../io/output.ts';

export interface MailStatusParts {
  readonly config: Config;
  readonly state: StateStore;
  readonly sealer: Sealer;
}

export interface MailDocument {
  /** the address without the password; null: the registry sends no mail */
  readonly server: string | null;
  readonly from: string | null;
  /** `configuration` goes before `stored`; null: none */
  readonly password: 'configuration' | 'stored' | 'unreadable' | null;
  /** where the password is, or why there is none */
  readonly password_note: string;
  readonly last_sent_at: string | null;
  readonly last_failed_at: string | null;
  readonly last_error: string | null;
  readonly waiting: number;
  readonly oldest_waiting_at: string | null;
}

export async function mailDocument({ config, state, sealer }: MailStatusParts): Promise<MailDocument> {
  const [entry, stored, rows] = await Promise.all([
    state.get(mailStatusKey),
    state.get(mailPasswordKey),
    state.range(waitingMailPrefix),
  ]);
  const status = entry === undefined ? undefined : parseMailStatus(entry.value);
  const sends = config.mail.value !== undefined && config.features.value.includes('notifications');
  const { where, note } = passwordOf(config, sealer, stored);
  return {
    server: sends ? (config.mail.value?.address ?? null) : null,
    from: sends ? (senderOf(config) ?? null) : null,
    password: where,
    password_note: note,
    last_sent_at: status?.sent_at ?? null,
    last_failed_at: status?.failed_at ?? null,
    last_error: status?.error ?? null,
    waiting: rows.length,
    oldest_waiting_at:
      rows
        .map(({ value }) => parseWaitingMail(value).created_at)
        .toSorted()
        .at(0) ?? null,
  };
}

interface Password {
  readonly where: MailDocument['password'];
  readonly note: string;
}

function passwordOf({ mail }: Config, sealer: Sealer, stored: StateEntry | undefined): Password {
  const { value: server, origin } = mail;
  if (server?.password !== undefined) return { where: 'configuration', note: `from ${formatOrigin(origin)}` };
  if (stored !== undefined) return storedPassword(sealer, stored);
  if (server !== undefined && server.user === undefined)
    return { where: null, note: 'none is used: the address of the server names no user' };
  return { where: null, note: 'none; store one with `libretto notify mail --password-stdin`' };
}

function storedPassword(sealer: Sealer, stored: StateEntry): Password {
  const reason = whyUnreadable(sealer, parseMailPassword(stored.value).sealed, mailPasswordKey);
  if (reason === undefined) return { where: 'stored', note: 'stored in the state, encrypted' };
  return { where: 'unreadable', note: `${reason}. Store it again: \`libretto notify mail --password-stdin\`` };
}

export function describeMail(document: MailDocument): string[] {
  const { server, from, waiting, oldest_waiting_at: oldest, last_error: error } = document;
  const { last_sent_at: sent, last_failed_at: failed } = document;
  return formatFields([
    ['server', server ?? 'none: the registry sends no mail. Set "mail" in libretto.json'],
    ['from', from ?? (server === null ? 'nobody' : 'unknown: set "publicUrl" or "mailFrom" in libretto.json')],
    ['password', document.password_note],
    ['last sent', sent === null ? 'never' : seconds(sent)],
    ['last failed', failed === null ? 'never' : `${seconds(failed)}: ${error ?? ''}`],
    ['waiting', `${counted(waiting, 'mail')}${oldest === null ? '' : `, the oldest since ${seconds(oldest)}`}`],
  ]);
}

function seconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
