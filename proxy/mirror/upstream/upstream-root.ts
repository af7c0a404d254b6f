// packages.json of another Composer repository: the location of its documents, and its list of packages. Pure. Unknown
// parts are ignored, as Composer ignores them (ComposerRepository.php, loadRootServerFile).

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { matchAnyName } from '../../../build/shared/patterns/package-pattern.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';

/**
 * `metadata-url`: one document for releases and one for dev versions. `providers-lazy-url`: one for both.
 * `providers-url`: one for both, at an address with its SHA-256; `lazy` is for names without one. `packages`: all
 * versions are in packages.json and its included files.
 */
export type Layout =
  | { readonly kind: 'metadata-url'; readonly template: string }
  | { readonly kind: 'providers-lazy-url'; readonly template: string }
  | ({
      readonly kind: 'providers-url';
      readonly template: string;
      readonly lazy: string | undefined;
    } & ListedFile<string>)
  | { readonly kind: 'packages'; readonly includes: readonly Include[] };

export interface Include {
  readonly url: URL;
  /** undefined if none is given to check against */
  readonly sha1: string | undefined;
  readonly sha256?: string | undefined;
}

/** What a file says of packages, by name, and the further files that it names. */
export interface ListedFile<Entry> {
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
  readonly includes: readonly Include[];
}

/** Throws an Error that describes the fault. `url`: of packages.json. */
export type ParseListed<Entry> = (json: JsonObject, url: URL) => ListedFile<Entry>;

export interface UpstreamDistMirror {
  /** an absolute URL with placeholders */
  readonly template: string;
  readonly preferred: boolean;
}

export interface UpstreamRoot {
  readonly layout: Layout;
  /** the records in packages.json itself; they take precedence for these names */
  readonly packages: ReadonlyMap<string, readonly JsonObject[]>;
  /** true if a request for the name can succeed */
  readonly mayHave: (name: string) => boolean;
  /** true if the list explicitly names documents of the package */
  readonly lists: (name: string) => boolean;
  readonly mirrors: readonly UpstreamDistMirror[];
  /** the feed of its changed documents */
  readonly changes: URL | undefined;
  /** true if the feed tells changes of the package: a registry's feed has what it lists, not what it mirrors itself */
  readonly tellsChanges: (name: string) => boolean;
  /** its keys about advisories and filter lists, unchanged; undefined: none */
  readonly advisories: JsonValue | undefined;
  readonly filter: JsonValue | undefined;
}

/** The address of a repository's packages.json, the base of relative addresses in it. */
export function rootUrlOf(repository: string): URL {
  return new URL(
    new URL(repository).pathname.endsWith('.json') ? repository : `${repository.replace(/\/+$/, '')}/packages.json`,
  );
}

/** The same for every way to write the address of one repository. */
export function addressOf(repository: string): string {
  return rootUrlOf(repository).href.replace(/\/packages\.json$/, '');
}

/** Throws an Error that describes the fault. `url`: the address of this document. */
export function parseUpstreamRoot(json: unknown, url: URL): UpstreamRoot {
  if (!isJsonObject(json)) throw new Error('packages.json is not a JSON object');
  const packages = recordsByName(json['packages']);
  const layout = layoutOf(json, url);
  const inline = layout.kind === 'packages';
  const listed = new Set(inline ? [] : textsOf(json['available-packages']).map((name) => name.toLowerCase()));
  return {
    layout,
    packages,
    mayHave: inline && layout.includes.length === 0 ? (name) => packages.has(name) : availabilityOf(json, packages),
    lists: (name) => listed.has(name),
    mirrors: mirrorsOf(json['mirrors'], url),
    changes: changesOf(json['metadata-changes-url'], url),
    tellsChanges: (name) => !('available-packages' in json && 'available-package-patterns' in json) || listed.has(name),
    advisories: json['security-advisories'],
    filter: json['filter'],
  };
}

function layoutOf(json: JsonObject, url: URL): Layout {
  const { 'metadata-url': metadata, 'providers-lazy-url': lazy, 'providers-url': hashed, includes } = json;
  if (typeof metadata === 'string' && metadata !== '')
    return { kind: 'metadata-url', template: templateOf('metadata-url', metadata, url) };
  const template = typeof lazy === 'string' && lazy !== '' ? templateOf('providers-lazy-url', lazy, url) : undefined;
  if (typeof hashed === 'string' && hashed !== '') {
    // the other packages must not count as missing
    if (template === undefined && json['providers'] === undefined && json['provider-includes'] === undefined)
      throw new Error('packages.json has providers-url, and neither providers nor provider-includes');
    const kind = 'providers-url';
    return { kind, template: templateOf('providers-url', hashed, url), lazy: template, ...hashesIn(json, url) };
  }
  if (template !== undefined) return { kind: 'providers-lazy-url', template };
  if (json['packages'] === undefined && includes === undefined)
    throw new Error('packages.json has none of metadata-url, providers-lazy-url, providers-url, packages and includes');
  return { kind: 'packages', includes: packagesIn(json, url).includes };
}

