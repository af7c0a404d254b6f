// Addresses that a package names, as far as a page may link to them. A package can name any text: only http and https
// become links. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../../build/contract/json.ts';
import type { PublishedVersion } from '../../../packages/published-package.ts';
import { parseUrl } from '../../../../build/contract/parse-url.ts';

/** The address, if a browser may open it. */
export function webAddress(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value.length > 2000 || !/^https?:\/\/[^\s<>"']+$/i.test(value)) return undefined;
  return parseUrl(value)?.username === '' ? value : undefined;
}

/** Forges whose pages of a commit have a known address, below the page of the repository. */
const commitPaths: Readonly<Record<string, string>> = {
  'github.com': '/commit/',
  'gitlab.com': '/-/commit/',
  'bitbucket.org': '/commits/',
  'codeberg.org': '/commit/',
};

/**
 * The page of the version's commit on its forge. undefined: the reference is no commit, or the forge is unknown.
 * `location`: of the source that published the version.
 */
export function commitLink({ entry, record }: PublishedVersion, location: string | undefined): string | undefined {
  if (!/^[0-9a-f]{40}$/.test(entry.reference)) return undefined;
  const page = repositoryPage(sourceUrl(record)) ?? repositoryPage(location);
  return page === undefined ? undefined : `${page.repository}${page.commits}${entry.reference}`;
}

/** The address of the git repository in the record; undefined: clients do not get it. */
function sourceUrl(record: JsonObject): string | undefined {
  const source = record['source'];
  return isJsonObject(source) && typeof source['url'] === 'string' ? source['url'] : undefined;
}

/** `git@github.com:acme/hello.git` and `https://github.com/acme/hello` → `https://github.com/acme/hello`. */
function repositoryPage(
  url: string | undefined,
): { readonly repository: string; readonly commits: string } | undefined {
  if (url === undefined || url.length > 500) return undefined;
  const found = /^(?:https:\/\/|ssh:\/\/git@|git@)([a-z.]+)[/:]((?:[\w.-]+\/)+[\w.-]+?)(?:\.git)?\/?$/i.exec(url);
  const host = found?.[1]?.toLowerCase();
  const path = found?.[2];
  if (host === undefined || path === undefined || !Object.hasOwn(commitPaths, host)) return undefined;
  if (path.split('/').some((part) => /^\.+$/.test(part))) return undefined;
  return { repository: `https://${host}/${path}`, commits: commitPaths[host] ?? '' };
}
