// `libretto package statistics`: how often a package was downloaded and installed.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { PackageName } from '../../../build/contract/name.ts';
import { indexPath } from '../../../build/contract/paths.ts';
import { createDownloads, type Downloads } from '../../../proxy/packages/downloads.ts';
import { getStatistics } from '../../../proxy/packages/operations.ts';
import type { StatisticsDocument } from '../../../proxy/packages/package-schema.ts';
import { readStatistics, showStatistics } from '../../../proxy/packages/package-statistics.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { withState } from '../audit/existing-state.ts';
import { loadConfig } from '../../config/config.ts';
import { drawBarChart } from '../../text/bar-chart.ts';
import { nearest } from '../../text/suggest.ts';
import { readPublishedTree } from '../../tree/published-tree.ts';
import { formatTable, printJson, printLines } from '../../io/output.ts';
import { callRemotely } from '../../remote/call-remotely.ts';
import { remoteOf } from '../../remote/remote.ts';
import { parsePackageArgument } from '../../purge/package-command.ts';
import { parseWholeNumber } from '../../config/setting-values.ts';
import { UsageError } from '../../io/usage-error.ts';

const dayMs = 86_400_000;
const narrowestChart = 40;

export async function run(context: Context, given: CommandInput): Promise<number> {
  const { flags, operands } = given;
  const name = parsePackageArgument(operands[0] ?? '');
  const days = parseWholeNumber(flags['days'] ?? 30, 1, 3650);
  if (days === undefined)
    throw new UsageError(`--days is ${JSON.stringify(flags['days'])}; allowed: a whole number from 1 to 3650.`);
  const since = new Date(context.now().getTime() - (days - 1) * dayMs).toISOString().slice(0, 10);
  const remote = await remoteOf(flags, context);
  const [vendor = '', project = ''] = name.split('/');
  const shown =
    remote === undefined
      ? await readHere(name, since, context, given)
      : await callRemotely(remote, getStatistics, { vendor, package: project, days });
  if (flags['json'] === true) printJson(context.stdout, { name, ...shown });
  else printLines(context.stdout, [...describe(name, shown, days), ...chart(shown, since, days, context)]);
  return 0;
}

function readHere(
  name: PackageName,
  since: string,
  context: Context,
  given: CommandInput,
): Promise<StatisticsDocument> {
  return withState(context, given, async (state) => {
    const now = (): number => context.now().getTime();
    const reading = (counted: 'downloads' | 'installs'): Downloads =>
      createDownloads({ state, now, counted, everyMs: 0, onError: () => undefined }); // this command counts nothing
    const shown = showStatistics(
      await readStatistics(reading('downloads'), name, since),
      await readStatistics(reading('installs'), name, since),
    );
    if (shown.total + shown.installs.total === 0) await refuseUnknown(name, context, given);
    return shown;
  });
}

/** A package without counts is known if it is published, or was. Throws UsageError. */
async function refuseUnknown(name: PackageName, context: Context, { flags }: CommandInput): Promise<void> {
  const { environment, workingDirectory } = context;
  const { data, origin } = await loadConfig({ flags, environment, workingDirectory });
  if (origin.value !== undefined || existsSync(join(data.value, 'index', indexPath(name)))) return;
  const meant = nearest(name, readPublishedTree(data.value)?.names ?? []);
  throw new UsageError(
    `There is no package ${name} in ${data.value}, and nothing was counted for it.` +
      `${meant === undefined ? ' `libretto package list` shows all packages.' : ` Did you mean ${meant}?`}`,
  );
}

/** For a terminal: the installs by day, or the downloads where Composer has reported no install. */
function chart(
  { days: downloads, installs }: StatisticsDocument,
  since: string,
  count: number,
  { stdout, environment }: Context,
): string[] {
  const width = stdout.columns ?? 0;
  if (stdout.isTTY !== true || width < narrowestChart || downloads.length + installs.days.length === 0) return [];
  const counts = new Map<string, number>(
    installs.days.length > 0
      ? installs.days.map((day) => [day.date, day.installs])
      : downloads.map((day) => [day.date, day.downloads]),
  );
  const days = Array.from({ length: count }, (_, at) => {
    const date = new Date(Date.parse(since) + at * dayMs).toISOString().slice(0, 10);
    return { date, count: counts.get(date) ?? 0 };
  });
  const title = installs.days.length > 0 ? 'Installs' : 'Downloads';
  const blocks = !['linux', 'dumb'].includes(environment['TERM'] ?? '');
  return ['', ...drawBarChart(days, { title, width, blocks })];
}

function describe(name: string, { total, versions, installs }: StatisticsDocument, days: number): string[] {
  const lastDays = days === 1 ? 'today' : `in the last ${days} days`;
  const summary =
    `${name}: ${total} ${total === 1 ? 'download' : 'downloads'} and ${installs.total} ` +
    `${installs.total === 1 ? 'install' : 'installs'} in total`;
  const labels = [...new Set([...Object.keys(versions), ...Object.keys(installs.versions)])];
  if (labels.length === 0) return [`${summary}, none ${lastDays}.`];
  const rows = labels
    .map((label) => ({ label, downloaded: versions[label] ?? 0, installed: installs.versions[label] ?? 0 }))
    .toSorted(
      (one, other) =>
        other.downloaded + other.installed - one.downloaded - one.installed || (one.label < other.label ? -1 : 1),
    );
  return [
    `${summary}; ${lastDays}:`,
    ...formatTable(
      ['VERSION', 'DOWNLOADS', 'INSTALLS'],
      rows.map(({ label, downloaded, installed }) => [label, String(downloaded), String(installed)]),
    ),
  ];
}