/** The records of packages.json, or of a file that it includes. */
export const packagesIn: ParseListed<JsonObject> = ({ packages, includes }, url) => ({
  entries: recordsByName(packages),
  includes: listedIn(includes).map(([path, entry]) => ({
    url: new URL(absolute(path, url)),
    sha1: digestOf(entry, 'sha1'),
  })),
});

/**
 * The SHA-256 of the document of each package, in packages.json or in a file of its provider-includes. The last one
 * counts. A document without one, or with an unreadable one, matches nothing, and is an error.
 */
export const hashesIn: ParseListed<string> = ({ providers, 'provider-includes': includes }, url) => ({
  entries: new Map(
    Object.entries(isJsonObject(providers) ? providers : {}).map(([name, entry]) => [
      name.toLowerCase(),
      [digestOf(entry, 'sha256') ?? ''],
    ]),
  ),
  includes: listedIn(includes).map(([path, entry]) => {
    const sha256 = digestOf(entry, 'sha256') ?? '';
    return { url: new URL(withHash(absolute(path, url), sha256)), sha1: undefined, sha256 };
  }),
});

/** The address of a document with a digest. Composer writes `$` so too, for some proxies. */
export function withHash(template: string, sha256: string): string {
  return template.replaceAll('%hash%', sha256).replace('$', '%24');
}

/** Throws if there are more than the limit, because omitted packages would count as missing. */
function listedIn(includes: JsonValue | undefined): readonly (readonly [string, JsonValue | undefined])[] {
  const listed = isJsonObject(includes) ? Object.entries(includes) : [];
  if (listed.length > maxIncludes) throw new Error(`it includes ${listed.length} files; ${maxIncludes} are read`);
  return listed;
}

function digestOf(entry: JsonValue | undefined, kind: 'sha1' | 'sha256'): string | undefined {
  const digest = isJsonObject(entry) ? entry[kind] : undefined;
  return typeof digest === 'string' && digest !== '' ? digest.toLowerCase() : undefined;
}

export const maxIncludes = 1000;

function templateOf(field: string, text: string, url: URL): string {
  const template = absolute(text, url);
  if (parseUrl(template.replaceAll('%package%', 'vendor/name')) === undefined)
    throw new Error(`${field} of packages.json is ${JSON.stringify(text.slice(0, 200))}, which is no address`);
  return template;
}

/**
 * `/x` is relative to the host, `x` to packages.json (ComposerRepository.php, canonicalizeUrl and fetchFile).
 * Placeholders stay unchanged.
 */
export function absolute(text: string, url: URL): string {
  if (/^https?:\/\//i.test(text)) return text;
  return text.startsWith('/') ? `${url.origin}${text}` : `${url.origin}${url.pathname.replace(/[^/]*$/, '')}${text}`;
}

/** An empty list is as good as none (ComposerRepository.php:1517). */
function availabilityOf(json: JsonObject, packages: ReadonlyMap<string, unknown>): (name: string) => boolean {
  const names = textsOf(json['available-packages']).map((name) => name.toLowerCase());
  const patterns = textsOf(json['available-package-patterns']);
  if (names.length === 0 && patterns.length === 0) return () => true;
  const listed = new Set(names);
  const matches = matchAnyName(patterns);
  return (name) => listed.has(name) || matches(name) || packages.has(name);
}

function mirrorsOf(value: JsonValue | undefined, url: URL): readonly UpstreamDistMirror[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: JsonValue) => {
    if (!isJsonObject(entry) || typeof entry['dist-url'] !== 'string') return [];
    return [{ template: absolute(entry['dist-url'], url), preferred: entry['preferred'] === true }];
  });
}

function changesOf(value: JsonValue | undefined, url: URL): URL | undefined {
  return typeof value === 'string' && value !== '' ? parseUrl(absolute(value, url)) : undefined;
}

/** name → its records, from `{name: {label: record}}` or `{name: [record]}`. Names are lower case. */
export function recordsByName(value: JsonValue | undefined): ReadonlyMap<string, readonly JsonObject[]> {
  if (!isJsonObject(value)) return new Map();
  return new Map(
    Object.entries(value).map(([name, versions]) => {
      const { records, unusable } = recordsOf(versions);
      return [name.toLowerCase(), [...records, ...unusable]];
    }),
  );
}

/**
 * Ignores the label, as Composer does (ComposerRepository.php:1319). `unusable`: a record that is refused later, with
 * the reason, for each entry that is no object.
 */
export function recordsOf(versions: JsonValue | undefined): Record<'records' | 'unusable', readonly JsonObject[]> {
  const entries = typeof versions === 'object' && versions !== null ? Object.entries(versions) : [];
  return {
    records: entries.flatMap(([, entry]) => (isJsonObject(entry) ? [entry] : [])),
    unusable: entries.flatMap(([label, entry]) => (isJsonObject(entry) ? [] : [{ version: `entry ${label}` }])),
  };
}

export function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
