// One spelling for all addresses of one repository, so that the clone address in a hook finds the registered one. It is
// compared only: nothing is ever fetched from it. Two repositories that share a spelling cost one sync too many.

import type { NormalizedCloneUrl } from './inbox.ts';
import { parseUrl } from '../../build/contract/parse-url.ts';

/** Longer addresses are no addresses of repositories. */
const longest = 2048;

/** Other addresses of the same repository at one host: ssh through the port of https, and the forms of Azure DevOps. */
const sameRepository: readonly (readonly [RegExp, string])[] = [
  [/^ssh\.(github\.com):443\//, '$1/'],
  [/^altssh\.(gitlab\.com|bitbucket\.org):443\//, '$1/'],
  [/^(?:ssh\.dev\.azure|vs-ssh\.visualstudio)\.com\/v3\/([^/]+)\/([^/]+)\/([^/]+)$/, 'dev.azure.com/$1/$2/_git/$3'],
  [/^([^./]+)\.visualstudio\.com\//, 'dev.azure.com/$1/'],
  [/^(dev\.azure\.com\/[^/]+\/)defaultcollection\//, '$1'],
  // the repository that has the name of its project
  [/^(dev\.azure\.com\/[^/]+)\/_git\/([^/]+)$/, '$1/$2/_git/$2'],
];

/**
 * `host/path` or `host:port/path` in lower case, without scheme, user, default port, `.git` and slashes at the end.
 * Takes URLs and git's short form `user@host:path`. undefined: not the address of a repository on another host.
 */
export function normalizeCloneUrl(text: string): NormalizedCloneUrl | undefined {
  if (text.length > longest) return undefined;
  const parts = text.includes('://') ? partsOfUrl(text) : partsOfShortForm(text);
  if (parts === undefined) return undefined;
  const path = trimmed(parts.path);
  if (path === '') return undefined;
  const plain = `${parts.host}/${path}`.toLowerCase();
  return sameRepository.reduce((address, [other, one]) => address.replace(other, one), plain) as NormalizedCloneUrl;
}

interface Parts {
  /** with its port, unless it is the default one of the scheme */
  readonly host: string;
  readonly path: string;
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'ssh:': '22', 'git:': '9418' };

function partsOfUrl(text: string): Parts | undefined {
  const url = parseUrl(text);
  if (url === undefined) return undefined;
  const { protocol, host, port, pathname } = url;
  if (!Object.hasOwn(defaultPorts, protocol) || host === '') return undefined;
  const plainHost = port === defaultPorts[protocol] ? host.slice(0, -port.length - 1) : host;
  return { host: withoutFinalDot(plainHost), path: pathname };
}

function partsOfShortForm(text: string): Parts | undefined {
  const [, host, path] = /^(?:[^@/\s]+@)?(\[[^\]\s]+\]|[^:/@\s]+):(\S+)$/.exec(text) ?? [];
  return host === undefined || path === undefined ? undefined : { host: withoutFinalDot(host), path };
}

function withoutFinalDot(host: string): string {
  return host.replace(/\.(?=$|:)/, '');
}

/** Slashes at both ends, doubled slashes and `.git` removed; `%20` and a space are the same. */
function trimmed(path: string): string {
  const single = decoded(path).replaceAll(/\/{2,}/g, '/');
  return single
    .replace(/^\//, '')
    .replace(/\/$/, '')
    .replace(/\.git$/i, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
