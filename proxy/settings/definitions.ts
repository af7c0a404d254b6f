// Every setting that can be changed while the registry runs: what it may be, and what it is when nobody says.

import { exactMetadataUrl } from '../../build/contract/documents.ts';
import { loneSurrogate, type JsonValue } from '../../build/contract/json.ts';
import { httpAddressFault } from '../../build/contract/address.ts';
import { distUrlPattern, metadataUrlPattern } from '../../build/contract/registry-address.ts';
import { advertisable, isAdvertisable, type Advertisable } from './advertised.ts';
import { areNotices, noticesAllowed, type ClientNotice } from './client-notice.ts';
import { arePatterns, patternsAllowed, unmatchedPattern, unmatchedVendor, vendorsAllowed } from './package-patterns.ts';

export interface SettingDefinition<Value extends JsonValue> {
  readonly standard: Value;
  /** completes "must be …" */
  readonly allowed: string;
  readonly description: string;
  readonly is: (value: JsonValue) => value is Value;
  /** why `is` says no, where `allowed` alone does not tell; follows the key */
  readonly reason?: (value: JsonValue) => string | undefined;
  /** what is wrong with a value that `is` one, where it is given now: in a stored one it does no harm */
  readonly objection?: (value: Value) => string | undefined;
}

/** Characters of a setting that is a text, at the most. */
export const longestText = 2000;
export const mostLicenses = 200;
export const mostRequestsAnHour = 1_000_000_000;
const daySeconds = 86_400;

const whole = (
  standard: number,
  least: number,
  most: number,
  description: string,
): SettingDefinition<number> & { readonly least: number; readonly most: number } => ({
  standard,
  least,
  most,
  description,
  allowed: `a whole number from ${least} to ${most}`,
  is: (value): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
});

