// Every setting that can change while the registry runs: its allowed values and its default.

import { exactMetadataUrl } from '../../build/contract/documents.ts';
import { loneSurrogate, type JsonValue } from '../../build/contract/json.ts';
import { loopbackPattern } from '../../build/contract/loopback.ts';
import { distUrlPattern, metadataUrlPattern, webAddressAllowed } from '../../build/contract/registry-address.ts';
import { advertisable, isAdvertisable, type Advertisable } from './advertised.ts';
import {
  address,
  choice,
  ids,
  mostRequestsAnHour,
  notices,
  patterns,
  text,
  vendors,
  whole,
  type SettingDefinition,
} from './setting-kinds.ts';

export const downloadCounts = ['version', 'token'] as const;
export const mostLicenses = 200;
const daySeconds = 86_400;

export const settingDefinitions = {
  'branding.name': text(
    'Libretto',
    String.raw`^(?! )[^\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]{1,40}(?<! )$`,
    'a text of 1 to 40 characters in one line, without blanks at its ends',
    'the name of this registry in the console, the static catalogue, mails and feeds',
  ),
  'branding.color': choice(
    'indigo',
    ['indigo', 'teal', 'green', 'amber', 'red', 'violet'],
    'the colour of links and buttons in the console and the static catalogue, readable in light and dark',
  ),
  'mirroring.enabled': {
    standard: false,
    allowed: 'true or false',
    description: 'whether the registry mirrors packages of a public registry; takes effect at once',
    is: (value: JsonValue): value is boolean => typeof value === 'boolean',
  } satisfies SettingDefinition<boolean>,
  'mirroring.url': address(
    'https://repo.packagist.org',
    String.raw`^(?:https://[^\s@?#\u0000-\u001f\u007f]+|http://${loopbackPattern}(?:[:/][^\s@?#\u0000-\u001f\u007f]*)?)$`,
    'an https address without user, query and fragment, or an http one of this machine',
    'the address of the public registry',
  ),
  'mirroring.allow': patterns('the packages of the public registry to mirror; an empty list: all'),
  'mirroring.deny': patterns('packages of the public registry not to mirror, even if they are among those to mirror'),
  'mirroring.reserved': patterns(
    'names that are never requested from another registry, even if no such package exists here',
  ),
  'mirroring.shared_vendors': vendors(
    'vendors with both private and public packages. For any other vendor with a private package, all packages ' +
      'are private',
  ),
  'mirroring.minimum_age': whole(
    0,
    0,
    365 * daySeconds,
    'the minimum age, in seconds, of releases of another registry. With a minimum age, releases of unknown age ' +
      'are not offered',
    'seconds',
  ),
  'mirroring.licenses': {
    standard: [],
    allowed: `a list of at most ${mostLicenses} licences such as MIT, or BSD-* for all with that prefix`,
    description: 'the allowed licences for packages of another registry; an empty list: any',
    is: (value: JsonValue): value is string[] =>
      Array.isArray(value) &&
      value.length <= mostLicenses &&
      value.every((one) => typeof one === 'string' && /^[A-Za-z0-9.+-]{1,60}\*?$/.test(one)),
  } satisfies SettingDefinition<string[]>,
  'mirroring.license_rule': choice('refuse', ['refuse', 'warn'], 'the rule for versions with other licences'),
  'mirroring.abandoned': choice(
    'allow',
    ['allow', 'warn', 'refuse'],
    'the rule for abandoned packages of another registry',
  ),
  'mirroring.fresh': whole(
    600,
    10,
    daySeconds,
    'the time, in seconds, that a document of another registry is served without a new request',
    'seconds',
  ),
  'mirroring.missing': whole(
    60,
    1,
    3600,
    'the time, in seconds, that a 404 of another registry is remembered',
    'seconds',
  ),
  metadata_url: address(
    exactMetadataUrl,
    metadataUrlPattern,
    'a template that starts with / or http(s)://HOST/ and contains %package%, such as /p2/%package%.json, with the path of publicUrl before it',
    'the metadata-url in packages.json; takes effect at once',
  ),
  advertise: {
    standard: [...advertisable],
    allowed: `a list of any of ${advertisable.join(', ')}`,
    description: 'optional endpoints that packages.json offers to Composer; takes effect at once',
    is: (value: JsonValue): value is Advertisable[] =>
      Array.isArray(value) && value.every(isAdvertisable) && new Set(value).size === value.length,
  } satisfies SettingDefinition<Advertisable[]>,
  warnings: notices('warnings that Composer prints, by version of Composer'),
  infos: notices('information that Composer prints, by version of Composer'),
  dist_url: address(
    'path',
    distUrlPattern,
    `\`path\`, or an ${webAddressAllowed}`,
    'the form of archive addresses in the metadata: a path, or this address of the registry; takes effect with ' +
      'the next build',
  ),
  'limits.read': whole(
    1000,
    0,
    mostRequestsAnHour,
    'requests per hour of read tokens without their own limit; 0: no limit',
  ),
  'limits.write': whole(
    500,
    0,
    mostRequestsAnHour,
    'requests per hour of write tokens without their own limit; 0: no limit',
  ),
  'sessions.lifetime': whole(
    daySeconds / 2,
    300,
    30 * daySeconds,
    'the lifetime of a session in seconds; applies to new sessions',
    'seconds',
  ),
  'passwords.min_length': whole(12, 8, 128, 'the minimum length of a new password, in characters'),
  'people.packages': choice(
    'all',
    ['all', 'teams'],
    'the packages of people who are in no team: all, or only those of teams, and therefore none. Admins always see all. ' +
      'The first team that is made sets it to `teams`; takes effect with the next request',
  ),
  'retention.artifacts_days': whole(
    30,
    0,
    3650,
    'the default number of days that a cleanup keeps withdrawn and superseded ZIPs',
  ),
  'retention.statistics_days': whole(
    400,
    1,
    3650,
    'the number of days that download and install counts by day, and uses by token, are kept',
  ),
  'statistics.by': choice(
    'version',
    downloadCounts,
    'what downloads and installs are counted by: the version alone, or also the token, which shows who uses a version; ' +
      'takes effect at once',
  ),
  'retention.jobs': whole(20, 1, 1000, 'the number of jobs kept per repository'),
  'sync.parallel': whole(4, 1, 64, 'the number of repositories that a server syncs at once, two of them from one host'),
  'publishing.staged': ids(
    ['tok', 'pub'],
    'write tokens and trusted publishers whose uploads no client sees until a person approves them. Takes effect at once',
  ),
  'publishing.four_eyes': {
    standard: false,
    allowed: 'true or false',
    description:
      'whether another person than the publisher approves a held or staged release. Where no person published it, two people ' +
      'approve it. Takes effect at once',
    is: (value: JsonValue): value is boolean => typeof value === 'boolean',
  } satisfies SettingDefinition<boolean>,
  'publishing.keyless_only': patterns(
    'packages whose ZIPs only CI jobs of trusted publishers upload: other tokens and people are refused. Takes effect at ' +
      'once',
  ),
};

