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
import { purposes, refRules, workflowClaims } from '../../../proxy/publishers/model/publisher.ts';
import type { PublisherDraft, PublisherFields } from '../../../proxy/publishers/records/publisher-schema.ts';
import type { CommandInput } from '../../io/command.ts';
import { UsageError } from '../../io/usage-error.ts';
import { parseLimitFlags } from '../token/token-limit-flags.ts';

type Flags = CommandInput['flags'];

/** Throws UsageError. */
function publisherDraft(flags: Flags): PublisherDraft {
  const purpose = choiceOf('--purpose', purposes, flags['purpose'] ?? 'publish') ?? 'publish';
  return { ...fieldsOf(flags), issuer: String(flags['issuer']), purpose };
}

/** Only the given fields; `--clear` removes rules. Throws UsageError. */
function publisherPatch(flags: Flags): PublisherFields {
  const fields = fieldsOf(flags);
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const removed = clearedFields(flags['clear']);
  for (const name of Object.keys(removed))
    if (given[name] !== undefined && given[name] !== null)
      throw new UsageError(`--clear removes what another option sets (${name}). Use one of them.`);
  const patch: PublisherFields = { ...given, ...removed };
  if (Object.keys(patch).length === 0)
    throw new UsageError(
      'Nothing to change was given. Name at least one option of those that `libretto publisher update --help` shows.',
    );
  return patch;
}

function fieldsOf(flags: Flags): PublisherFields {
  const { package: packages, stability, notAfter } = flags;
  const { networks: _networks, ...view } = parseLimitFlags({ package: packages, stability, notAfter });
  return {
    ...view,
    name: text(flags['name']),
    repository: text(flags['repository']),
    repository_id: text(flags['repositoryId']),
    owner_id: text(flags['ownerId']),
    workflow: text(flags['workflow']),
    workflow_claim: choiceOf('--workflow-claim', workflowClaims, flags['workflowClaim']),
    environment: text(flags['environment']),
    refs: choiceOf('--refs', refRules, flags['refs']),
    claims: claimsOf(flags['claim'] as readonly string[] | undefined),
    token_minutes: numberOf('--minutes', flags['minutes']),
    exchanges_per_hour: numberOf('--exchanges', flags['exchanges']),
  };
}

function text(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

function claimsOf(given: readonly string[] | undefined): Readonly<Record<string, string>> | undefined {
  if (given === undefined) return undefined;
  const claims = new Map<string, string>();
  for (const one of given) {
    const [, claim = '', value = ''] = /^([^=]+)=(.+)$/su.exec(one) ?? [];
    if (claim === '')
      throw new UsageError(
        `--claim is ${JSON.stringify(one)}. Write NAME=VALUE, such as runner_environment=self-hosted.`,
      );
    if (claims.has(claim)) throw new UsageError(`--claim ${claim} is given twice. Write one value for it.`);
    claims.set(claim, value);
  }
  // defines each member, also one with the name __proto__, which is refused then
  return Object.fromEntries(claims);
}

const clearable: Readonly<Record<string, PublisherFields>> = {
  repository: { repository: null },
  ids: { repository_id: null, owner_id: null },
  workflow: { workflow: null },
  environment: { environment: null },
  claims: { claims: {} },
  packages: { packages: null, constraints: null },
  stability: { stability: null },
  'not-after': { not_after: null },
};

function clearedFields(words: unknown): PublisherFields {
  return Object.assign({}, ...((words as readonly string[] | undefined) ?? []).map(clearedBy)) as PublisherFields;
}

function clearedBy(word: string): PublisherFields {
  const fields = Object.hasOwn(clearable, word) ? clearable[word] : undefined;
  if (fields !== undefined) return fields;
  throw new UsageError(`--clear is ${JSON.stringify(word)}; allowed: ${Object.keys(clearable).join(', ')}.`);
}

function numberOf(flag: string, given: unknown): number | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && /^\d{1,6}$/.test(given)) return Number(given);
  throw new UsageError(`${flag} is ${JSON.stringify(given)}. Write a whole number, such as ${flag} 15.`);
}

function choiceOf<Choice extends string>(flag: string, choices: readonly Choice[], given: unknown): Choice | undefined {
  const found = choices.find((one) => one === given);
  if (given === undefined || found !== undefined) return found;
  throw new UsageError(`${flag} is ${JSON.stringify(given)}; allowed: ${choices.join(', ')}.`);
}

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
