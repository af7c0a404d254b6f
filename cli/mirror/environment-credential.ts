// The credentials for Composer repositories of libretto.json and for the public registry: COMPOSER_AUTH, in the form of
// Composer's auth.json (`bearer`, `http-basic` and `custom-headers`, each by host).

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parseComposerAuth } from '../../build/egress/credentials.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import type { ConfiguredCredential, UpstreamCredential } from '../../proxy/mirror/upstream/upstream-credential.ts';
import type { Environment } from '../io/environment.ts';

/**
 * The credential for the address's host and port. Throws BuildRefused if COMPOSER_AUTH is no JSON object. `where`: the
 * file that it was read from.
 */
export function environmentCredential(
  { host }: URL,
  environment: Environment,
  where?: string,
): UpstreamCredential | undefined {
  const auth = parseComposerAuth(environment['COMPOSER_AUTH'], where);
  const of = (kind: string): JsonValue | undefined => {
    const hosts = auth[kind];
    return isJsonObject(hosts) ? hosts[host] : undefined;
  };
  const [token, login, lines] = [of('bearer'), of('http-basic'), of('custom-headers')];
  if (typeof token === 'string') return { kind: 'bearer', token };
  if (isJsonObject(login) && typeof login['username'] === 'string' && typeof login['password'] === 'string')
    return { kind: 'basic', username: login['username'], password: login['password'] };
  return Array.isArray(lines) ? headersOf(lines as readonly JsonValue[]) : undefined;
}

/**
 * The credential for the registry in the settings, which may change while a service runs. With an unreadable
 * COMPOSER_AUTH, that registry gets no requests.
 */
export function registryCredential(url: string, environment: Environment): ConfiguredCredential | undefined {
  try {
    return environmentCredential(new URL(url), environment);
  } catch (error) {
    if (!(error instanceof BuildRefused)) throw error;
    return { kind: 'unusable', because: error.message.replace(/\.$/, '') };
  }
}

/** `["PRIVATE-TOKEN: secret"]`, as Composer has them (AuthHelper.php, addAuthenticationOptions). */
function headersOf(lines: readonly JsonValue[]): UpstreamCredential | undefined {
  const headers = lines.flatMap((line) => {
    const [, name, value] = typeof line === 'string' ? (/^([A-Za-z0-9-]+):\s*(\P{Cc}+)$/u.exec(line) ?? []) : [];
    return name === undefined || value === undefined ? [] : [[name, value.trim()] as const];
  });
  return headers.length === 0 ? undefined : { kind: 'headers', headers: Object.fromEntries(headers) };
}
