// Formats a build's report for people: first the changes, then the problems. Pure.

import type { BuildReport, VersionLine } from '../../build/contract/build-report.ts';
import { counted, firstOf } from '../io/output.ts';

const mostLines = 40;

/** The changes of the tree, for standard output. */
export function describeOutcome(report: BuildReport, strict: boolean, dryRun = false): string[] {
  const changes = [...marked('+', report.added), ...marked('~', report.changed), ...marked('-', report.withdrawn)];
  const notices = report.notices.map(({ source, message }) => `  note: ${source}: ${message}`);
  return [headline(report, strict, dryRun), ...firstOf(changes, mostLines), ...firstOf(notices, mostLines)];
}

/**
 * The omitted versions and failed sources with their reasons, for standard error, also if the report itself is JSON.
 * Empty without problems.
 */
export function describeProblems(report: BuildReport): string[] {
  const { quarantined, failed, serial } = report;
  const lines: string[] = [];
  if (quarantined.length > 0) {
    lines.push(`${counted(quarantined.length, 'version')} left out:`);
    lines.push(
      ...firstOf(
        quarantined.map((one) => `  ${nameOf(one)}${placeOf(one)}: ${one.message} [${one.code}]`),
        mostLines,
      ),
    );
  }
  if (failed.length > 0) {
    lines.push(
      `${counted(failed.length, 'source')} could not be read` +
        (serial === 0 ? ':' : `. ${failed.length === 1 ? 'Its' : 'Their'} published versions stay available:`),
    );
    lines.push(
      ...firstOf(
        failed.map(({ source, reason }) => `  ${reason.startsWith(source) ? '' : `${source}: `}${reason}`),
        mostLines,
      ),
    );
  }
  return lines;
}

/** The place with its source; each only if nothing else names it. */
function placeOf({ where, message, source }: BuildReport['quarantined'][number]): string {
  const places = [message.startsWith(where) ? '' : where, where.startsWith(source) ? '' : source];
  const named = places.filter((text) => text !== '').join(' of ');
  return named === '' ? '' : ` (${named})`;
}

function headline(
  { added, changed, withdrawn, published, serial, quarantined, failed, timings_ms: { total } }: BuildReport,
  strict: boolean,
  dryRun: boolean,
): string {
  const seconds = `${(total / 1000).toFixed(1)} s`;
  if (published)
    return (
      `Published: ${added.length} added, ${changed.length} changed, ${withdrawn.length} withdrawn (publication ` +
      `${serial}, ${seconds}).`
    );
  if (strict && quarantined.length > 0)
    return (
      `Nothing was published: with --strict, a build publishes nothing if anything is left out (publication ` +
      `${serial} stays, ${seconds}).`
    );
  if (dryRun && added.length + changed.length + withdrawn.length > 0)
    return (
      `To be published: ${added.length} added, ${changed.length} changed, ${withdrawn.length} withdrawn ` +
      `(publication ${serial} stays, ${seconds}).`
    );
  if (serial === 0 && !dryRun && quarantined.length > 0)
    return `Nothing was published, because no version can be used (${seconds}).`;
  if (serial === 0 && !dryRun && failed.length > 0)
    return `Nothing was published, because no source could be read (${seconds}).`;
  return `Nothing ${dryRun ? 'would change' : 'has changed'} (publication ${serial}, ${seconds}).`;
}

function marked(mark: string, versions: readonly VersionLine[]): string[] {
  return versions.map(({ name, version }) => `  ${mark} ${name} ${version}`);
}

function nameOf({ name, version }: { readonly name: string | null; readonly version: string | null }): string {
  return name === null ? 'a package' : `${name}${version === null ? '' : ` ${version}`}`;
}
