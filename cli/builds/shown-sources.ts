// Names sources for people: by their absolute path or URL. Documents keep the written form, which is relative to the data
// folder.

import { existsSync, realpathSync } from 'node:fs';

import type { BuildReport } from '../../build/contract/build-report.ts';
import type { NetChanges } from '../../build/history/net-changes.ts';
import type { WhyAnswer } from '../../build/inspect/why.ts';
import { shownSource } from '../../build/sources/spec.ts';

/** The lines with the sources as people know them. */
export function withShownSources<Line extends { readonly source: string }>(
  lines: readonly Line[],
  dataDirectory: string,
): readonly Line[] {
  // the builder records paths from there; a trial run may have made no folder
  const base = existsSync(dataDirectory) ? realpathSync(dataDirectory) : dataDirectory;
  return lines.map((line) => ({ ...line, source: shownSource(line.source, base) }));
}

/** The report as its text shows it. */
export function shownReport(report: BuildReport, dataDirectory: string): BuildReport {
  return {
    ...report,
    failed: withShownSources(report.failed, dataDirectory),
    notices: withShownSources(report.notices, dataDirectory),
  };
}

/** The difference between two publications as its text shows it. */
export function shownChanges(changes: NetChanges, dataDirectory: string): NetChanges {
  return { ...changes, versions: withShownSources(changes.versions, dataDirectory) };
}

/** The answer of `libretto why` as its text shows it. */
export function shownAnswer(answer: WhyAnswer, dataDirectory: string): WhyAnswer {
  return {
    ...answer,
    versions: withShownSources(answer.versions, dataDirectory),
    left_out: withShownSources(answer.left_out, dataDirectory),
    unclear: withShownSources(answer.unclear, dataDirectory),
    excluded_by: withShownSources(answer.excluded_by, dataDirectory),
  };
}
