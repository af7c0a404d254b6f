// packages.json as this proxy hands it out: the builder's bytes, but for a metadata-url the operator wants instead, for what only a service can
// offer, and for what an empty list needs so that clients do not ask for every dependency they have (decision 14).

import { createHash } from 'node:crypto';
import { matchesNothingPattern } from '../../build/contract/documents.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { resolvesApiUrl } from './composer-version.ts';
import { TextDocument } from './document.ts';
import { safetyUrls } from './safety-urls.ts';

/** What packages.json says instead of what was built, and besides. */
export interface RootChanges {
  /** undefined: as built */
  readonly metadataUrl: string | undefined;
  readonly keys: JsonObject;
  /** the registry's own, without a slash at its end; undefined: nobody has said it */
  readonly address: string | undefined;
  /** there are more packages than the listed ones, which are not known before somebody asks */
  readonly mirrors: boolean;
  /** filter lists that documents of other registries hold */
  readonly filterLists: readonly string[];
  /** the same for equal changes */
  readonly id: string;
}

export function rootChanges(metadataUrl: string | undefined, keys: JsonObject = {}, { address, mirrors = false, filterLists = [] }: { readonly address?: string | undefined; readonly mirrors?: boolean; readonly filterLists?: readonly string[] } = {}): RootChanges {
  return { metadataUrl, keys, address, mirrors, filterLists, id: JSON.stringify([metadataUrl, keys, address, mirrors, filterLists]) };
}

/** In `available-package-patterns`: clients ask for every name. */
export const anyName = '*';

export function isAnyName(patterns: JsonValue | undefined): boolean {
  return Array.isArray(patterns) && patterns.includes(anyName);
}

export const asBuilt: RootChanges = rootChanges(undefined);

/** What stands before the paths of what Composer asks about many packages at once; undefined: this Composer is not told of them (composer-version.ts). */
export function apiBase({ address }: RootChanges, userAgent: string | undefined): string | undefined {
  return address ?? (resolvesApiUrl(userAgent) ? '' : undefined);
}

/** `base`: see apiBase. Throws an Error when the document is no packages.json. The document itself where nothing is to be changed. */
export function rootDocument(built: TextDocument, { metadataUrl, keys, mirrors, filterLists }: RootChanges, base: string | undefined): TextDocument {
  const json: unknown = JSON.parse(built.bytes.toString('utf8'));
  if (!isJsonObject(json)) throw new Error('packages.json is not a JSON object');
  const rewritesUrl = metadataUrl !== undefined && metadataUrl !== json['metadata-url'];
  // documents of other registries hold advisories, whatever is known here
  const advised: JsonObject = mirrors && !isJsonObject(json['security-advisories']) ? { 'security-advisories': { metadata: true } } : {};
  const known: JsonObject = { ...json, ...advised, ...filteredBy(filterLists, json['filter']) };
  const said: JsonObject = { ...(rewritesUrl ? { 'metadata-url': metadataUrl } : {}), ...keys, ...advised, ...filteredBy(filterLists, json['filter']), ...safetyUrls(known, base, mirrors), ...(mirrors ? { 'available-package-patterns': [anyName] } : {}) };
  const additions: JsonObject = { ...said, ...(!mirrors && needsPattern(json) ? { 'available-package-patterns': [matchesNothingPattern] } : {}) };
  if (Object.keys(additions).length === 0) return built;
  const shift = Object.keys(said).length === 0 ? 0 : shiftMs(JSON.stringify(said));
  return new TextDocument(Buffer.from(`${JSON.stringify({ ...json, ...additions })}\n`), built.lastModifiedMs - shift);
}

/** Lists of other registries beside ours, whose names stay as they were said here. */
function filteredBy(names: readonly string[], own: JsonValue | undefined): JsonObject {
  if (names.length === 0) return {};
  const filter = isJsonObject(own) ? own : {};
  return { filter: { ...filter, metadata: true, lists: { ...Object.fromEntries(names.map((name) => [name, { enabled: true }])), ...(isJsonObject(filter['lists']) ? filter['lists'] : {}) } } };
}

/** Composer takes an empty list for no list at all (ComposerRepository.php:1517). */
function needsPattern(json: JsonObject): boolean {
  const names = json['available-packages'];
  return Array.isArray(names) && names.length === 0 && json['available-package-patterns'] === undefined;
}

/**
 * Composer revalidates by Last-Modified alone. With the file's own time, a client that fetched packages.json before the operator changed a
 * setting would be told 304 and keep what it said for ever. So whatever is said besides moves the time back by its own number of seconds: the same
 * on every host and after every restart, never in the future, and still rising with every publication.
 */
function shiftMs(said: string): number {
  return (1 + (createHash('sha256').update(said).digest().readUInt32BE(0) % 86_399)) * 1000;
}