const text = (
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

/** A text that may be an http(s) address: then of a host that can exist. */
const address = (
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

const patterns = (description: string): SettingDefinition<string[]> => ({
  standard: [],
  allowed: patternsAllowed,
  description,
  is: arePatterns,
  objection: unmatchedPattern,
});
const vendors = (description: string): SettingDefinition<string[]> => ({
  standard: [],
  allowed: vendorsAllowed,
  description,
  is: arePatterns,
  objection: unmatchedVendor,
});

const notices = (description: string): SettingDefinition<ClientNotice[]> => ({
  standard: [],
  allowed: noticesAllowed,
  description,
  is: areNotices,
});

export const settingDefinitions = {
  'mirroring.enabled': {
    standard: false,
    allowed: 'true or false',
    description: 'whether packages of a public registry are offered too; acts at once',
    is: (value: JsonValue): value is boolean => typeof value === 'boolean',
  } satisfies SettingDefinition<boolean>,
  'mirroring.url': address(
    'https://repo.packagist.org',
    String.raw`^(?:https://[^\s@?#\u0000-\u001f\u007f]+|http://(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?:[:/][^\s@?#\u0000-\u001f\u007f]*)?)$`,
    'an https address without user, query and fragment, or an http one of this machine',
    'which public registry',
  ),
  'mirroring.allow': patterns('which of its packages; an empty list: all'),
  'mirroring.deny': patterns('which of them not, whatever `allow` says'),
  'mirroring.reserved': patterns(
    'names that are never asked of another registry, whether there are such packages or not',
  ),
  'mirroring.shared_vendors': vendors(
    'vendors of which some packages are private and the others public; all packages of any other vendor that has a private one are private',
  ),
  'mirroring.minimum_age': whole(
    0,
    0,
    365 * daySeconds,
    'seconds for which a release of another registry has to be out before it is offered; one that does not say since when it is out is not offered then',
  ),
  'mirroring.licenses': {
    standard: [],
    allowed: `a list of at most ${mostLicenses} licences such as MIT, or BSD-* for all that begin so`,
    description: 'licences that packages of another registry may have; an empty list: any',
    is: (value: JsonValue): value is string[] =>
      Array.isArray(value) &&
      value.length <= mostLicenses &&
      value.every((one) => typeof one === 'string' && /^[A-Za-z0-9.+-]{1,60}\*?$/.test(one)),
  } satisfies SettingDefinition<string[]>,
  'mirroring.license_rule': text(
    'refuse',
    '^(?:refuse|warn)$',
    '`refuse` or `warn`',
    'what becomes of versions with other licences',
  ),
  'mirroring.abandoned': text(
    'allow',
    '^(?:allow|warn|refuse)$',
    '`allow`, `warn` or `refuse`',
    'what becomes of abandoned packages of another registry',
  ),
  'mirroring.fresh': whole(
    600,
    10,
    daySeconds,
    'seconds for which a document of another registry is served without asking again',
  ),
  'mirroring.missing': whole(
    60,
    1,
    3600,
    'seconds for which it is remembered that another registry does not have a package',
  ),
  metadata_url: address(
    exactMetadataUrl,
    metadataUrlPattern,
    'a template that starts with / or http(s)://HOST/ and contains %package%, such as /p2/%package%.json',
    'the metadata-url that packages.json names; acts at once',
  ),
  advertise: {
    standard: [...advertisable],
    allowed: `a list of any of ${advertisable.join(', ')}`,
    description: 'what packages.json offers Composer besides documents and archives; acts at once',
    is: (value: JsonValue): value is Advertisable[] =>
      Array.isArray(value) && value.every(isAdvertisable) && new Set(value).size === value.length,
  } satisfies SettingDefinition<Advertisable[]>,
  warnings: notices('what Composer warns its users of, by its version'),
  infos: notices('what Composer tells its users, by its version'),
  dist_url: address(
    'path',
    distUrlPattern,
    '`path`, or an http(s) address without user, query and fragment',
    'how the metadata names archives: by a path, or below this address of the registry; acts with the next build',
  ),
  'limits.read': whole(
    1000,
    0,
    mostRequestsAnHour,
    'requests an hour of read tokens without a limit of their own; 0: no limit',
  ),
  'limits.write': whole(
    500,
    0,
    mostRequestsAnHour,
    'requests an hour of write tokens without a limit of their own; 0: no limit',
  ),
  'sessions.lifetime': whole(
    daySeconds / 2,
    300,
    30 * daySeconds,
    'seconds from a login to the end of its session; of sessions that begin from now on',
  ),
  'passwords.min_length': whole(12, 8, 128, 'characters that a new password must have at least'),
  'retention.artifacts_days': whole(
    30,
    0,
    3650,
    'days for which a cleanup keeps withdrawn and superseded ZIPs, unless it is told otherwise',
  ),
  'retention.statistics_days': whole(400, 1, 3650, 'days for which downloads are counted by day'),
  'retention.jobs': whole(20, 1, 1000, 'jobs that are kept of each repository'),
};

type Definitions = typeof settingDefinitions;
export type SettingKey = keyof Definitions;
export type SettingValues = { readonly [Key in SettingKey]: Definitions[Key]['standard'] };

export const settingKeys = Object.keys(settingDefinitions) as readonly SettingKey[];

/** `undefined` for a key that is none. */
export function parseSettingKey(text: string): SettingKey | undefined {
  return settingKeys.find((key) => key === text);
}

/** Whether `value` can be read as the value of `key`. */
export function fitsSetting(key: SettingKey, value: JsonValue): boolean {
  return settingDefinitions[key].is(value);
}

/** What is wrong with `value`, where it is given for `key` now; undefined: nothing. */
export function settingFault(key: SettingKey, value: JsonValue): string | undefined {
  const { allowed, is, reason, objection }: SettingDefinition<JsonValue> = settingDefinitions[key] as never;
  if (!is(value)) return reason?.(value) ?? `must be ${allowed}`;
  // packages.json holds some of them, and PHP would decode none of it
  if (loneSurrogate(value) !== undefined) return 'holds half of a surrogate pair, which is no text';
  const fault = objection?.(value);
  return fault === undefined ? undefined : `must be ${allowed}: ${fault}`;
}
