// packages.json of another Composer repository: the location of its documents, and its list of packages. Pure. Unknown
// parts are ignored, as Composer ignores them (ComposerRepository.php, loadRootServerFile).

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { matchAnyName } from '../../../build/shared/patterns/package-pattern.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';

/**
 * `v2`: one document for releases and one for dev versions. `lazy`: one for both (providers-lazy-url). `inline`: all
 * versions are in packages.json and its included files.
 */
export type Layout =
  | { readonly kind: 'v2' | 'lazy'; readonly template: string }
  | { readonly kind: 'inline'; readonly includes: readonly Include[] };

export interface Include {
  readonly url: URL;
  /** undefined if none is given to check against */
  readonly sha1: string | undefined;
}

export interface DistMirror {
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
  readonly mirrors: readonly DistMirror[];
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
  const inline = layout.kind === 'inline';
  const listed = new Set(inline ? [] : textsOf(json['available-packages']).map((name) => name.toLowerCase()));
  return {
    layout,
    packages,
    mayHave: inline && layout.includes.length === 0 ? (name) => packages.has(name) : availabilityOf(json, packages),
    lists: (name) => listed.has(name),
    mirrors: mirrorsOf(json['mirrors'], url),
    advisories: json['security-advisories'],
    filter: json['filter'],
  };
}

function layoutOf(json: JsonObject, url: URL): Layout {
  const { 'metadata-url': metadata, 'providers-lazy-url': lazy, includes } = json;
  if (typeof metadata === 'string' && metadata !== '')
    return { kind: 'v2', template: templateOf('metadata-url', metadata, url) };
  if (typeof lazy === 'string' && lazy !== '')
    return { kind: 'lazy', template: templateOf('providers-lazy-url', lazy, url) };
  // refuses this format even if `packages` has entries: the other packages are in unsupported files, and must not count
  // as missing
  if (typeof json['providers-url'] === 'string' && json['providers-url'] !== '')
    throw new Error(
      'packages.json has only providers-url, which Composer 1 read; an address with metadata-url or ' +
        'providers-lazy-url is needed',
    );
  if (json['packages'] === undefined && includes === undefined)
    throw new Error('packages.json has none of metadata-url, providers-lazy-url, packages and includes');
  return { kind: 'inline', includes: includesOf(json, url) };
}

/**
 * The included files of packages.json, or of an included file; `url`: that of packages.json. Throws if there are more
 * than the limit, because omitted packages would count as missing.
 */
export function includesOf({ includes }: JsonObject, url: URL): readonly Include[] {
  const listed = isJsonObject(includes) ? Object.entries(includes) : [];
  if (listed.length > maxIncludes) throw new Error(`it includes ${listed.length} files; ${maxIncludes} are read`);
  return listed.map(([path, entry]) => ({
    url: new URL(absolute(path, url)),
    sha1:
      isJsonObject(entry) && typeof entry['sha1'] === 'string' && entry['sha1'] !== ''
        ? entry['sha1'].toLowerCase()
        : undefined,
  }));
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
function absolute(text: string, url: URL): string {
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

function mirrorsOf(value: JsonValue | undefined, url: URL): readonly DistMirror[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: JsonValue) => {
    if (!isJsonObject(entry) || typeof entry['dist-url'] !== 'string') return [];
    return [{ template: absolute(entry['dist-url'], url), preferred: entry['preferred'] === true }];
  });
}

/** name → its records, from `{name: {label: record}}` or `{name: [record]}`. Names are lower case. */
export function recordsByName(value: JsonValue | undefined): ReadonlyMap<string, readonly JsonObject[]> {
  if (!isJsonObject(value)) return new Map();
  return new Map(Object.entries(value).map(([name, versions]) => [name.toLowerCase(), recordsOf(versions)]));
}

/** Ignores the label, as Composer does (ComposerRepository.php:1319). */
export function recordsOf(versions: JsonValue | undefined): readonly JsonObject[] {
  const values = Array.isArray(versions) ? versions : isJsonObject(versions) ? Object.values(versions) : [];
  return values.filter(isJsonObject);
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
