// `libretto start`, which `npm start` runs: build, serve, a first token, and the lines that install a package with
// Composer.

import { join } from 'node:path';

import { BuildBusy, WithdrawalRefused } from '../../../build/contract/refusals.ts';
import type { Tokens } from '../../../proxy/auth/tokens.ts';
import { localUrl } from '../../text/address.ts';
import { announcement, setupLines } from '../../serve/announcement.ts';
import { describeOutcome, describeProblems } from '../../text/build-report-text.ts';
import { buildRequest } from '../../builds/build-request.ts';
import { formatOrigin, type Config } from '../../config/config.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { installLines } from '../../text/install-lines.ts';
import { printChanges, printLines, printProblems, printWarnings, revealSecret } from '../../io/output.ts';
import type { Given } from '../../io/command.ts';
import { readPublishedTree, type PublishedTree } from '../../tree/published-tree.ts';
import { buildWithRegistered } from '../../sync/registered-in-state.ts';
import { openService } from '../../serve/service.ts';
import type { LogTarget } from '../../config/setting-values.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { stopSignal } from '../../io/stop-signal.ts';
import { UsageError } from '../../io/usage-error.ts';
import { assertWholeState } from '../../state/verify-state.ts';

export async function run(context: Context, { flags }: Given): Promise<number> {
  const { stderr, remarks } = context;
  const config = await makeOrReadDataFolder(context, flags, 'all');
  if (config.origin.value !== undefined)
    throw new UsageError(
      `\`libretto start\` serves its own build, but the tree is at an origin ` +
        `(${formatOrigin(config.origin.origin)}). Run \`libretto serve\` here, and \`libretto build\` on the ` +
        'building host.',
    );
  await assertWholeState(config);
  const stoppedWith = await buildAll(await withStateSettings(config, context), context);
  if (stoppedWith !== undefined) return stoppedWith;
  const log = requestLog(config);
  const service = await openService(config, context, log);
  const stopped = stopSignal(context, {
    onHangUp: stderr.isTTY === true ? undefined : service.hangUp,
    onCrash: service.logCrash,
  });
  const tree = readPublishedTree(config.data.value);
  printLines(remarks, announcement({ ...service, tree, mirrors: await service.mirrors(), now: context.now() }));
  if (log.to === 'file') printLines(remarks, [`Requests are logged to ${log.path}.`]);
  if (tree !== undefined)
    await explainInstallation({
      context,
      config,
      tokens: service.tokens,
      url: localUrl(service.host, service.port, service.certificate),
      tree,
    });
  const setup = setupLines(await service.offerSetup());
  printLines(stderr, setup.length > 0 ? ['', ...setup] : []);
  printLines(remarks, ['', 'Press Ctrl+C to stop.']);
  const exitCode = await stopped;
  await service.close();
  return exitCode;
}

/** The exit code of a build that was stopped, and with it all that was to follow. */
async function buildAll(config: Config, context: Context): Promise<number | undefined> {
  const { workingDirectory, stderr, actor } = context;
  const request = buildRequest(config, {
    sources: [],
    forget: [],
    strict: false,
    allowRepublish: false,
    workingDirectory,
    by: { actor, command: 'start' },
  });
  try {
    const report = await buildWithRegistered(request, config, context);
    if ('exitCode' in report) return report.exitCode;
    printChanges(context.remarks, describeOutcome(report, false));
    printProblems(stderr, describeProblems(report));
  } catch (error) {
    if (
      !(error instanceof BuildBusy || error instanceof WithdrawalRefused) ||
      readPublishedTree(config.data.value) === undefined
    )
      throw error;
    printWarnings(stderr, [`${error.message} The published versions are still served.`]);
  }
  return undefined;
}

/** The terminal is for people here: requests go to a file by default. */
function requestLog({ log, data }: Config): LogTarget {
  return log.origin.from === 'default' ? { to: 'file', path: join(data.value, 'log', 'requests.log') } : log.value;
}

interface Explained {
  readonly context: Context;
  readonly config: Config;
  readonly tokens: Tokens;
  readonly url: string;
  readonly tree: PublishedTree;
}

async function explainInstallation({ context, config, tokens, url, tree }: Explained): Promise<void> {
  const { stdout, stderr } = context;
  const packageName = tree.names.includes('acme/hello') ? 'acme/hello' : tree.names[0];
  if (packageName === undefined) return;
  const isFirst = (await tokens.list()).length === 0;
  const token = isFirst
    ? revealSecret((await tokens.create({ description: 'first token, made at the first start', kind: 'read' })).secret)
    : 'YOUR_TOKEN';
  printLines(stderr, [
    '',
    `To install ${packageName} with Composer, paste these lines into a shell in an empty folder.`,
  ]);
  if (isFirst) printLines(stderr, ['They contain a new token that is shown only once.', '']);
  else
    printLines(stderr, [
      'Replace YOUR_TOKEN with a token. Existing tokens cannot be shown again; this command creates one:',
      '',
      `  ${creation(context, config)}`,
      '',
    ]);
  printLines(
    stdout,
    installLines({ url, token, packageName }).map((line) => `  ${line}`),
  );
  if (isFirst)
    await stdout.delivered(
      'The first token was created, but its secret could not be printed. `libretto token list` shows its id; ' +
        'revoke it and create another.',
    );
}

function creation({ invocation }: Context, { data }: Config): string {
  const elsewhere = data.origin.from === 'flag' ? ` --data '${data.value.replaceAll("'", String.raw`'\''`)}'` : '';
  return `${invocation} token create --description "NAME"${elsewhere}`;
}
