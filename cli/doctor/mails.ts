// The check of mails: whether the configuration is complete, the password can be opened, the last mail went, and none
// waits for long. It sends none.

import { whyUnreadable, type Sealer } from '../../proxy/keys/sealer.ts';
import { mailPasswordKey, parseMailPassword } from '../../proxy/mail/mail-password.ts';
import { mailStatusKey, parseMailStatus } from '../../proxy/mail/mail-sender.ts';
import { parseWaitingMail, waitingMailPrefix } from '../../proxy/mail/mail.ts';
import type { StateEntry, StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import type { MailServer } from '../config/mail-settings.ts';
import { publicUrlOf } from '../config/public-url.ts';
import { counted } from '../io/output.ts';
import { failed, ok, warning, type Finding } from './finding.ts';

const longestWaitMs = 3_600_000;
const tryIt = '`libretto notify test --mail ADDRESS`';

/** Returns no finding without a mail server. */
export async function checkMails(
  config: Config,
  state: StateStore,
  sealer: Sealer,
  now: Date,
): Promise<readonly Finding[]> {
  const server = config.mail.value;
  const waiting = await waitingMails(state, now);
  if (server === undefined) return waiting.map((finding) => withoutServer(finding));
  const status = await state.get(mailStatusKey);
  const problems = [
    ...incomplete(config),
    ...wrongPassword(server, sealer, await state.get(mailPasswordKey)),
    ...lastFailed(status),
    ...waiting,
  ];
  if (problems.length > 0) return problems;
  const sentAt = status === undefined ? null : parseMailStatus(status.value).sent_at;
  return [
    ok('mail', `mails go to ${server.address}; ${sentAt === null ? 'none was sent yet' : `the last one at ${sentAt}`}`),
  ];
}

function withoutServer({ message }: Finding): Finding {
  return warning(
    'mail',
    `${message}; no mail server is configured`,
    'Set "mail" in libretto.json, and restart the server.',
  );
}

function incomplete(config: Config): readonly Finding[] {
  if (!config.features.value.includes('notifications'))
    return [
      warning(
        'mail',
        'a mail server is configured, but the configuration leaves out the feature notifications: no mail is sent',
        'Add notifications to "features" in libretto.json, and restart the server.',
      ),
    ];
  if (publicUrlOf(config) !== undefined) return [];
  // `serve` does not begin
  return [
    failed(
      'mail',
      'a mail server is configured, but not the address of the registry, which every mail contains',
      'Set "publicUrl" in libretto.json, such as "https://packages.example.org".',
    ),
  ];
}

function wrongPassword(
  { user, password, address }: MailServer,
  sealer: Sealer,
  stored: StateEntry | undefined,
): readonly Finding[] {
  if (user === undefined || password !== undefined) return [];
  const store = '`libretto notify mail --password-stdin`';
  if (stored === undefined)
    return [warning('mail', `there is no password of ${user} for ${address}`, `Store it: ${store}.`)];
  const reason = whyUnreadable(sealer, parseMailPassword(stored.value).sealed, mailPasswordKey);
  if (reason === undefined) return [];
  const message = `the password for ${address} cannot be opened: ${reason}`;
  return [warning('mail', message, `Restore the key, or store it again: ${store}.`)];
}

/** A later mail that went says that it is mended. */
function lastFailed(entry: StateEntry | undefined): readonly Finding[] {
  if (entry === undefined) return [];
  const { sent_at: sentAt, failed_at: failedAt, error } = parseMailStatus(entry.value);
  if (failedAt === null || (sentAt !== null && sentAt >= failedAt)) return [];
  return [
    warning(
      'mail',
      `the last mail failed at ${failedAt}: ${error ?? ''}`,
      `Repair the setting mail, and try it: ${tryIt}.`,
    ),
  ];
}

async function waitingMails(state: StateStore, now: Date): Promise<readonly Finding[]> {
  const created = (await state.range(waitingMailPrefix)).map(({ value }) => parseWaitingMail(value).created_at);
  const old = created.filter((at) => now.getTime() - Date.parse(at) > longestWaitMs).toSorted();
  if (old[0] === undefined) return [];
  return [
    warning(
      'mail',
      `${counted(old.length, 'mail waits', 'mails wait')} for more than an hour, the oldest since ${old[0]}`,
      `A running server sends mails: \`libretto serve\`. Try the mail server: ${tryIt}.`,
    ),
  ];
}
