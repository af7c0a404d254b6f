// The documents Composer reads, as it reads them (ComposerRepository.php and ArrayLoader.php of Composer;
// doc/05-repositories.md there).

import type { Reference, Sha1 } from './digest.ts';
import type { JsonObject } from './json.ts';
import type { PackageName } from './name.ts';

/** `/packages.json` */
export interface RootDocument {
  readonly packages: Readonly<Record<string, never>>;
  readonly 'metadata-url': string;
  /** lower case, sorted; absent from the client's point of view when empty, hence the patterns */
  readonly 'available-packages': readonly PackageName[];
  readonly 'available-package-patterns'?: readonly string[];
  readonly mirrors?: readonly DistMirror[];
  /** documents contain advisories and filter lists: advisory-lists.ts */
  readonly 'security-advisories'?: JsonObject;
  readonly filter?: JsonObject;
  /** The registry's description, for people. ComposerRepository.php reads none of these keys. */
  readonly name?: string;
  readonly description?: string;
  readonly homepage?: string;
}

export type DistMirror = { readonly 'dist-url': string; readonly preferred: true };

/** One version in a p2 document: the whole composer.json without root-only keys, and the location of the archive. */
export interface VersionRecord extends JsonObject {
  readonly name: string;
  readonly version: string;
  readonly version_normalized: string;
  readonly dist?: DistRecord & JsonObject;
  readonly time?: string;
  /**
   * when this registry first published this content (packagist.org has the field since June 2026): RFC 3339 with an
   * offset, whole seconds
   */
  readonly 'published-time'?: string;
  readonly 'default-branch'?: true;
  readonly source?: { readonly type: 'git'; readonly url: string; readonly reference: Reference } & JsonObject;
  readonly abandoned?: boolean | string;
}

export interface DistRecord {
  readonly type: 'zip';
  /** `/dist/<vendor>/<package>/<version>.zip`, or an absolute URL if the operator configured one */
  readonly url: string;
  readonly reference: Reference;
  /** absent only for dev versions, if the operator configured so */
  readonly shasum?: Sha1;
}

/**
 * `/p2/<vendor>/<package>.json` and its `~dev` twin: name → version label → record. `security-advisories` and `filter`
 * follow if the package has any.
 */
export interface ProviderDocument {
  readonly packages: Readonly<Record<string, Readonly<Record<string, VersionRecord>>>>;
}

/** The exact form that the interface requires. Composer fills in `%package%` and leaves `$%hash%` unchanged. */
export const exactMetadataUrl = '/p2/%package%$%hash%.json';

/** For use behind web servers that refuse the exact one (nginx, Apache, Caddy) and for bare static hosts. */
export const plainMetadataUrl = '/p2/%package%.json';

/**
 * Lets Composer resolve a dist path against the address it knows us by, with the reference that pins a dev version's
 * bytes.
 */
export const mirrorDistUrl = '/dist/%package%/%prettyVersion%.zip?ref=%reference%';

/** `mirrors` of packages.json. `path`: the one below which clients reach the registry, without a slash at its end. */
export function distMirrors(path = ''): DistMirror[] {
  return [{ 'dist-url': `${path}${mirrorDistUrl}`, preferred: true }];
}

/**
 * The only entry of `available-package-patterns` for an empty list: Composer ignores an empty list and would request
 * every dependency.
 */
export const matchesNothingPattern = '~none~/~none~';
