// Decides from a request for packages.json which form of it the client can use (decision D452). The exact metadata-url
// contains an invalid escape. Web servers refuse this escape (nginx, Apache, Caddy, Traefik), and Renovate below 44
// cannot send it: such clients get the plain form. Renovate stops at names that the list of packages lacks.

import type { HttpRequest } from '../http/http-request.ts';

/** Header fields that reverse proxies add. Only these fields decide, so that `Vary` can name all of them. */
const addedOnTheWay = [
  'Via',
  'Forwarded',
  ...['For', 'Host', 'Port', 'Prefix', 'Proto', 'Scheme', 'Server'].map((field) => `X-Forwarded-${field}`),
];
const addedKeys = addedOnTheWay.map((name) => name.toLowerCase());

/**
 * `Vary` of an answer that depends on these fields, in addition to the fields of every document. A cache cannot go by
 * the version of HTTP.
 */
export const exactFormVary = ['User-Agent', ...addedOnTheWay].join(', ');

/**
 * False if the exact metadata-url is known not to arrive: nginx speaks HTTP/1.0 by default, and other proxies add
 * header fields.
 */
export function canRequestExactForm({ httpVersion, headers }: Pick<HttpRequest, 'httpVersion' | 'headers'>): boolean {
  if (httpVersion === '1.0' || addedKeys.some((key) => headers[key] !== undefined)) return false;
  return (renovateVersion(headers['user-agent']) ?? 44) >= 44;
}

/** True if the client requests no name that `available-packages` lacks, whatever the patterns beside it say. */
export function readsNoPatterns(userAgent: string | undefined): boolean {
  return renovateVersion(userAgent) !== undefined;
}

/**
 * The major version in `RenovateBot/43.2.1 (https://github.com/renovatebot/renovate)`; undefined: another client. A
 * version that cannot be read counts as an early one.
 */
function renovateVersion(userAgent = ''): number | undefined {
  const match = /^Renovate(?:Bot)?(?:\/(\d+))?/i.exec(userAgent);
  return match === null ? undefined : Number(match[1] ?? 0);
}
