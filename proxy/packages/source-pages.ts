// Pages of forges about a version's commit and its files. The forges are known by their host. Pure.

import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { PublishedVersion } from './published-package.ts';

/** Forges whose pages have known addresses, below the page of the repository: of a commit, and of its files. */
const forges: Readonly<Record<string, { readonly commits: string; readonly files: string }>> = {
  'github.com': { commits: '/commit/', files: '/blob/' },
  'gitlab.com': { commits: '/-/commit/', files: '/-/blob/' },
  'bitbucket.org': { commits: '/commits/', files: '/src/' },
  'codeberg.org': { commits: '/commit/', files: '/src/commit/' },
};

/**
 * The page of the version's commit on its forge. undefined: the reference is no commit, or the forge is unknown.
 * `location`: of the source that published the version.
 */
export function commitLink(version: PublishedVersion, location: string | undefined): string | undefined {
  return pageOf(version, location, 'commits');
}

/** The page below which the files of the version have their pages, with a slash at its end; undefined as above. */
export function filesLink(version: PublishedVersion, location: string | undefined): string | undefined {
  const page = pageOf(version, location, 'files');
  return page === undefined ? undefined : `${page}/`;
}

function pageOf(
  { entry, record }: PublishedVersion,
  location: string | undefined,
  kind: 'commits' | 'files',
): string | undefined {
  if (!/^[0-9a-f]{40}$/.test(entry.reference)) return undefined;
  const page = repositoryPage(sourceUrl(record)) ?? repositoryPage(location);
  return page === undefined ? undefined : `${page.repository}${page.forge[kind]}${entry.reference}`;
}

/** The address of the git repository in the record; undefined: clients do not get it. */
function sourceUrl(record: JsonObject): string | undefined {
  const source = record['source'];
  return isJsonObject(source) && typeof source['url'] === 'string' ? source['url'] : undefined;
}

/** `git@github.com:acme/hello.git` and `https://github.com/acme/hello` → `https://github.com/acme/hello`. */
function repositoryPage(url: string | undefined) {
  if (url === undefined || url.length > 500) return undefined;
  const found = /^(?:https:\/\/|(?:ssh:\/\/)?(?:git@)?)([a-z.]+)[/:]((?:[\w.-]+\/)+[\w.-]+?)(?:\.git)?\/?$/i.exec(url);
  const host = found?.[1]?.toLowerCase();
  const path = found?.[2];
  const forge = host !== undefined && Object.hasOwn(forges, host) ? forges[host] : undefined;
  if (forge === undefined || path === undefined) return undefined;
  if (path.split('/').some((part) => /^\.+$/.test(part))) return undefined;
  return { repository: `https://${host}/${path}`, forge };
}
