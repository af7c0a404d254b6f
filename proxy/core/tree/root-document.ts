// packages.json as this proxy serves it: the builder's bytes with four changes. Addresses follow the settings of the
// server, the service adds its own routes, and an empty list gets a pattern. Without the pattern clients would request
// every dependency. While mirroring, clients that read no patterns get no list (decision D452).

import { createHash } from 'node:crypto';
import { matchesNothingPattern } from '../../../build/contract/documents.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { dateShiftMs } from '../../../build/shared/caches/date-shift.ts';
import { TextDocument } from '../http/document.ts';
import { exactFormVary } from './exact-form.ts';
import { advisoryUrls, chosenForm, servedAddresses, type AddressChanges } from './root-addresses.ts';

/** The changes and additions of the server to the built packages.json. */
export interface RootChanges extends AddressChanges {
  readonly keys: JsonObject;
  /** true: the server answers requests about many packages at once */
  readonly answersAdvisories: boolean;
  /** filter lists that documents of other registries hold */
  readonly filterLists: readonly string[];
  /** equal for equal changes; short, since each request for packages.json uses it as a cache key */
  readonly id: string;
}

export type RootChangeOptions = {
  readonly [Each in 'detectsForm' | 'path' | 'address' | 'answersAdvisories' | 'mirrors' | 'filterLists']?:
    | RootChanges[Each]
    | undefined;
};

export function rootChanges(
  metadataUrl: string | undefined,
  keys: JsonObject = {},
  options: RootChangeOptions = {},
): RootChanges {
  const { path, address, answersAdvisories = true, mirrors = false, filterLists = [] } = options;
  const detectsForm = metadataUrl === undefined && options.detectsForm === true;
  return {
    metadataUrl,
    detectsForm,
    path,
    keys,
    address,
    answersAdvisories,
    mirrors,
    filterLists,
    id: digestOf([
      [metadataUrl ?? null, detectsForm, path ?? null],
      [keys, address ?? null, answersAdvisories, mirrors, filterLists],
    ]),
  };
}

function digestOf(changes: JsonValue): string {
  return createHash('sha256').update(JSON.stringify(changes)).digest('base64url').slice(0, 22);
}

/** In `available-package-patterns`: clients then request every name. */
export const anyName = '*';

export function isAnyName(patterns: JsonValue | undefined): boolean {
  return Array.isArray(patterns) && patterns.includes(anyName);
}

export const asBuilt: RootChanges = rootChanges(undefined);

/**
 * The address before the paths of Composer's questions about many packages; undefined: this Composer gets no such
 * address (`resolvesApiUrl`).
 */
export function apiBase(
  { address, path = '', answersAdvisories }: RootChanges,
  userAgent: string | undefined,
): string | undefined {
  if (!answersAdvisories) return undefined;
  return address ?? (resolvesApiUrl(userAgent) ? path : undefined);
}

/** The facts of a client that packages.json depends on. */
export interface RootForm {
  /** the address before paths: see apiBase */
  readonly base: string | undefined;
  /** the exact metadata-url is known not to arrive from there */
  readonly plain: boolean;
  /** the client requests listed names only, so that it gets no list while there are other packages */
  readonly readsNoPatterns?: boolean;
  /** a sentence that Composer shows to its user */
  readonly warning?: string | undefined;
}

