// One part of a constraint, between its commas, blanks and bars: `^1.2`, `~1.2.3`, `1.*`, `1.0 - 2.0`, `>=1.0@beta`,
// `dev-main#abc1234` (composer/semver, VersionParser.php, parseConstraint).

import type { Comparison, ComparisonOperator, ParsedPart } from './constraint-model.ts';
import { parseRange } from './constraint-range.ts';
import { asciiLowerCase, stripWhiteStart, whiteSpace } from './php-text.ts';
import { modifierPattern, parseStability, stabilityFlags } from './stability.ts';
import { aliasPattern, normalizeVersion } from './version.ts';

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
