// `libretto notify mail`: shows how mails go, and stores or removes the password for the mail server.

import { Secret } from '../../../build/shared/text/secret.ts';
import { mailPasswordKey, storeMailPassword } from '../../../proxy/mail/mail-password.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { formatOrigin } from '../../config/config.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines, printWarnings } from '../../io/output.ts';
import { readPassword } from '../../io/password-input.ts';
import { UsageError } from '../../io/usage-error.ts';
import { describeMail, mailDocument } from './mail-document.ts';
import { assertMailServer } from './mail-server.ts';
import { runNotifyCommand, type NotifyCommand } from './notify-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const [stores, removes] = [given.flags['passwordStdin'] === true, given.flags['removePassword'] === true];
  if (stores && removes) throw new UsageError('Use --password-stdin or --remove-password, not both.');
  return runNotifyCommand(
    context,
    given,
    async (command) => {
      const said = stores ? await store(command) : removes ? await remove(command) : undefined;
      const document = await mailDocument(command);
      if (command.json) printJson(context.stdout, document);
      else if (said !== undefined) printLines(context.summary, [said]);
      else printLines(context.stdout, describeMail(document));
      return 0;
    },
    { makes: stores, changes: removes },
  );
}

/** Returns what it did. */
async function store({ context, config, state, sealer }: NotifyCommand): Promise<string> {
  const { mail } = config;
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
      `${formatOrigin(mail.origin)} holds a password too, which is used instead. Remove it there.`,
    ]);
  return `Stored the password of ${server.user} for ${server.address}, encrypted. Try it: \`libretto notify test --mail ADDRESS\`.`;
}

/** Returns what it did. */
async function remove({ context, state, sealer }: NotifyCommand): Promise<string> {
  if ((await state.get(mailPasswordKey)) === undefined) return 'No password for the mail server is stored.';
  await storeMailPassword({ store: storeOf(context, state), sealer, actor: context.actor }, undefined);
  return 'Removed the stored password for the mail server.';
}

function storeOf({ now }: Context, state: NotifyCommand['state']) {
  return createAuditedStore({ store: state, now: () => now().getTime() });
}
