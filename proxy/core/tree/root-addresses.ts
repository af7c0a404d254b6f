// The addresses in packages.json that this server decides: those of documents, of archives, and of questions about many
// packages. A tree has the addresses of the settings at its build, and none for questions, since a build cannot know
// that a service answers. A server of the same data folder uses its own settings: a change acts at its next start.

import { distMirrors, exactMetadataUrl, plainMetadataUrl } from '../../../build/contract/documents.ts';
import { type JsonObject, isJsonObject } from '../../../build/contract/json.ts';

export interface AddressChanges {
  /** the metadata-url for every client; undefined: none was set */
  readonly metadataUrl: string | undefined;
  /** clients that cannot request the exact metadata-url get the plain one, unless one was set */
  readonly detectsForm: boolean;
  /** the path below which clients reach the registry, without a slash at its end; undefined: the one of the build */
  readonly path: string | undefined;
  /** the address before archives, without a slash at its end; undefined: documents have paths */
  readonly address: string | undefined;
  /** there are more packages than the listed ones, and they are unknown before a request */
  readonly mirrors: boolean;
}

/** Returns the addresses that differ from those of the build. */
export function servedAddresses(json: JsonObject, changes: AddressChanges, plain: boolean): JsonObject {
  const built = json['metadata-url'];
  const metadataUrl = typeof built === 'string' ? chosenForm(changes, built, plain) : changes.metadataUrl;
  // documents of other registries have paths at once, those of a build with absolute addresses have none
  const { mirrors: builtMirrors } = json;
  const { path, address, mirrors: isMirroring } = changes;
  const follows = builtMirrors === undefined ? isMirroring && address === undefined : path !== undefined;
  const mirrors = distMirrors(path);
  return {
    ...(metadataUrl === undefined || metadataUrl === built ? {} : { 'metadata-url': metadataUrl }),
    ...(follows && JSON.stringify(mirrors) !== JSON.stringify(builtMirrors) ? { mirrors: [...mirrors] } : {}),
  };
}

/** `built`: the metadata-url of the tree; its form stays where the server does not look at its clients. */
export function chosenForm({ metadataUrl, detectsForm, path }: AddressChanges, built: string, plain: boolean): string {
  const form = [exactMetadataUrl, plainMetadataUrl].find((known) => built.endsWith(known));
  if (metadataUrl !== undefined || (path === undefined && form === undefined)) return metadataUrl ?? built;
  const isPlain = detectsForm ? plain : form === plainMetadataUrl;
  return `${path ?? built.slice(0, -(form ?? '').length)}${isPlain ? plainMetadataUrl : exactMetadataUrl}`;
}

export const advisoriesPath = '/security-advisories';
export const filtersPath = '/filters';
export const filterSummaryPath = '/filters/summary.json';

/**
 * Adds the addresses for requests about the advisories and filter entries of many packages. `base`: the address before
 * the paths; undefined: no address is given, and Composer uses the documents alone. Adds nothing if the build has no
 * lists. `mirrors`: a summary would have to name every package of other registries, so it is omitted, and Composer
 * sends the names of its packages.
 */
export function advisoryUrls(root: JsonObject, base: string | undefined, mirrors = false): JsonObject {
  if (base === undefined) return {};
  const { 'security-advisories': advisories, filter } = root;
  return {
    ...(isJsonObject(advisories)
      ? { 'security-advisories': { ...advisories, 'api-url': `${base}${advisoriesPath}` } }
      : {}),
    ...(isJsonObject(filter)
      ? {
          filter: {
            ...filter,
            ...(mirrors ? {} : { 'summary-url': `${base}${filterSummaryPath}` }),
            'api-url': `${base}${filtersPath}`,
          },
        }
      : {}),
  };
}
