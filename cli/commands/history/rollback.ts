// `libretto rollback`: exit code 0; 2 if it is impossible; 75 if another build does not end in time. With --child the
// service reads the outcome as JSON, and a refusal is exit code 1.

import { liftRollbacks, rollBack, type RollbackReport } from '../../../build/rollback/rollback.ts';
import type { BuildEffects } from '../../../build/scan/build-request.ts';
import { changesDocument, describeChanges } from '../../text/net-changes-text.ts';
import { buildRequest } from '../../builds/build-request.ts';
import { orRefused } from '../../builds/refused-by-builder.ts';
import type { Config } from '../../config/config.ts';
import { shownChanges } from '../../builds/shown-sources.ts';
import type { CommandInput } from '../../io/command.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printChanges, printJson } from '../../io/output.ts';
import { waitLine } from '../../io/progress.ts';
import { parseSerial } from '../../config/serial.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { refuseUnpublished } from '../../tree/damaged-tree.ts';
import { warnOfLostIndexes } from '../../tree/lost-indexes.ts';
import { UsageError } from '../../io/usage-error.ts';

const mostLines = 200;

export const publishes = true;

export async function run(context: Context, given: CommandInput): Promise<number> {
  if (given.flags['child'] === true) return answerServer(context, given);
  const { config, to, report } = await rollBackLocally(context, given);
  const dryRun = given.flags['dryRun'] === true;
  if (given.flags['json'] === true) printJson(context.stdout, documentOf(report, to));
  else
    printChanges(
      dryRun ? context.stdout : context.summary,
      to === undefined
        ? [
            `Published: serial ${report.serial}. The next build compares everything, and publishes the current ` +
              'content of the sources.',
          ]
        : describe(shown(report, config), to, dryRun),
    );
  warnOfLostIndexes(config.data.value, context);
  return 0;
}

/** Prints the report as a document, or the refusal. A preview ends with the server; a rollback is completed. */
async function answerServer(context: Context, given: CommandInput): Promise<number> {
  if (given.flags['dryRun'] === true) context.onInputEnd(() => process.kill(process.pid, 'SIGTERM'));
  const outcome = await orRefused(
    rollBackLocally(context, given).then(({ config, report, to }) => documentOf(shown(report, config), to)),
  );
  printJson(context.stdout, outcome);
  return 'outcome' in outcome ? 1 : 0;
}

interface RolledBack {
  readonly config: Config;
  /** undefined: all rollbacks were ended */
  readonly to: number | undefined;
  readonly report: RollbackReport;
}

async function rollBackLocally(context: Context, { flags, operands }: CommandInput): Promise<RolledBack> {
  const { environment, now, remarks } = context;
  const lift = flags['lift'] === true;
  if (lift === (operands[0] !== undefined))
    throw new UsageError('Name a publication from `libretto history list`, or use --lift alone.');
  const to = operands[0] === undefined ? undefined : parseSerial(operands[0]);
  const config = await withStateSettings(await readDataFolder(context, flags, 'all', 'change'), context);
  const dryRun = flags['dryRun'] === true;
  if (lift && dryRun)
    throw new UsageError('--lift changes nothing that clients see, so --dry-run has nothing to show.');
  refuseUnpublished(config.data.value);
  const request = buildRequest(config, context, { command: 'rollback' });
  const effects: BuildEffects = { now, progress: waitLine(remarks), environment };
  const report = await (to === undefined
    ? liftRollbacks(request, effects)
    : rollBack({ to, dryRun }, request, effects));
  return { config, to, report };
}

function shown(report: RollbackReport, { data }: Config): RollbackReport {
  return { ...report, changes: shownChanges(report.changes, data.value) };
}

function documentOf({ serial, published, changes, undone, staysOut }: RollbackReport, to: number | undefined) {
  return { serial, published, rollback_to: to ?? null, ...changesDocument(changes), undone, stays_out: staysOut };
}

function describe(report: RollbackReport, to: number, dryRun: boolean): string[] {
  const { serial, published, changes, undone, staysOut } = report;
  const same = changes.versions.length + changes.metadata.length === 0;
  if (same && to === serial) return [`Nothing to roll back: publication ${to} is the current one.`];
  const out = staysOutLines(staysOut, to);
  if (same)
    return [`Nothing to roll back: publication ${serial} has everything of publication ${to} that may return.`, ...out];
  const head = published
    ? `Rolled back to publication ${to}: serial ${serial}.`
    : `A rollback to publication ${to} would publish this. Nothing was published.`;
  const heldVersions =
    undone.length === 0 || dryRun
      ? []
      : [
          `Builds leave ${counted(undone.length, 'version')} as rolled back until there is another content for ` +
            `${undone.length === 1 ? 'it' : 'them'}; \`libretto rollback --lift\` ends that.`,
        ];
  return [head, ...firstOf(describeChanges(changes), mostLines), ...out, ...heldVersions];
}

function staysOutLines(staysOut: RollbackReport['staysOut'], to: number): string[] {
  if (staysOut.length === 0) return [];
  const wayBack = ({ name, version, why }: RollbackReport['staysOut'][number]): string =>
    why === 'purged'
      ? 'was purged, and never returns'
      : `was withdrawn by hand; \`libretto package restore ${name} ${version}\` offers it again`;
  return [
    `${counted(staysOut.length, 'version')} of publication ${to} ${staysOut.length === 1 ? 'is' : 'are'} not offered again:`,
    ...firstOf(
      staysOut.map((one) => `  ${one.name} ${one.version} ${wayBack(one)}`),
      mostLines,
    ),
  ];
}
