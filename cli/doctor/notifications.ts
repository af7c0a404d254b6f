// The check of notifications: endpoints that fail, have ended or cannot be opened, and the mails. It sends nothing.

import { isValidAt } from '../../proxy/hooks/hook-record.ts';
import { whyUnreadable, type Sealer } from '../../proxy/keys/sealer.ts';
import { duePrefix } from '../../proxy/notifications/model/delivery.ts';
import { endpointKey, type EndpointRecord, listEndpoints } from '../../proxy/notifications/model/endpoint.ts';
import { readStatus } from '../../proxy/notifications/model/endpoint-status.ts';
import type { StateStore, StateEntry } from '../../proxy/core/state/state-store.ts';
import { composeKeys } from '../compose/keys.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { counted } from '../io/output.ts';
import { withStateIfAny } from '../state/open-state.ts';
import { runningServer } from '../state/running-server.ts';
import { ok, unserved, warning, type Finding, failed } from './finding.ts';
import { mailPasswordKey, parseMailPassword } from '../../proxy/mail/mail-password.ts';
import { mailStatusKey, parseMailStatus } from '../../proxy/mail/mail-sender.ts';
import { parseWaitingMail, waitingMailPrefix } from '../../proxy/mail/mail.ts';
import type { MailServer } from '../config/mail-settings.ts';
import { publicUrlOf } from '../config/public-url.ts';

// The check of mails: whether the configuration is complete, the password can be opened, the last mail went, and none
// waits for long. It sends none.

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
  const leftOut = unserved(config, 'notifications', 'mail', 'a mail server is configured', ': no mail is sent');
  if (leftOut.length > 0 || publicUrlOf(config) !== undefined) return leftOut;
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

const mostNamed = 10;

/** Returns no finding without endpoints and without mails. */
export async function check(config: Config, context: Context): Promise<readonly Finding[]> {
  return withStateIfAny(config, [], async (state) => {
    const { sealer } = composeKeys(config, context);

    const sends = (await runningServer(config, context.now())) !== undefined;
    return [
      ...(await checkEndpoints(config, state, sealer, { nowMs: context.now().getTime(), sends })),
      ...(await checkMails(config, state, sealer, context.now())),
    ];
  });
}

/** `sends`: a server runs. */
async function checkEndpoints(
  config: Config,
  state: StateStore,
  sealer: Sealer,
  { nowMs, sends }: { readonly nowMs: number; readonly sends: boolean },
): Promise<readonly Finding[]> {
  const endpoints = await listEndpoints(state);
  if (endpoints.length === 0) return [];
  const found = await Promise.all(
    endpoints.map(async (endpoint) => [
      ...ended(endpoint),
      ...(await failing(state, endpoint)),
      ...unreadable(sealer, endpoint, nowMs),
    ]),
  );
  const problems = found.flat().slice(0, mostNamed);
  const unsent = await Promise.all(endpoints.map(({ id }) => state.range(duePrefix(id), { limit: 1 })));
  return [
    ...(config.origin.value === undefined
      ? unserved(config, 'notifications', 'notification', 'addresses wait for events')
      : []),
    ...(problems.length > 0 ? problems : [summaryOf(endpoints)]),
    ...(sends || unsent.flat().length === 0 ? [] : [notRunning]),
  ];
}

function summaryOf(endpoints: readonly EndpointRecord[]): Finding {
  const disabled = endpoints.filter((one) => one.disabled !== null).length;
  const some = disabled === 0 ? '' : `; ${disabled} of them ${disabled === 1 ? 'is' : 'are'} disabled`;
  return ok(
    'notification',
    `${counted(endpoints.length, 'address is notified', 'addresses are notified')} of events; none fails${some}`,
  );
}

const notRunning = warning(
  'notification',
  'events wait to be sent, and no server of this registry runs',
  'Start the server: `libretto serve`. Events are sent by a server, and not by commands.',
);

/** The end by hand is wanted. */
function ended({ id, name, shown_url: url, disabled }: EndpointRecord): readonly Finding[] {
  const remove = `or remove it: \`libretto notify remove ${id} --yes\`.`;
  if (disabled === 'gone')
    return [
      warning(
        'notification',
        `${name} (${url}) gets no more events: it answered 410 (Gone)`,
        `Send again: \`libretto notify update ${id} --enable\`; ${remove}`,
      ),
    ];
  if (disabled === 'token ended')
    return [
      warning(
        'notification',
        `${name} (${url}) gets no more events: the token of its view was revoked or has expired`,
        `Give it another token: \`libretto notify update ${id} --view TOKEN --enable\`; ${remove}`,
      ),
    ];
  return [];
}

async function failing(state: StateStore, endpoint: EndpointRecord): Promise<readonly Finding[]> {
  const { id, name, shown_url: url, disabled } = endpoint;
  if (disabled !== null) return [];
  const { failures, failed_at: at, error } = await readStatus(state, id);
  if (failures === 0) return [];
  return [
    warning(
      'notification',
      `${name} (${url}) fails: ${counted(failures, 'failed attempt')}, the last at ${at ?? ''}: ${error ?? ''}`,
      `Repair the receiver, and try it: \`libretto notify test ${id}\`. Failed deliveries are sent again with ` +
        `\`libretto notify deliveries ${id} --replay EVENT\`.`,
    ),
  ];
}

function unreadable(sealer: Sealer, endpoint: EndpointRecord, nowMs: number): readonly Finding[] {
  const { id, name, url, shown_url: shown, secrets } = endpoint;
  const place = endpointKey(id);
  const finding = (what: string, reason: string, repair: string): Finding =>
    warning(
      'notification',
      `the ${what} of ${name} (${shown}) cannot be opened: ${reason}`,
      `Restore the key, or ${repair}`,
    );
  const address = whyUnreadable(sealer, url, place);
  const current = secrets.find((one) => isValidAt(one, nowMs));
  const secret = current === undefined ? undefined : whyUnreadable(sealer, current.sealed, place);
  return [
    ...(address === undefined
      ? []
      : [finding('address', address, `give the address again: \`libretto notify update ${id} --url-stdin\`.`)]),
    ...(secret === undefined
      ? []
      : [finding('secret', secret, `make a new one: \`libretto notify update ${id} --rotate --drop-old\`.`)]),
  ];
}
