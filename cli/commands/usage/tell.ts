// `libretto tell`: a mail to the owners of the tokens and projects that use a package; without --yes its preview.

import { tellUsers } from '../../../proxy/usage/operations.ts';
import { noMail } from '../../../proxy/usage/tell-users.ts';
import type { ToldDocument } from '../../../proxy/usage/usage-schema.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composeMailing } from '../../compose/mailing.ts';
import { counted } from '../../io/output.ts';
import { parsePackageArgument } from '../../purge/package-command.ts';
import { operationCommand, type Noun } from '../operation-command.ts';
import { dayOf, usageNoun } from './usage.ts';

const noun: Noun<Parameters<typeof tellUsers.run>[0]> = {
  ...usageNoun,
  compose: async (opened, context) => {
    const { services, ...rest } = await usageNoun.compose(opened, context);
    const { sealer } = composeKeys(opened.config, context);
    const mailPlace = composeMailing(opened.config, context, { state: opened.state, sealer })?.parts;
    return { services: { ...services, mailPlace }, ...rest };
  },
};

export const { run } = operationCommand(
  noun,
  async ({ operands: [package_ = '', constraint], flags, config, call, print, report }) => {
    const name = parsePackageArgument(package_);
    const [vendor = '', project = ''] = name.split('/');
    const [subject, text] = [String(flags['subject']), String(flags['text'])];
    // the console of a remote registry shows the mail by itself
    const preview = config !== undefined && flags['yes'] !== true;
    const message = { vendor, package: project, constraint, since: dayOf(flags), subject, text };
    const told = await call(tellUsers, { ...message, ...(preview && { preview }) });
    (preview ? print : report)(told, describe);
  },
  { area: 'all', changes: true },
);

function describe({ sent, people, hidden, not_told: left, mail }: ToldDocument): readonly string[] {
  return [
    `${sent ? 'Sent' : 'Would be sent'} to ${counted(people.length, 'person', 'people')}:`,
    ...people.map(({ email, uses }) => `  ${email} (${uses.join(', ')})`),
    ...(hidden === 0 ? [] : [`  the owners of ${counted(hidden, 'token')} that you may not see`]),
    ...(left.length === 0 ? [] : ['Not told:']),
    ...left.map(({ description, reason }) => `  ${description}: ${reason}`),
    ...(sent ? [] : ['', mail ?? noMail, 'Nothing was sent. Send it with --yes.']),
  ];
}
