// Filter lists as operators write them (Composer ≥ 2.10, ComposerRepositoryFilterInformation.php): under each list's
// name the versions of packages that it keeps out. Pure; every entry that is wrong is named.

import { isJsonObject, type JsonValue } from '../contract/json.ts';
import { parsePackageName, type PackageName } from '../contract/name.ts';
import type { FilterEntry } from '../contract/advisory-lists.ts';
import { constraintFault, isTextOrNothing, type Complain } from './advisory-file.ts';

/** Composer's own names of policies, which no list may have. */
const reserved: ReadonlySet<string> = new Set([
  'advisories',
  'abandoned',
  'license',
  'licenses',
  'package',
  'packages',
  'support',
  'security',
  'maintenance',
  'minimum-release-age',
]);

/** The fault of a list's name; undefined: the name is valid. */
export function listNameFault(name: string): string | undefined {
  if (!/^[a-z0-9]+(?:[_-][a-z0-9]+)*$/.test(name) || name.length > 64)
    return 'must be up to 64 lower-case letters and digits, with - or _ between them';
  if (reserved.has(name) || name.startsWith('ignore'))
    return 'is one of Composer\'s own words; take another, such as "malware"';
  return undefined;
}

export interface PackageFilterEntry {
  readonly name: PackageName;
  readonly entry: FilterEntry;
}

/** The entries of one list, in their order; those that were complained of are left out. */
export function readFilterEntries(json: JsonValue, complain: Complain): readonly PackageFilterEntry[] {
  if (!Array.isArray(json)) {
    complain('', 'must be a list of entries like {"package": "acme/hello", "constraint": "1.2.3", "reason": "…"}');
    return [];
  }
  return json.flatMap((row: JsonValue, at) => readEntry(row, `[${at}]`, complain) ?? []);
}

function readEntry(row: JsonValue, where: string, complain: Complain): PackageFilterEntry | undefined {
  if (!isJsonObject(row)) {
    complain(where, 'must be an object');
    return undefined;
  }
  let sound = true;
  const wrong = (key: string, rule: string): void => {
    sound = false;
    complain(`${where}.${key}`, rule);
  };
  const { package: given, constraint, ...others } = row;
  const name = typeof given === 'string' ? parsePackageName(given.toLowerCase()) : undefined;
  if (name === undefined) wrong('package', 'must be a package name such as "acme/hello"');
  constraintFault(constraint, (rule) => wrong('constraint', rule));
  for (const key of ['reason', 'url', 'id', 'source']) if (!isTextOrNothing(others[key])) wrong(key, 'must be text');
  for (const key of Object.keys(others))
    if (!['reason', 'url', 'id', 'source'].includes(key))
      wrong(key, 'is not known; there are package, constraint, reason, url, id and source');
  return sound && name !== undefined ? { name, entry: { constraint: String(constraint), ...others } } : undefined;
}
