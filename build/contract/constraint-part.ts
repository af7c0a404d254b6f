// One part of a constraint, between its commas, blanks and bars: `^1.2`, `~1.2.3`, `1.*`, `1.0 - 2.0`, `>=1.0@beta`,
// `dev-main#abc1234` (composer/semver, VersionParser.php, parseConstraint).

import type { Comparison, ComparisonOperator, ParsedPart } from './constraint-model.ts';
import { asciiLowerCase, stripWhiteStart, whiteSpace } from './php-text.ts';
import { modifierPattern, parseStability, stabilityFlags } from './stability.ts';
import { aliasPattern, normalizeVersion } from './version.ts';

// The parts of a constraint that express a range: tilde, caret, wildcard and hyphen (composer/semver,
// VersionParser.php, parseConstraint).

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
function parseRange(text: string): ParsedPart | undefined {
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

const stabilityFlag = new RegExp(`^([^,${whiteSpace}]*)@(${stabilityFlags})\\n?$`, 'i');
const reference = new RegExp(`^(dev-[^,@${whiteSpace}]+?|[^,@${whiteSpace}]+?\\.x-dev)#[^]`, 'i');
/**
 * Composer lower-cases the text and then looks for `RC` in capitals, so that an RC is not found: `>=1.0-RC1` gets
 * `-dev`, and so it does here.
 */
const hasModifier = new RegExp(`-${modifierPattern}$`);

export function parseSingleConstraint(part: string): ParsedPart {
  const { text: flagged, flag } = splitFlag(aliasPattern.exec(part)?.[1] ?? part);
  const text = withoutReference(flagged);
  const wildcard = /^(v)?[x*](\.[x*])*\n?$/i.exec(text);
  if (wildcard !== null)
    return {
      constraints: [
        wildcard[1] === undefined && wildcard[2] === undefined ? { kind: 'anything' } : comparison('>=', '0.0.0.0-dev'),
      ],
    };
  const range = parseRange(text);
  if (range !== undefined) return range;
  const parsed = parseComparison(text, flag);
  return parsed === undefined
    ? { refusal: `"${text}" is neither a version nor a range Composer understands` }
    : { constraints: [parsed] };
}

/** `1.0@beta` → `1.0` and `beta`; a flag alone matches any version. `@stable` has no effect, but only in lower case. */
function splitFlag(text: string): { readonly text: string; readonly flag: string | undefined } {
  const match = stabilityFlag.exec(text);
  if (match === null) return { text, flag: undefined };
  const [, version = '', flag = ''] = match;
  return { text: version === '' ? '*' : version, flag: flag === 'stable' ? undefined : flag };
}

/** `dev-main#abc1234` → `dev-main`: a reference selects the commit to install, and no version. */
function withoutReference(text: string): string {
  const line = text.endsWith('\n') ? text.slice(0, -1) : text;
  return line.includes('\n') ? text : (reference.exec(line)?.[1] ?? text);
}

function parseComparison(text: string, flag: string | undefined): Comparison | undefined {
  const sign = /^(?:<>|!=|>=?|<=?|==?)?/.exec(text)?.[0] ?? '';
  const [operand = ''] = stripWhiteStart(text.slice(sign.length)).split('\n', 1);
  const version = normalizeOperand(operand);
  if (version === undefined) return undefined;
  const operator = operatorOf(sign);
  if (operator !== '==' && flag !== undefined && parseStability(version) === 'stable')
    return comparison(operator, `${version}-${flag}`);
  const lowest =
    (operator === '<' || operator === '>=') &&
    !hasModifier.test(asciiLowerCase(operand)) &&
    !operand.startsWith('dev-');
  return comparison(operator, lowest ? `${version}-dev` : version);
}

/** `foobar-dev` is read as `dev-foobar`. */
function normalizeOperand(operand: string): string | undefined {
  const version = normalizeVersion(operand);
  if (version !== undefined || !/^[0-9a-zA-Z./-]*-dev$/.test(operand)) return version;
  return normalizeVersion(`dev-${operand.slice(0, -4)}`);
}

function operatorOf(sign: string): ComparisonOperator {
  if (sign === '' || sign === '=') return '==';
  return sign === '<>' ? '!=' : (sign as ComparisonOperator);
}

function comparison(operator: ComparisonOperator, version: string): Comparison {
  return { kind: 'comparison', operator, version };
}
