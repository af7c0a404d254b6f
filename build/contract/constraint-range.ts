// The parts of a constraint that express a range: tilde, caret, wildcard and hyphen (composer/semver,
// VersionParser.php, parseConstraint).

import type { Comparison, ParsedPart } from './constraint-model.ts';
import { whiteSpace } from './php-text.ts';
import { modifierPattern } from './stability.ts';
import { normalizeVersion } from './version.ts';

/** Groups: four numbers, the modifier's word, its digits and its dev, `x-dev`. */
const versionPattern = `v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:${modifierPattern}|\\.([x*][.-]?dev))(?:\\+[^${whiteSpace}]+)?`;

const tilde = new RegExp(`^~(>)?${versionPattern}\\n?$`, 'i');
const caret = new RegExp(`^\\^${versionPattern}\\n?$`, 'i');
const wildcard = /^v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:\.[xX*])+\n?$/;
const hyphen = new RegExp(`^(${versionPattern}) +- +(${versionPattern})\\n?$`, 'i');

/** The groups of `versionPattern`. */
interface Written {
  readonly numbers: readonly (string | undefined)[];
  /** the version names a stability, so that the range starts at that stability */
  readonly modified: boolean;
  readonly xDev: boolean;
}

/** The bounds of a range, or the reason of its refusal; undefined if the text is no range. */
export function parseRange(text: string): ParsedPart | undefined {
  return parseTilde(text) ?? parseCaret(text) ?? parseWildcard(text) ?? parseHyphen(text);
}

/** `~1.2.3` → `>=1.2.3.0-dev <1.3.0.0-dev`: the number before the last one must stay equal. */
function parseTilde(text: string): ParsedPart | undefined {
  const match = tilde.exec(text);
  if (match === null) return undefined;
  if (match[1] !== undefined) return { refusal: `"${text}" has the operator "~>"; Composer's is "~"` };
  const written = writtenVersion(match.slice(2));
  const position =
    Math.max(1, written.numbers.findLastIndex((number) => number !== undefined) + 1) + (written.xDev ? 1 : 0);
  return fromVersionToNext(text, written, Math.max(1, position - 1));
}

/** `^1.2.3` → `>=1.2.3.0-dev <2.0.0.0-dev`: the first number other than zero must stay equal. */
function parseCaret(text: string): ParsedPart | undefined {
  const match = caret.exec(text);
  if (match === null) return undefined;
  const written = writtenVersion(match.slice(1));
  const [major, minor, patch] = written.numbers;
  const position = major !== '0' || minor === undefined ? 1 : minor !== '0' || patch === undefined ? 2 : 3;
  return fromVersionToNext(text, written, position);
}

/** `1.2.*` → `>=1.2.0.0-dev <1.3.0.0-dev`. */
function parseWildcard(text: string): ParsedPart | undefined {
  const match = wildcard.exec(text);
  if (match === null) return undefined;
  const numbers = match.slice(1);
  const position = numbers.findLastIndex((number) => number !== undefined) + 1;
  const lowest = `${[0, 1, 2, 3].map((index) => (index < position ? (numbers[index] ?? '') : '0')).join('.')}-dev`;
  const below = comparison('<', firstAfter(numbers, position));
  return { constraints: lowest === '0.0.0.0-dev' ? [below] : [comparison('>=', lowest), below] };
}

/** `1.0 - 2.0` → `>=1.0.0.0-dev <2.1.0.0-dev`: the upper end includes all versions with the written numbers. */
function parseHyphen(text: string): ParsedPart | undefined {
  const match = hyphen.exec(text);
  if (match === null) return undefined;
  const [from, to] = [writtenVersion(match.slice(2, 10)), writtenVersion(match.slice(11, 19))];
  const [lowest, highest] = [normalizeVersion(match[1] ?? ''), normalizeVersion(match[10] ?? '')];
  if (lowest === undefined || highest === undefined)
    return { refusal: `"${text}" is a range between versions Composer does not accept` };
  const [, minor, patch] = to.numbers;
  const exact = (minor !== undefined && patch !== undefined) || to.modified;
  const upper = exact
    ? comparison('<=', highest)
    : comparison('<', firstAfter(to.numbers, minor === undefined ? 1 : 2));
  return { constraints: [comparison('>=', from.modified ? lowest : `${lowest}-dev`), upper] };
}

function writtenVersion(groups: readonly (string | undefined)[]): Written {
  const [major, minor, patch, fourth, word, , dev, xDev] = groups;
  return {
    numbers: [major, minor, patch, fourth],
    modified: word !== undefined || dev !== undefined || xDev !== undefined,
    xDev: xDev !== undefined,
  };
}

/** From the version behind the one-character operator, up to the next version in that position. */
function fromVersionToNext(text: string, written: Written, position: number): ParsedPart {
  const lowest = normalizeVersion(text.slice(1) + (written.modified ? '' : '-dev'));
  if (lowest === undefined)
    return { refusal: `"${text}" is a range that begins with a version Composer does not accept` };
  return { constraints: [comparison('>=', lowest), comparison('<', firstAfter(written.numbers, position))] };
}

/**
 * The version after all that begin with these numbers: 1.2.3 in position 2 → `1.3.0.0-dev`. Supports numbers of any
 * length, for which PHP uses floats.
 */
function firstAfter(numbers: readonly (string | undefined)[], position: number): string {
  const parts = [1, 2, 3, 4].map((place) => {
    const number = numbers[place - 1] ?? '';
    return place > position ? '0' : place === position ? String(BigInt(number) + 1n) : number;
  });
  return `${parts.join('.')}-dev`;
}

function comparison(operator: Comparison['operator'], version: string): Comparison {
  return { kind: 'comparison', operator, version };
}