/** Throws an Error when the document is no packages.json. Returns the same document if no change is necessary. */
export function rootDocument(
  built: TextDocument,
  changes: RootChanges,
  { base, plain, readsNoPatterns, warning }: RootForm,
): TextDocument {
  const json: unknown = JSON.parse(built.bytes.toString('utf8'));
  if (!isJsonObject(json)) throw new Error('packages.json is not a JSON object');
  const { keys, mirrors, filterLists } = changes;
  const addresses = servedAddresses(json, changes, plain);
  // documents of other registries contain advisories, whether or not this registry has its own
  const advised: JsonObject =
    mirrors && !isJsonObject(json['security-advisories']) ? { 'security-advisories': { metadata: true } } : {};
  const known: JsonObject = { ...json, ...advised, ...filteredBy(filterLists, json['filter']) };
  const fields: JsonObject = {
    ...addresses,
    ...keys,
    ...advised,
    ...filteredBy(filterLists, json['filter']),
    ...advisoryUrls(known, base, mirrors),
    ...(warning === undefined ? {} : { warnings: withWarning(keys['warnings'] ?? json['warnings'], warning) }),
    ...(mirrors ? { 'available-package-patterns': [anyName] } : {}),
  };
  const additions: JsonObject = {
    ...fields,
    ...(!mirrors && needsPattern(json) ? { 'available-package-patterns': [matchesNothingPattern] } : {}),
  };
  if (Object.keys(additions).length === 0 && !changes.detectsForm) return built;
  const shift = Object.keys(fields).length === 0 ? 0 : dateShiftMs(JSON.stringify(fields), saidShiftSeconds);
  const { 'available-packages': _list, ...unlisted } = json;
  const isUnlisted = mirrors && readsNoPatterns === true;
  const bytes = Buffer.from(`${JSON.stringify({ ...(isUnlisted ? unlisted : json), ...additions })}\n`);
  const formShift = ('metadata-url' in addresses ? otherFormShiftMs : 0) + (isUnlisted ? otherFormShiftMs / 2 : 0);
  return new TextDocument(bytes, built.lastModifiedMs - shift - formShift, {
    vary: changes.detectsForm ? exactFormVary : mirrors ? 'User-Agent' : undefined,
  });
}

/** Finds the key near the beginning of packages.json, without reading the list of thousands of names behind it. */
const metadataUrlMember = /"metadata-url":("(?:[^"\\]|\\.)*")/;
const beginningBytes = 64 * 1024;

/** The metadata-url in packages.json; undefined if absent. */
export function metadataUrlOf(
  built: TextDocument,
  changes: RootChanges,
  { plain }: Pick<RootForm, 'plain'>,
): string | undefined {
  const member = metadataUrlMember.exec(built.bytes.toString('utf8', 0, beginningBytes))?.[1];
  const named: unknown = member === undefined ? undefined : JSON.parse(member);
  return typeof named === 'string' ? chosenForm(changes, named, plain) : undefined;
}

/** Adds the lists of other registries; lists of this registry keep their own definition. */
function filteredBy(names: readonly string[], own: JsonValue | undefined): JsonObject {
  if (names.length === 0) return {};
  const filter = isJsonObject(own) ? own : {};
  return {
    filter: {
      ...filter,
      metadata: true,
      lists: {
        ...Object.fromEntries(names.map((name) => [name, { enabled: true }])),
        ...(isJsonObject(filter['lists']) ? filter['lists'] : {}),
      },
    },
  };
}

function withWarning(warnings: JsonValue | undefined, message: string): JsonValue {
  return [...(Array.isArray(warnings) ? warnings : []), { versions: '*', message }];
}

/** Composer takes an empty list for no list at all (ComposerRepository.php:1517). */
function needsPattern(json: JsonObject): boolean {
  const names = json['available-packages'];
  return Array.isArray(names) && names.length === 0 && json['available-package-patterns'] === undefined;
}

/**
 * Composer revalidates by Last-Modified alone. With the file's own time, a client with a packages.json from before a
 * change of a setting would get a 304 and keep the old document forever. Therefore every difference from the built file
 * moves the time back by its own number of seconds. The time is the same on every host and after every restart, never
 * in the future, and still rises with every publication.
 */
const saidShiftSeconds = 86_399;

/** 17 years, so that no date of one form equals a date of another form. Half of it is for documents without a list. */
const otherFormShiftMs = 2 ** 29 * 1000;

/**
 * Before 2.7 Composer read a path in the `api-url` of `security-advisories` as a file of its own machine, and `composer
 * audit` failed. It resolves all other keys of packages.json against the registry's address. Other clients are treated
 * like the newest Composer.
 */
function resolvesApiUrl(userAgent: string | undefined): boolean {
  const version = composerVersion(userAgent);
  if (version === undefined || version.major > 2) return true;
  return version.major === 2 && version.minor >= 7;
}

/**
 * The version of the requesting Composer; undefined: another client. The format of its `user-agent`: `Composer/2.5.5
 * (Linux; 6.1; PHP 8.2.7; …)`.
 */
function composerVersion(
  userAgent: string | undefined,
): { readonly major: number; readonly minor: number } | undefined {
  const [, major, minor] = /^Composer\/(\d+)\.(\d+)/.exec(userAgent ?? '') ?? [];
  return minor === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}
