// The kinds of settings, each with its parser: whole numbers, texts, words, addresses and lists. Pure.

import { httpAddressFault } from '../../build/contract/address.ts';
import type { JsonValue } from '../../build/contract/json.ts';
import { areNotices, noticesAllowed, type ClientNotice } from './client-notice.ts';
import { arePatterns, patternsAllowed, unmatchedPattern, unmatchedVendor, vendorsAllowed } from './package-patterns.ts';

export interface SettingDefinition<Value extends JsonValue> {
  readonly standard: Value;
  /** completes "must be …" */
  readonly allowed: string;
  readonly description: string;
  readonly is: (value: JsonValue) => value is Value;
  /** the reason why `is` refuses, if `allowed` alone does not explain it; follows the key */
  readonly reason?: (value: JsonValue) => string | undefined;
  /** the fault of a valid value when it is set now; a stored one does no harm */
  readonly objection?: (value: Value) => string | undefined;
}

/** Characters of a setting that is a text, at the most. */
export const longestText = 2000;
export const mostRequestsAnHour = 1_000_000_000;

export const whole = (
  standard: number,
  least: number,
  most: number,
  description: string,
  unit?: 'seconds',
): SettingDefinition<number> & {
  readonly least: number;
  readonly most: number;
  /** undefined: a count of what the description names */
  readonly unit: 'seconds' | undefined;
} => ({
  standard,
  least,
  most,
  description,
  unit,
  allowed: `a whole number from ${least} to ${most}`,
  is: (value): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
});

export const text = (
  standard: string,
  pattern: string,
  allowed: string,
  description: string,
): SettingDefinition<string> & { readonly pattern: string } => ({
  standard,
  pattern,
  allowed,
  description,
  is: (value): value is string =>
    typeof value === 'string' && value.length <= longestText && new RegExp(pattern).test(value),
});

/** One of a few words. */
export const choice = (
  standard: string,
  choices: readonly string[],
  description: string,
): SettingDefinition<string> & { readonly choices: readonly string[] } => ({
  ...text(standard, `^(?:${choices.join('|')})$`, wordList(choices), description),
  choices,
});

/** `allow`, `warn` or `refuse` */
function wordList(words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** A text that may be an http(s) address: then of a host that can exist. */
export const address = (
  standard: string,
  pattern: string,
  allowed: string,
  description: string,
): SettingDefinition<string> & { readonly pattern: string } => {
  const { is, ...definition } = text(standard, pattern, allowed, description);
  const reason = (value: JsonValue): string | undefined =>
    typeof value === 'string' && value.length <= longestText ? httpAddressFault(value) : undefined;
  return { ...definition, reason, is: (value): value is string => is(value) && reason(value) === undefined };
};

export const patterns = (description: string): SettingDefinition<string[]> => ({
  standard: [],
  allowed: patternsAllowed,
  description,
  is: arePatterns,
  objection: unmatchedPattern,
});
export const vendors = (description: string): SettingDefinition<string[]> => ({
  standard: [],
  allowed: vendorsAllowed,
  description,
  is: arePatterns,
  objection: unmatchedVendor,
});

/** Ids of objects of these kinds, such as `tok` and `pub`. */
export const ids = (prefixes: readonly string[], description: string): SettingDefinition<string[]> => {
  const pattern = new RegExp(`^(?:${prefixes.join('|')})_[0-9A-Za-z]{1,64}$`);
  return {
    standard: [],
    allowed: `a list of at most ${mostIds} ids that start with ${prefixes.map((one) => `${one}_`).join(', ')}`,
    description,
    is: (value): value is string[] =>
      Array.isArray(value) &&
      value.length <= mostIds &&
      value.every((one) => typeof one === 'string' && pattern.test(one)),
  };
};
const mostIds = 1000;

export const notices = (description: string): SettingDefinition<ClientNotice[]> => ({
  standard: [],
  allowed: noticesAllowed,
  description,
  is: areNotices,
});
