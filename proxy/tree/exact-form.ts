// Decides from a request for packages.json whether the client can request the exact metadata-url. The exact form
// contains an invalid escape. Web servers refuse this escape (nginx, Apache, Caddy, Traefik), and Renovate below 44
// cannot send it. Such clients get the plain form.

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
  return !isEarlyRenovate(headers['user-agent'] ?? '');
}

/**
 * `RenovateBot/43.2.1 (https://github.com/renovatebot/renovate)`. A version that cannot be read counts as an early one.
 */
function isEarlyRenovate(userAgent: string): boolean {
  const match = /^Renovate(?:Bot)?(?:\/(\d+))?/i.exec(userAgent);
  return match !== null && Number(match[1] ?? 0) < 44;
}
