// `libretto tell`: a mail to the owners of the tokens and projects that use a package; without --yes its preview.

import { tellUsers } from '../../../proxy/usage/operations.ts';
import { noMail, nobody, toldLines } from '../../../proxy/usage/tell-users.ts';
import type { ToldDocument } from '../../../proxy/usage/usage-schema.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composeMailing } from '../../compose/mailing.ts';
import { counted } from '../../io/output.ts';
import { parsePackageArgument } from '../../purge/package-command.ts';
import { operationCommand } from '../operation-command.ts';
import { usageNoun } from './usage.ts';

const noun: typeof usageNoun = {
  ...usageNoun,
  thing: 'message',
  compose: async (opened, context) => {
    const { services, ...rest } = await usageNoun.compose(opened, context);
    const { sealer } = composeKeys(opened.config, context);
    const mailPlace = composeMailing(opened.config, context, { ...opened, sealer })?.parts;
    return { services: { ...services, mailPlace }, ...rest };
  },
};

export const { run } = operationCommand(
  noun,
  async ({ operands: [text = '', constraint], flags, config, call, report }) => {
    const [vendor = '', project = ''] = parsePackageArgument(text).split('/');
    const words = { subject: String(flags['subject']), text: String(flags['text']) };
    // the form of a remote registry shows the mail by itself
    const preview = config !== undefined && flags['yes'] !== true ? { preview: true } : {};
    report(await call(tellUsers, { vendor, package: project, constraint, ...words, ...preview }), describe);
  },
  { area: 'all', changes: true },
);

function describe({ sent, people, mail, ...told }: ToldDocument): readonly string[] {
  const preview = people === 0 ? ['', nobody] : ['', mail ?? noMail, 'Nothing was sent. Send it with --yes.'];
  return [`To ${counted(people, 'person', 'people')}:`, ...toldLines(told), ...(sent ? [] : preview)];
}
