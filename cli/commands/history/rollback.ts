// `libretto rollback`: exit code 0; 2 if it is impossible; 75 if another build does not end in time.

import { liftRollbacks, rollBack, type RollbackReport } from '../../../build/rollback/rollback.ts';
import type { BuildEffects } from '../../../build/scan/build-request.ts';
import { changesDocument, describeChanges } from '../../text/net-changes-text.ts';
import { buildRequest } from '../../builds/build-request.ts';
import { shownChanges } from '../../builds/shown-sources.ts';
import type { Given } from '../../io/command.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printChanges, printJson } from '../../io/output.ts';
import { parseSerial } from '../../config/serial.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { refuseUnpublished } from '../../tree/damaged-tree.ts';
import { warnOfLostIndexes } from '../../tree/lost-indexes.ts';
import { UsageError } from '../../io/usage-error.ts';

const mostLines = 200;

export async function run(context: Context, { flags, operands }: Given): Promise<number> {
  const { environment, workingDirectory, actor, now } = context;
  const lift = flags['lift'] === true;
  if (lift === (operands[0] !== undefined))
    throw new UsageError('Name a publication from `libretto history`, or use --lift alone.');
  const to = operands[0] === undefined ? undefined : parseSerial(operands[0]);
  const config = await withStateSettings(await readDataFolder(context, flags, 'all'), context);
  const dryRun = flags['dryRun'] === true;
  if (lift && dryRun)
    throw new UsageError('--lift changes nothing that clients see, so --dry-run has nothing to show.');
  refuseUnpublished(config.data.value);
  const by = { actor, command: 'rollback' };
  const request = {
    ...buildRequest(config, { sources: [], forget: [], strict: false, allowRepublish: false, workingDirectory }),
    by,
  };
  const effects: BuildEffects = { now, progress: () => undefined, environment };
  const report = await (to === undefined
    ? liftRollbacks(request, effects)
    : rollBack({ to, dryRun }, request, effects));
  const { serial, published, changes, undone } = report;
  if (flags['json'] === true)
    printJson(context.stdout, { serial, published, rollback_to: to ?? null, ...changesDocument(changes), undone });
  else
    printChanges(
      dryRun ? context.stdout : context.summary,
      to === undefined
        ? [
            `Published: serial ${serial}. The next build compares everything, and publishes the current ` +
              'content of the sources.',
          ]
        : describe({ ...report, changes: shownChanges(changes, config.data.value) }, to, dryRun),
    );
  warnOfLostIndexes(config.data.value, context);
  return 0;
}

function describe({ serial, published, changes, undone }: RollbackReport, to: number, dryRun: boolean): string[] {
  const same = changes.versions.length + changes.metadata.length === 0;
  if (same) return [`Nothing to roll back: publication ${serial} has everything of publication ${to} that may return.`];
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
  return [head, ...firstOf(describeChanges(changes), mostLines), ...heldVersions];
}
