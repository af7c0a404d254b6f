// `libretto notify`: the commands about the addresses that are notified of events. Those about mails are in mail.ts.

import { RegistryError } from '../../../build/contract/errors.ts';
import { createCatalogue } from '../../../proxy/packages/catalogue.ts';
import { createLocalPublishedFiles } from '../../../proxy/core/tree/published-files.ts';
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  listNotificationDeliveries,
  replayNotifications,
  rotateEndpointSecret,
  testEndpoint,
  turnings,
  updateEndpoint,
  type EndpointServices,
} from '../../../proxy/notifications/operations.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composeNotifying } from '../../compose/notifying.ts';
import { parseWholeNumber } from '../../config/setting-values.ts';
import type { CommandInput } from '../../io/command.ts';
import { counted, printLines, printProblems, printWarnings } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { describeDeliveries, describeEndpoint, describeEndpoints, describeResult } from '../../text/endpoint-text.ts';
import type { CommandModule } from '../command-parts.ts';
import { operationCommand, type Noun } from '../operation-command.ts';
import { endpointDraft, endpointPatch, replayRange } from './endpoint-flags.ts';
import { testMail } from './mail.ts';
import { printIssued, senderSentence, warnOf, type NotifyCommand } from './print-endpoint.ts';

const insteadOfUrl = 'For another address of the endpoint, use --to.';

const noun: Noun<EndpointServices> = {
  name: 'notify',
  thing: 'endpoint',
  flags: { url: 'the address', events: '--event', packages: '--package' },
  compose: ({ config, state }, context) => {
    const { sealer } = composeKeys(config, context);
    const catalogue = createCatalogue(createLocalPublishedFiles(config.data.value));
    const { close, ...notifying } = composeNotifying(config, context, { state, sealer, catalogue });
    return { services: { ...notifying, state }, close };
  },
};

export const list = operationCommand(noun, async ({ all, json, context, print }) => {
  const endpoints = await all(listEndpoints);
  if (endpoints.length === 0 && !json)
    printLines(context.remarks, [
      'No address is notified of events. `libretto notify add --help` shows how to add one.',
    ]);
  else print({ endpoints }, () => describeEndpoints(endpoints));
});

const shownDeliveries = 10;

export const show = operationCommand(noun, async ({ call, operands: [id = ''], json, context, print }) => {
  const endpoint = await call(getEndpoint, { id });
  const page = await call(listNotificationDeliveries, { id: endpoint.id, limit: shownDeliveries });
  print({ ...endpoint, deliveries: page.data }, () => [
    ...describeEndpoint(endpoint),
    '',
    ...describeDeliveries(page.data),
  ]);
  if (page.next_cursor !== null && !json)
    printLines(context.remarks, ['', `\`libretto notify deliveries ${endpoint.id}\` lists more of them.`]);
});

export const add = operationCommand(
  { ...noun, formerUrl: 'Write the address of the endpoint without an option.' },
  async (command) => {
    const { call, context, config, operands } = command;
    const issued = await call(createEndpoint, endpointDraft(command, context.workingDirectory, config === undefined));
    await printIssued(command, issued, true);
    await warnOf(command, issued, operands[0]);
  },
  { makes: true },
);

export const update = operationCommand(
  { ...noun, formerUrl: insteadOfUrl },
  async (command) => {
    const { flags, operands, call, report, context, config } = command;
    const id = operands[0] ?? '';
    const [rotates, dropOld] = [flags['rotate'] === true, flags['dropOld'] === true];
    if (dropOld && !rotates) throw new UsageError('--drop-old belongs to --rotate.');
    const patch = endpointPatch(flags, context.workingDirectory);
    const changed = Object.entries(patch).filter(([, value]) => value !== undefined);
    if (rotates && changed.length > 0)
      throw new UsageError('--rotate makes a new secret, and changes nothing else. Change the fields in another call.');
    if (!rotates && changed.length === 0) throw nothingToChange(flags);
    if (rotates)
      return printIssued(command, await call(rotateEndpointSecret, { id, ...(dropOld && { drop_old: true }) }), false);
    const operation = patch.enabled === undefined ? updateEndpoint : turnings[patch.enabled ? 'on' : 'off'];
    if (config === undefined && operation !== updateEndpoint && changed.length > 1)
      throw new UsageError('With --url, use --enable and --disable without other changes: each is a form of its own.');
    const endpoint = await call(operation, { id, ...patch });
    report(endpoint, describeEndpoint);
    await warnOf(command, endpoint, flags['to']);
  },
  { changes: true },
);

