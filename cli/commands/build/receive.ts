// `libretto receive`: exit codes as of `build`; 2, without any change, for an incomplete tree and an unusable bundle.

import { basename, resolve } from 'node:path';

import type { BuildReport } from '../../../build/contract/build-report.ts';
import { createDiskOutput } from '../../../build/output/disk-output.ts';
import { listPurged } from '../../../build/package/purged.ts';
import { receiveTree } from '../../../build/receive/receive.ts';
import type { ReceivedPlace } from '../../../build/sources/spec.ts';
import { statNamed } from '../../../build/shared/files/named-path.ts';
import { removePurged } from '../../../proxy/mirror/archives/remove-purged.ts';
import { folderOf } from '../../../proxy/mirror/upstream/stored-document.ts';
import { rootUrlOf } from '../../../proxy/mirror/upstream/upstream-root.ts';
import { describeOutcome, describeProblems } from '../../text/build-report-text.ts';
import { shownReport } from '../../builds/shown-sources.ts';
import { buildRequest } from '../../builds/build-request.ts';
import { receiveBundle, type ReceivedBundle } from '../../bundle/receive-bundle.ts';
import type { Config } from '../../config/config.ts';
import type { CommandInput } from '../../io/command.ts';
import { bindFolder } from '../../compose/bind-folder.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { mirrorFolder } from '../../mirror/compose-mirror.ts';
import { upstreamsHere } from '../../mirror/current-mirror-rules.ts';
import { counted, firstOf, printChanges, printJson, printLines, printNotes, printProblems } from '../../io/output.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { stoppableBuild, type Stopped } from '../../builds/stoppable-build.ts';

export const publishes = true;

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { workingDirectory, stdout, summary, stderr } = context;
  const { config: configured, announceNew } = await makeOrReadDataFolder(context, flags, 'tree');
  const config = await withStateSettings(configured, context);
  const [strict, dryRun] = [flags['strict'] === true, flags['dryRun'] === true];
  const done = await received(config, context, flags, resolve(workingDirectory, operands[0] ?? '.'));
  announceNew();
  if (!dryRun) await bindFolder(config);
  if ('exitCode' in done) return done.exitCode;
  const { report, bundle } = done;
  // the tree may have brought tombstones, and a bundle an archive with the bytes of one
  if (report.published || (bundle !== undefined && !dryRun))
    await removePurged(mirrorFolder(config), await listPurged(createDiskOutput(config.data.value)));
  const shown = shownReport(report, config.data.value);
  if (flags['json'] === true)
    printJson(stdout, bundle === undefined ? report : { ...report, bundle: documentOf(bundle) });
  else {
    printChanges(dryRun ? stdout : summary, describeOutcome(shown, strict, dryRun));
    if (bundle !== undefined) printLines(dryRun ? stdout : summary, describeStored(bundle, dryRun));
  }
  printProblems(stderr, describeProblems(shown));
  if (bundle !== undefined) printNotes(stderr, await notesOn(bundle, config, context));
  return report.quarantined.length + report.failed.length + (bundle?.stored.leftOut.length ?? 0) > 0 ? 1 : 0;
}

interface Done {
  readonly report: BuildReport;
  readonly bundle: ReceivedBundle | undefined;
}

/** `path`: of a bundle, or of the folder of a tree. */
async function received(
  config: Config,
  context: Context,
  flags: CommandInput['flags'],
  path: string,
): Promise<Done | Stopped> {
  const [strict, dryRun] = [flags['strict'] === true, flags['dryRun'] === true];
  const allowRepublish = flags['allowRepublish'] === true;
  const allowWithdraw = flags['allowWithdraw'] === true;
  const request = {
    ...buildRequest(config, context, { strict, allowRepublish, allowWithdraw, command: 'receive' }),
    dryRun,
  };
  const name = typeof flags['as'] === 'string' ? flags['as'] : undefined;
  const publish = (place: ReceivedPlace): Promise<BuildReport | Stopped> =>
    stoppableBuild(request, context, (asked, effects) => receiveTree(place, asked, effects));
  if (statNamed(path)?.isFile() !== true) {
    const report = await publish({ name: name ?? basename(path), tree: path });
    return 'exitCode' in report ? report : { report, bundle: undefined };
  }
  const isDone = ({ quarantined, failed }: BuildReport): boolean =>
    !dryRun && !(strict && quarantined.length + failed.length > 0);
  const bundle = await receiveBundle(config, context, { file: path, name, publish, isDone });
  return 'exitCode' in bundle ? bundle : { report: bundle.report, bundle };
}

function documentOf({ manifest, stored }: ReceivedBundle) {
  const { registry, serial, since } = manifest;
  return {
    registry,
    serial,
    since,
    mirrored: stored.taken.map(({ name, version }) => ({ name, version })),
    mirrored_here: stored.here,
    left_out: stored.leftOut,
  };
}

const mostLines = 40;

function describeStored({ stored: { taken, here } }: ReceivedBundle, dryRun: boolean): readonly string[] {
  const outcome = `${counted(taken.length, 'version')} ${dryRun ? 'to be stored' : 'stored'}, ${here} here already.`;
  return taken.length + here === 0 ? [] : [`Of other registries: ${outcome}`];
}

/** What an operator has to know about the mirrored packages. */
async function notesOn({ stored }: ReceivedBundle, config: Config, context: Context): Promise<readonly string[]> {
  const notes = firstOf(stored.leftOut, mostLines);
  if (stored.upstreams.length === 0) return notes;
  const { upstreams } = await upstreamsHere(config, context);
  const mirrored = upstreams.map(({ url }) => folderOf(rootUrlOf(url)));
  const unserved = stored.upstreams.filter((folder) => !mirrored.includes(folder));
  return [
    ...notes,
    ...unserved.map(
      (folder) =>
        `Packages of ${folder.replace(/-[0-9a-f]{12}$/, '')} are stored, and not served: this registry does not mirror ` +
        'it. Add it as the other registry has it: `libretto settings set mirroring.enabled true`, or ' +
        '`libretto repository add --type composer URL`.',
    ),
  ];
}
