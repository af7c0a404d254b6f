// Names sources for people: by their absolute path or URL. Documents keep the written form, which is relative to the
// data folder.

import { existsSync, realpathSync } from 'node:fs';

import type { BuildReport } from '../../build/contract/build-report.ts';
import type { NetChanges } from '../../build/history/net-changes.ts';
import type { WhyAnswer } from '../../build/contract/why.ts';
import type { WithdrawalCause } from '../../build/contract/withdrawal-cause.ts';
import { shownSource } from '../../build/sources/spec.ts';

/** Returns a function that gives lines the sources as people know them. Looks at the data folder once. */
export function shownLines(
  dataDirectory: string,
): <Line extends { readonly source: string }>(lines: readonly Line[]) => readonly Line[] {
  // the builder records paths from there; a trial run may have made no folder
  const base = existsSync(dataDirectory) ? realpathSync(dataDirectory) : dataDirectory;
  return (lines) => lines.map((line) => ({ ...line, source: shownSource(line.source, base) }));
}

/** The report as its text shows it. */
export function shownReport(report: BuildReport, dataDirectory: string): BuildReport {
  const shown = shownLines(dataDirectory);
  return {
    ...report,
    quarantined: shown(report.quarantined),
    failed: shown(report.failed),
    notices: shown(report.notices),
  };
}

/** The difference between two publications as its text shows it. */
export function shownChanges(changes: NetChanges, dataDirectory: string): NetChanges {
  return { ...changes, versions: shownLines(dataDirectory)(changes.versions) };
}

/** The cause of a withdrawal, with its source as people know it. */
export function shownCause(cause: WithdrawalCause, dataDirectory: string): WithdrawalCause {
  const { source } = cause;
  if (source === undefined) return cause;
  const [shown] = shownLines(dataDirectory)([{ source }]);
  return { ...cause, source: shown?.source };
}

/** The answer of `libretto why` as its text shows it. */
export function shownAnswer(answer: WhyAnswer, dataDirectory: string): WhyAnswer {
  const shown = shownLines(dataDirectory);
  return {
    ...answer,
    versions: shown(answer.versions),
    left_out: shown(answer.left_out),
    unclear: shown(answer.unclear),
    excluded_by: shown(answer.excluded_by),
  };
}
