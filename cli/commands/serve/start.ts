// `libretto start`, which `npm start` runs: build, serve, a first token, and the lines that install a package with
// Composer.

import { join } from 'node:path';

import { BuildBusy, NothingToBuild, WithdrawalRefused } from '../../../build/contract/refusals.ts';
import type { Tokens } from '../../../proxy/auth/tokens.ts';
import { announcement } from '../../serve/announcement.ts';
import { printFirstSteps } from '../../serve/first-steps.ts';
import { describeOutcome, describeProblems } from '../../text/build-report-text.ts';
import { shownReport } from '../../builds/shown-sources.ts';
import { buildRequest } from '../../builds/build-request.ts';
import { formatOrigin, type Config } from '../../config/config.ts';
import { classifyFolder } from '../../data-folder/data-folder-traces.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { installLines } from '../../../build/shared/text/install-lines.ts';
import { printChanges, printLines, printProblems, printWarnings, revealSecret } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';
import { chooseInstallable } from '../../tree/installable.ts';
import { readPublishedTree, type TreeContents } from '../../tree/published-tree.ts';
import { buildWithRegistered } from '../../sync/registered-in-state.ts';
import { openService } from '../../serve/service.ts';
import { refuseTakenAddress } from '../../serve/refuse-taken-address.ts';
import type { LogTarget } from '../../config/setting-values.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { stopSignal } from '../../io/stop-signal.ts';
import { UsageError } from '../../io/usage-error.ts';
import { assertWholeState } from '../../state/verify-state.ts';

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { stderr, remarks } = context;
  const { config, announceNew } = await makeOrReadDataFolder(context, flags, 'all');
  if (config.origin.value !== undefined)
    throw new UsageError(
      `\`libretto start\` serves its own build, but the tree is at an origin ` +
        `(${formatOrigin(config.origin.origin)}). Run \`libretto serve\` here, and \`build\` on the ` +
        'building host.',
    );
  await refuseTakenAddress(config);
  await assertWholeState(config);
  const stoppedWith = await buildAll(await withStateSettings(config, context), context, announceNew);
  if (stoppedWith !== undefined) return stoppedWith;
  const log = requestLog(config);
  const service = await openService(config, context, log);
  const stopped = stopSignal(context, {
    onHangUp: stderr.isTTY === true ? undefined : service.hangUp,
    onCrash: service.logCrash,
  });
  const tree = readPublishedTree(config.data.value);
  const mirrors = await service.mirrors();
  printLines(remarks, announcement({ ...service, tree, mirrors, now: context.now() }));
  if (log.to === 'file') printLines(remarks, [`Requests are logged to ${log.path}.`]);
  if (tree !== undefined)
    await explainInstallation({ context, config, tokens: service.tokens, url: service.clients.url, tree, mirrors });
  printLines(remarks, publishingLines(context));
  await printFirstSteps(context, service, ['']);
  printLines(remarks, ['', 'Press Ctrl+C to stop.']);
  const exitCode = await stopped;
  await service.close();
  return exitCode;
}

/** The exit code of a build that was stopped, or that left no registry: nothing follows then. */
async function buildAll(config: Config, context: Context, announceNew: () => void): Promise<number | undefined> {
  const { stderr } = context;
  const request = buildRequest(config, context, { command: 'start' });
  try {
    const report = await buildWithRegistered(request, config, context, announceNew);
    if ('exitCode' in report) return report.exitCode;
    const shown = shownReport(report, config.data.value);
    printChanges(context.remarks, describeOutcome(shown, false));
    printProblems(stderr, describeProblems(shown));
    if (classifyFolder(config.data.value) !== 'registry') return 1;
  } catch (error) {
    if (error instanceof NothingToBuild) throw withoutSource(error);
    if (
      !(error instanceof BuildBusy || error instanceof WithdrawalRefused) ||
      readPublishedTree(config.data.value) === undefined
    )
      throw error;
    printWarnings(stderr, [`${error.message} The published versions are still served.`]);
  }
  return undefined;
}

/** Unlike `build`, `start` takes no SOURCE. */
function withoutSource(cause: NothingToBuild): UsageError {
  return new UsageError(
    'There is nothing to build. `libretto start` takes no SOURCE: it builds the folder packages-src here, or the ' +
      'sources in libretto.json. Publish something with `libretto build SOURCE`, and then run `libretto start` again. ' +
      'For a registry that only mirrors, switch mirroring on first: `libretto settings set mirroring.enabled true`.',
    { cause },
  );
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
  readonly tree: TreeContents;
  readonly mirrors: boolean;
}

async function explainInstallation({ context, config, tokens, url, tree, mirrors }: Explained): Promise<void> {
  const { stdout, stderr } = context;
  const installable = chooseInstallable(config.data.value, tree.names);
  if (installable === undefined) return;
  const isFirst = (await tokens.list()).length === 0;
  const token = isFirst
    ? revealSecret((await tokens.create({ description: 'first token, made at the first start', kind: 'read' })).secret)
    : 'YOUR_TOKEN';
  const { name, requirement, needsUnstable, needsOthers } = installable;
  printLines(stderr, [
    '',
    `To install ${name} with Composer, paste these lines into a shell in an empty folder.`,
    ...(requirement === name
      ? []
      : [`${name} has no stable release, so the last line names its version: ${requirement.slice(name.length + 1)}.`]),
  ]);
  if (isFirst) printLines(stderr, ['They contain a new token that is shown only once.', '']);
  else
    printLines(stderr, [
      'Replace YOUR_TOKEN with a token. Existing tokens cannot be shown again; this command creates one:',
      '',
      `  ${context.commandLine('token create --description "NAME"')}`,
      '',
    ]);
  printLines(
    stdout,
    installLines({ url, token, requirement, unstable: needsUnstable, withPackagist: needsOthers && !mirrors }).map(
      (line) => `  ${line}`,
    ),
  );
  if (isFirst)
    await stdout.delivered(
      'The first token was created, but its secret could not be printed. `libretto token list` shows its id; ' +
        'revoke it and create another.',
    );
}

/** The way from the examples to one's own packages. The server serves a publication at once. */
function publishingLines(context: Context): string[] {
  const ways = [
    ['build /path/to/packages', 'a folder of packages'],
    ['build git:/path/to/repository', 'its tags and branches become versions'],
    ['build https://HOST/PATH.git', 'a remote repository'],
  ].map(([line = '', meaning = '']) => [context.commandLine(line), meaning] as const);
  const width = Math.max(...ways.map(([line]) => line.length));
  return [
    '',
    'To publish your own packages, run one of these lines in another shell in this folder:',
    '',
    ...ways.map(([line, meaning]) => `  ${line.padEnd(width)}   # ${meaning}`),
  ];
}
