// The commands about the mails of this registry: `libretto notify mail` shows how they go, and stores or removes the
// password for the mail server; `libretto notify test --mail` sends one. They are about the configuration of a host, so
// that they have no remote form.

import { Secret } from '../../../build/shared/text/secret.ts';
import { parseEmail } from '../../../proxy/auth/email.ts';
import type { StateStore, StateEntry } from '../../../proxy/core/state/state-store.ts';
import { mailPasswordKey, storeMailPassword, parseMailPassword } from '../../../proxy/mail/mail-password.ts';
import { sendTestMail } from '../../../proxy/mail/test-mail.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { openCommandState, type Opening } from '../../compose/command-state.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composeMailing, senderOf } from '../../compose/mailing.ts';
import { formatOrigin, type Config } from '../../config/config.ts';
import type { MailServer } from '../../config/mail-settings.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines, printProblems, printWarnings, counted, formatFields } from '../../io/output.ts';
import { readPassword } from '../../io/password-input.ts';
import { UsageError } from '../../io/usage-error.ts';
import { remoteOf } from '../../remote/remote.ts';
import type { CommandModule } from '../command-parts.ts';
import { mailStatusKey, parseMailStatus } from '../../../proxy/mail/mail-sender.ts';
import { parseWaitingMail, waitingMailPrefix } from '../../../proxy/mail/mail.ts';
import { whyUnreadable, type Sealer } from '../../../proxy/keys/sealer.ts';

// How mails go: the server, the sender, the password, the last mail, and those that wait.

interface MailStatusParts {
  readonly config: Config;
  readonly state: StateStore;
  readonly sealer: Sealer;
}

interface MailDocument {
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

async function mailDocument({ config, state, sealer }: MailStatusParts): Promise<MailDocument> {
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

function describeMail(document: MailDocument): string[] {
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

interface MailCommand extends MailStatusParts {
  readonly context: Context;
  readonly json: boolean;
}

async function runMailCommand(
  context: Context,
  given: CommandInput,
  work: (command: MailCommand) => Promise<number>,
  opening: Opening,
): Promise<number> {
  // `notify test --mail` names a person, and the setting of this name the mail server
  const { mail: _, ...flags } = given.flags;
  const { config, state } = await openCommandState(context, flags, opening);
  try {
    const { sealer } = composeKeys(config, context);
    return await work({ context, config, state, sealer, json: flags['json'] === true });
  } finally {
    await state.close();
  }
}

export const mail: CommandModule = {
  run: (context, given) => {
    const [stores, removes] = [given.flags['passwordStdin'] === true, given.flags['removePassword'] === true];
    if (stores && removes) throw new UsageError('Use --password-stdin or --remove-password, not both.');
    const work = async (command: MailCommand): Promise<number> => {
      const said = stores ? await store(command) : removes ? await remove(command) : undefined;
      const document = await mailDocument(command);
      if (command.json) printJson(context.stdout, document);
      else if (said !== undefined) printLines(context.summary, [said]);
      else printLines(context.stdout, describeMail(document));
      return 0;
    };
    return runMailCommand(context, given, work, { makes: stores, changes: removes });
  },
};

/** Exit code 1: the mail server did not take it. */
export const testMail: CommandModule = {
  run: async (context, given) => {
    if ((await remoteOf(given.flags, context)) !== undefined)
      throw new UsageError(
        '--mail sends a mail with the configuration of this machine. Leave out --url, or add --data.',
      );
    const address = String(given.flags['mail']);
    return runMailCommand(context, given, (command) => sendTest(command, address), { changes: true });
  },
};

async function sendTest({ context, config, state, sealer, json }: MailCommand, address: string): Promise<number> {
  const to = parseEmail(address);
  if (to === undefined)
    throw new UsageError(
      `--mail is ${JSON.stringify(address.slice(0, 80))}; allowed: an address such as ada@example.org.`,
    );
  const server = assertMailServer(config);
  const mailing = composeMailing(config, context, { state, sealer });
  if (mailing === undefined) throw new Error('the mail server was configured a moment ago');
  const { transport } = mailing;
  const registry = await mailing.registry();
  const { randomBytes, now } = context;
  const failure = await sendTestMail({ state, transport, registry, randomBytes, now: () => now().getTime() }, to);
  const error = failure?.message ?? null;
  if (json) printJson(context.stdout, { to, sent: error === null, error });
  else if (error === null)
    printLines(context.summary, [`The mail server ${server.address} took the test mail to ${to}.`]);
  if (error !== null) printProblems(context.stderr, [`The test mail to ${to} was not sent. ${error}`]);
  return error === null ? 0 : 1;
}

/** Throws UsageError if the registry sends no mail. */
function assertMailServer({ mail: { value: server }, features }: Pick<Config, 'mail' | 'features'>): MailServer {
  if (server === undefined)
    throw new UsageError(
      'No mail server is configured. Set "mail" in libretto.json, such as "smtp://USER@mail.example.org:587", or ' +
        'LIBRETTO_MAIL.',
    );
  if (!features.value.includes('notifications'))
    throw new UsageError(
      'The registry sends no mail: its configuration leaves out the feature notifications. Add it to "features" in ' +
        'libretto.json.',
    );
  return server;
}

/** Returns what it did. */
async function store({ context, config, state, sealer }: MailCommand): Promise<string> {
  const server = assertMailServer(config);
  if (server.user === undefined)
    throw new UsageError(
      `The mail server ${server.address} is configured without a user, so that no password is used. Write the user ` +
        `before the host: smtp://USER@${server.host}:${server.port}.`,
    );
  const password = new Secret(await readPassword(context, true));
  await storeMailPassword({ store: storeOf(context, state), sealer, actor: context.actor }, password);
  if (server.password !== undefined)
    printWarnings(context.stderr, [
      `${formatOrigin(config.mail.origin)} holds a password too, which is used instead. Remove it there.`,
    ]);
  return `Stored the password of ${server.user} for ${server.address}, encrypted. Try it: \`libretto notify test --mail ADDRESS\`.`;
}

/** Returns what it did. */
async function remove({ context, state, sealer }: MailCommand): Promise<string> {
  if ((await state.get(mailPasswordKey)) === undefined) return 'No password for the mail server is stored.';
  await storeMailPassword({ store: storeOf(context, state), sealer, actor: context.actor }, undefined);
  return 'Removed the stored password for the mail server.';
}

function storeOf({ now }: Context, state: StateStore) {
  return createAuditedStore({ store: state, now: () => now().getTime() });
}
