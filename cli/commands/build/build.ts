// `libretto build`. Exit code 0, or 1 if a version was left out or a source failed. Errors of the builder give 2 or
// 75, and a stop gives 130 or 143.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BuildReport } from '../../../build/contract/build-report.ts';
import { describeOutcome, describeProblems } from '../../text/build-report-text.ts';
import { shownReport } from '../../builds/shown-sources.ts';
import { buildRequest, type BuildChoices } from '../../builds/build-request.ts';
import { bindFolder } from '../../compose/bind-folder.ts';
import type { Config } from '../../config/config.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { printChanges, printJson, printProblems } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';
import { buildWithRegistered } from '../../sync/registered-in-state.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { stoppableBuild } from '../../builds/stoppable-build.ts';
import type { SiteOutcome } from '../../site/site-after-build.ts';
import { warnOfLostIndexes } from '../../tree/lost-indexes.ts';
import { UsageError } from '../../io/usage-error.ts';
import { BuildRefused } from '../../../build/contract/refusals.ts';
import { statNamed } from '../../../build/shared/files/named-path.ts';
import { homeAdvice } from '../../../build/sources/root-folder.ts';
import { parseSource } from '../../../build/sources/spec.ts';
import { readLastPublication } from '../../tree/published-tree.ts';
import { classifyFolder } from '../../data-folder/data-folder-traces.ts';
import { onlyFlag } from './only-flag.ts';
import type { Environment } from '../../io/environment.ts';

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { workingDirectory, stdout, summary, stderr } = context;
  const isOfRecorded = flags['relocate'] !== undefined || (flags['forget'] !== undefined && operands.length === 0);
  const { config: configured, announceNew } = await makeOrReadDataFolder(context, flags, 'tree', {
    mustExist: isOfRecorded,
  });
  refuseNewBesideRemote(configured, context.environment);
  const config = await withStateSettings(configured, context);
  const request = buildRequest(config, context, {
    sources: operands,
    forget: (flags['forget'] ?? []) as readonly string[],
    ...relocations(flags['relocate'], workingDirectory),
    only: onlyFlag(flags['only'], 'SOURCE'),
    subdirectories: flags['subdirectory'] as readonly string[] | undefined,
    strict: flags['strict'] === true,
    allowRepublish: flags['allowRepublish'] === true,
    allowWithdraw: flags['allowWithdraw'] === true,
    command: 'build',
  });
  refuseMissingSources({ sources: operands, workingDirectory, dataDirectory: config.data.value });
  const writeSite = await siteWriter(config, context);
  const reportCutOff = await watch(config, context);
  // named sources are read alone
  const build =
    operands.length === 0
      ? buildWithRegistered(request, config, context, announceNew)
      : stoppableBuild(request, context).finally(announceNew);
  const built = await build.finally(() => bindFolder(config));
  if ('exitCode' in built) return built.exitCode;
  const report = await reportCutOff(built);
  const site = await writeSite(report);
  const shown = shownReport(report, config.data.value);
  if (flags['json'] === true) printJson(stdout, { ...report, ...site.document });
  else printChanges(summary, [...describeOutcome(shown, request.strict), ...site.lines]);
  printProblems(stderr, [...describeProblems(shown), ...site.problems]);
  warnOfLostIndexes(config.data.value, context);
  return report.quarantined.length + report.failed.length + site.problems.length > 0 ? 1 : 0;
}

/** Watches only a data folder with mirrored packages, because only these can be shadowed. */
async function watch(config: Config, context: Context): Promise<(report: BuildReport) => Promise<BuildReport>> {
  if (!existsSync(join(config.data.value, 'mirror', 'dist'))) return (report) => Promise.resolve(report);
  return (await import('../../mirror/shadowed-packages.ts')).watchShadowed(config, context);
}

/** Refuses an unsafe folder for the catalogue before the build. */
async function siteWriter(config: Config, context: Context): Promise<(report: BuildReport) => Promise<SiteOutcome>> {
  const { value } = config.site;
  if (value === undefined) return () => Promise.resolve({ document: {}, lines: [], problems: [] });
  return (await import('../../site/site-after-build.ts')).siteAfterBuild(value, config, context);
}

/**
 * Paths may have a `=`: of several ways to read the text, the one whose new path exists counts. Throws UsageError for a
 * text without two paths.
 */
function relocations(given: unknown, workingDirectory: string): Pick<BuildChoices, 'relocate'> {
  if (given === undefined) return {};
  const relocate = (given as readonly string[]).map((text) => {
    const readings = [...text.matchAll(/=/g)]
      .map(({ index }) => ({ from: text.slice(0, index), to: text.slice(index + 1) }))
      .filter(({ from, to }) => from !== '' && to !== '')
      .map(({ from, to }) => ({ from: resolve(workingDirectory, from), to: resolve(workingDirectory, to) }));
    const [reading] = [...readings.filter(({ to }) => existsSync(to)), ...readings];
    if (reading !== undefined) return reading;
    throw new UsageError(`--relocate is ${JSON.stringify(text)}; allowed: OLD=NEW, two paths such as /srv/a=/data/a.`);
  });
  return { relocate };
}

// Refuses a named source that is not there, or may not be read, and never was a source. A build would remember the
// source, and fail because of it each time.

interface CommandLineSources {
  /** as typed */
  readonly sources: readonly string[];
  readonly workingDirectory: string;
  readonly dataDirectory: string;
}

/** Throws UsageError with every such source. A remembered source that is gone is the concern of the build. */
function refuseMissingSources({ sources, workingDirectory, dataDirectory }: CommandLineSources): void {
  const remembered = new Set(readLastPublication(dataDirectory)?.sources.map(({ id }) => id));
  const problems = sources.flatMap((text) => {
    const { id, place } = parseSource(text, workingDirectory, dataDirectory);
    return 'path' in place && !remembered.has(id) ? (faultOf(place.path) ?? []) : [];
  });
  if (problems.length > 0) throw new UsageError(`${problems.join('\n')}\nNothing was built.`);
}

function faultOf(path: string): string | undefined {
  const facts = orRefusal(() => statNamed(path));
  if (typeof facts === 'string') return facts;
  if (facts === undefined)
    return `There is no folder ${path}.${homeAdvice(path)} Name an existing folder, a git repository or its URL.`;
  return facts.isDirectory()
    ? undefined
    : `${path} is a file. Name the folder of the package, or the folder of the ZIPs with artifact: in front.`;
}

function orRefusal<Result>(look: () => Result): Result | string {
  try {
    return look();
  } catch (error) {
    if (error instanceof BuildRefused) return error.message;
    throw error;
  }
}

// Refuses a build that would make a data folder nobody named while LIBRETTO_URL names a registry. In a CI job such a
// build would be green, and no package of it would reach the registry.

/** Throws UsageError. A folder that exists, or that is named, is meant. */
function refuseNewBesideRemote({ data }: Pick<Config, 'data'>, environment: Environment): void {
  const url = environment['LIBRETTO_URL'];
  if (url === undefined || url === '' || data.origin.from !== 'default' || classifyFolder(data.value) === 'registry')
    return;
  throw new UsageError(
    `LIBRETTO_URL names a registry, and a build publishes into a data folder of this machine. There is none at ` +
      `${data.value}. To publish into the registry, run \`libretto publish\`. To build here, name the folder with --data.`,
  );
}
