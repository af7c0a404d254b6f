// `libretto publisher`: the commands about trusted publishers.

import {
  createPublisher,
  deletePublisher,
  explainIdToken,
  getPublisher,
  listPublishers,
  publisherRemoval,
  updatePublisher,
  type PublisherServices,
} from '../../../proxy/publishers/operations.ts';
import { composePublishing } from '../../compose/publishing.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import { counted, printLines, printWarnings } from '../../io/output.ts';
import { firstLine, secretIn } from '../../io/secret-file.ts';
import { describeExplanation, describePublisher, describePublishers } from '../../text/publisher-text.ts';
import { operationCommand, type Noun, type OperationCommand } from '../operation-command.ts';
import { warnOfUnmatchedPatterns } from '../token/unmatched-patterns.ts';
import { publisherDraft, publisherPatch } from './publisher-flags.ts';

const noun: Noun<PublisherServices> = {
  name: 'publisher',
  flags: {
    packages: '--package',
    constraints: '--package',
    claims: '--claim',
    token_minutes: '--minutes',
    exchanges_per_hour: '--exchanges',
  },
  compose: ({ config, state }, context) => {
    const { publishing, close } = composePublishing(config, context, { state });
    return { services: { ...publishing, state }, close };
  },
};

export const list = operationCommand(noun, async ({ all, json, context, print }) => {
  const publishers = await all(listPublishers);
  if (publishers.length === 0 && !json)
    printLines(context.remarks, [
      'There is no trusted publisher. `libretto publisher add --help` shows how to add one.',
    ]);
  else print({ publishers }, () => describePublishers(publishers));
});

export const show = operationCommand(noun, async ({ call, operands: [id = ''], print }) =>
  print(await call(getPublisher, { id }), describePublisher),
);

export const add = operationCommand(
  noun,
  async (command) => {
    const publisher = await command.call(createPublisher, publisherDraft(command.flags));
    command.report(publisher, describePublisher);
    warnWithoutAddress(command);
    if (publisher.ids === 'unknown' && !command.json)
      printLines(command.context.remarks, [
        '',
        'The first exchange pins the ids of the repository. To pin them now, use --repository-id and --owner-id with ' +
          `\`libretto publisher update ${publisher.id}\`.`,
      ]);
    // a package that is published may exist later
    if (publisher.purpose === 'read' && command.config !== undefined)
      await warnOfUnmatchedPatterns(command.context, command.config, publisher);
  },
  { makes: true },
);

export const update = operationCommand(
  noun,
  async (command) => {
    const { flags, operands } = command;
    const publisher = await command.call(updatePublisher, { id: operands[0] ?? '', ...publisherPatch(flags) });
    const { revoked_tokens: revoked } = publisher;
    command.report(publisher, (document) => [
      ...describePublisher(document),
      ...(revoked > 0 ? ['', `Revoked ${counted(revoked, 'token')} that it had given out.`] : []),
    ]);
    warnWithoutAddress(command);
  },
  { changes: true },
);

export const remove = operationCommand(
  noun,
  async ({ call, operands: [id = ''], confirm, report }) => {
    const { id: found, name } = await call(getPublisher, { id });
    confirm(`remove the publisher ${found} (${name})`, publisherRemoval);
    report(await call(deletePublisher, { id: found }), () => [
      `Removed the publisher ${found} (${name}). Its tokens are revoked.`,
    ]);
  },
  { changes: true },
);

/** Exit code 0 if the ID token gets a token, 1 if not. */
export const explain = operationCommand(noun, async ({ call, flags, context, print }) => {
  const secret = secretIn(flags['tokenFile'], context.workingDirectory, 'ID token');
  const explanation = await call(explainIdToken, { token: firstLine(secret, 'ID token').trim() });
  print(explanation, describeExplanation);
  return explanation.publishers.some(({ token }) => token !== null) ? 0 : 1;
});

/** A remote registry answers under an address that it knows. */
function warnWithoutAddress({ config, context }: OperationCommand<PublisherServices>): void {
  if (config === undefined || publicUrlOf(config) !== undefined) return;
  printWarnings(context.stderr, [
    'This registry does not know its own address, so no job can exchange yet. Set "publicUrl" in libretto.json, or ' +
      'LIBRETTO_PUBLIC_URL, to the address that clients use.',
  ]);
}