function nothingToChange({ url }: CommandInput['flags']): UsageError {
  return new UsageError(
    'Nothing to change was given. Name at least one flag of those that `libretto notify update --help` shows.' +
      (url === undefined ? '' : ` --url names a registry. ${insteadOfUrl}`),
  );
}

export const remove = operationCommand(
  noun,
  async ({ call, operands, confirm, report }) => {
    const { id, name, url } = await call(getEndpoint, { id: operands[0] ?? '' });
    confirm(
      `remove ${id} (${name}, ${url})`,
      'Its secrets and its deliveries are forgotten, and what still waits is not sent. ' +
        `\`libretto notify update ${id} --disable\` only stops it.`,
    );
    report(await call(deleteEndpoint, { id }), () => [`Removed the endpoint ${id} (${name}, ${url}).`]);
  },
  { changes: true },
);

/** Exit code 1: it did not arrive. */
export const test: CommandModule = {
  run: (context, given) => {
    if ((given.operands[0] === undefined) === (given.flags['mail'] === undefined))
      throw new UsageError('Name one thing to test: an endpoint by its id, or an e-mail address with --mail ADDRESS.');
    return (given.flags['mail'] === undefined ? endpointTest : testMail).run(context, given);
  },
};

const endpointTest = operationCommand(
  noun,
  async ({ call, operands, context, json, report }) => {
    const { id, name, url, enabled } = await call(getEndpoint, { id: operands[0] ?? '' });
    const delivery = await call(testEndpoint, { id });
    const isDelivered = delivery.state === 'delivered';
    const text = `The test of ${name} (${url}): ${describeResult(delivery)}`;
    if (json || isDelivered) report(delivery, () => [`${text}.`]);
    if (!isDelivered) printProblems(context.stderr, [text]);
    if (!enabled && !json)
      printLines(context.remarks, [
        `The endpoint is disabled: only tests are sent. \`libretto notify update ${id} --enable\` enables it.`,
      ]);
    return isDelivered ? 0 : 1;
  },
  { changes: true },
);

export const deliveries: CommandModule = {
  run: (context, given) => {
    const { limit: text } = given.flags;
    const limit = text === undefined ? 20 : parseWholeNumber(text, 1, 10_000);
    if (limit === undefined)
      throw new UsageError(`--limit is ${JSON.stringify(text)}; allowed: a whole number from 1 to 10000.`);
    const range = replayRange(given.flags);
    return operationCommand(noun, (command) => listOrReplay(command, limit, range), {
      changes: range !== undefined,
    }).run(context, given);
  },
};

async function listOrReplay(
  { call, all, operands, json, context, config, print }: NotifyCommand,
  limit: number,
  range: ReturnType<typeof replayRange>,
): Promise<void> {
  const { id, enabled } = await call(getEndpoint, { id: operands[0] ?? '' });
  const replayed = range && (await call(replayNotifications, { id, ...range }).catch(unknownEvent(id))).deliveries;
  if (json || replayed === undefined) {
    const newest = await all(listNotificationDeliveries, { id }, limit);
    print({ endpoint: id, replayed: replayed ?? null, deliveries: newest }, () => describeDeliveries(newest));
  } else if (replayed === 0) printLines(context.summary, ['No delivery is of this time. Nothing is sent again.']);
  else {
    printLines(context.summary, [`${counted(replayed, 'delivery is', 'deliveries are')} due now.`]);
    printLines(context.remarks, await senderSentence(config, context, 'deliveries'));
  }
  if (replayed !== undefined && !enabled)
    printWarnings(context.stderr, [
      `The endpoint is disabled, so that nothing is sent. Enable it: \`libretto notify update ${id} --enable\`.`,
    ]);
}

function unknownEvent(id: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof RegistryError) || error.code !== 'NOT_FOUND') throw error;
    throw new UsageError(`${error.message} \`libretto notify deliveries ${id}\` lists them.`, { cause: error });
  };
}
