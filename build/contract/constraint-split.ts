// Splits a constraint as Composer does. Composer's patterns for it backtrack over runs of blanks, so that these are
// small scanners that do the same in linear time (composer/semver, VersionParser.php, parseConstraints).

import { phpTrim, stripWhiteEnd, stripWhiteStart } from './php-text.ts';

/** Splits at `|` and `||`. */
export function splitAlternatives(text: string): readonly string[] {
  const pieces = phpTrim(text).split(/\|\|?/);
  return pieces.map((piece, index) => {
    const start = index === 0 ? piece : stripWhiteStart(piece);
    return index === pieces.length - 1 ? start : stripWhiteEnd(start);
  });
}

/**
 * Splits at commas and blanks, but not around ` - ` and ` as `, and not between an operator and its version:
 * `{(?<!^|as|[=>< ,]) *(?<!-)[, ](?!-) *(?!,|as|$)}`.
 */
export function splitConjunction(text: string): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  for (const { index, 0: run } of text.matchAll(/[ ,]+/g)) {
    const end = separatorEnd(text, index, run.length);
    if (end === undefined) continue;
    pieces.push(text.slice(start, index));
    start = end;
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** The end of the separator that starts with this run of blanks and commas; undefined if the run is no separator. */
function separatorEnd(text: string, runStart: number, runLength: number): number | undefined {
  const before = text.slice(Math.max(0, runStart - 2), runStart);
  if (before === '' || before === 'as' || /[=><]$/.test(before)) return undefined;
  const run = text.slice(runStart, runStart + runLength);
  const blanks = run.length - run.replace(/^ +/, '').length;
  // The cut is the comma behind the blanks or one of the last three blanks: an earlier blank gives the same result as
  // the third one.
  for (let cut = blanks === run.length ? blanks - 1 : blanks; cut >= Math.max(0, blanks - 3); cut -= 1) {
    const end = cutEnd(text, runStart + cut);
    if (end !== undefined) return end;
  }
  return undefined;
}

function cutEnd(text: string, cut: number): number | undefined {
  if (text.charAt(cut - 1) === '-' || text.charAt(cut + 1) === '-') return undefined;
  let end = cut + 1;
  while (text.charAt(end) === ' ') end += 1;
  if (!/^(?:,|as|\n?$)/.test(text.slice(end, end + 2))) return end;
  return end > cut + 1 ? end - 1 : undefined;
}