type Definitions = typeof settingDefinitions;
export type SettingKey = keyof Definitions;
export type SettingValues = { readonly [Key in SettingKey]: Definitions[Key]['standard'] };

export const settingKeys = Object.keys(settingDefinitions) as readonly SettingKey[];

/** `undefined` for a key that is none. */
export function parseSettingKey(text: string): SettingKey | undefined {
  return settingKeys.find((key) => key === text);
}

/** True if `value` is valid for `key`. */
export function fitsSetting(key: SettingKey, value: JsonValue): boolean {
  return settingDefinitions[key].is(value);
}

/** The fault of setting `key` to `value` now; undefined: none. */
export function settingFault(key: SettingKey, value: JsonValue): string | undefined {
  const { allowed, is, reason, objection }: SettingDefinition<JsonValue> = settingDefinitions[key] as never;
  if (!is(value)) return reason?.(value) ?? `must be ${allowed}${insteadOf(value)}`;
  // some settings appear in packages.json, which PHP could then not decode at all
  if (loneSurrogate(value) !== undefined) return 'contains half of a surrogate pair, which is not valid text';
  const fault = objection?.(value);
  return fault === undefined ? undefined : `must be ${allowed}: ${fault}`;
}

/** `, not "many"`; empty for lists, and for addresses with parts that may hold a secret. */
function insteadOf(value: JsonValue): string {
  const text = JSON.stringify(value);
  return typeof value === 'object' || /[@?#]/.test(text) ? '' : `, not ${text.slice(0, 80)}`;
}
