// Whether a client can request the exact metadata-url, as far as its request for packages.json shows that. The exact one holds an invalid escape: web
// servers refuse it (nginx, Apache, Caddy, Traefik), and Renovate below 44 cannot send it. Those clients are told the plain one.

import type { HttpRequest } from '../http-request.ts';

/** `Vary` of an answer that depends on this, beside what every document varies by. A cache cannot go by the version of HTTP. */
export const exactFormVary = ['User-Agent', 'Via', 'Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto'].join(', ');

/** False where the exact metadata-url is known not to arrive: nginx speaks HTTP/1.0 unless it is told otherwise, other proxies add header fields. */
export function canRequestExactForm({ httpVersion, headers }: Pick<HttpRequest, 'httpVersion' | 'headers'>): boolean {
  if (httpVersion === '1.0' || Object.keys(headers).some(isAddedOnTheWay)) return false;
  return !isEarlyRenovate(headers['user-agent'] ?? '');
}

function isAddedOnTheWay(name: string): boolean {
  return name === 'via' || name === 'forwarded' || name.startsWith('x-forwarded-');
}

/** `RenovateBot/43.2.1 (https://github.com/renovatebot/renovate)`. A version that cannot be read counts as an early one. */
function isEarlyRenovate(userAgent: string): boolean {
  const match = /^Renovate(?:Bot)?(?:\/(\d+))?/i.exec(userAgent);
  return match !== null && Number(match[1] ?? 0) < 44;
}
