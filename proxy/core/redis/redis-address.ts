// Parses the address of a Redis: the URL of one server, or `redis+sentinel://` with the sentinels that know the
// current primary.

import { parseAddress } from '../../../build/contract/address.ts';
import { isPossibleHost } from '../../../build/contract/host-name.ts';

export interface SentinelAddress {
  readonly tls: boolean;
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  /** the sentinels' name of the primary and its replicas */
  readonly primary: string;
  readonly database: number;
  readonly username?: string;
  readonly password?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

const standardSentinelPort = 26_379;
const grammar =
  /^(rediss?)\+sentinel:\/\/(?:([^/?#\s]*)@)?([^@/?#\s]+)\/([A-Za-z0-9._-]+)(?:\/(\d{1,4}))?(?:\?([^#\s]*))?$/;

export function isSentinelUrl(url: string): boolean {
  return /^rediss?\+sentinel:/.test(url);
}

/**
 * `redis+sentinel://[user:password@]host[:26379],host…/primary[/database][?sentinel_username=…&sentinel_password=…]`,
 * `rediss+sentinel://` with TLS to all of them; parts percent-encoded if necessary. undefined: another form.
 */
export function parseSentinelUrl(url: string): SentinelAddress | undefined {
  const match = grammar.exec(url);
  if (match === null) return undefined;
  const [, scheme, user, hosts = '', primary = '', database = '0', query] = match;
  const sentinels = hosts.split(',').map(parseHost);
  try {
    const accounts = { ...parseUser(user), ...parseQuery(query) };
    return sentinels.every((host) => host !== undefined)
      ? { tls: scheme === 'rediss', sentinels, primary, database: Number(database), ...accounts }
      : undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/**
 * The fault of hosts and ports of a Redis or its sentinels, as the continuation of the field's name; undefined for a
 * valid address, and for other texts.
 */
export function redisAddressFault(url: string): string | undefined {
  if (!/^rediss?(?:\+sentinel)?:\/\//.test(url)) return undefined;
  const hosts = isSentinelUrl(url)
    ? (grammar.exec(url)?.[3] ?? '').split(',').filter((host) => host !== '')
    : undefined;
  const parsed = hosts === undefined ? [parseAddress(url)] : hosts.map((host) => parseAddress(`redis://${host}`));
  return parsed.map((one) => ('refusal' in one ? one.refusal : undefined)).find((refusal) => refusal !== undefined);
}

/** For people: no user, no password, no query. */
export function describeRedisUrl(url: string): string {
  const address = parseSentinelUrl(url);
  if (address !== undefined) {
    const hosts = address.sentinels.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
    return `${address.tls ? 'rediss' : 'redis'}+sentinel://${hosts.join(',')}/${address.primary}${address.database === 0 ? '' : `/${address.database}`}`;
  }
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

function parseHost(text: string): { readonly host: string; readonly port: number } | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(text);
  const port = Number(match?.[3] ?? standardSentinelPort);
  const host = match?.[1] ?? match?.[2];
  return host === undefined || !isPossibleHost(host) || port < 1 || port > 65_535 ? undefined : { host, port };
}

function parseUser(text: string | undefined): { readonly username?: string; readonly password?: string } {
  if (text === undefined) return {};
  const colon = text.indexOf(':');
  const [username, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

const queryFields = new Map([
  ['sentinel_username', 'sentinelUsername'],
  ['sentinel_password', 'sentinelPassword'],
]);

/** Parses by hand, because URLSearchParams turns a plus into a blank, and passwords may contain a plus. */
function parseQuery(text: string | undefined): Partial<Record<string, string>> {
  const pairs = (text ?? '').split('&').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      const field = queryFields.get(pair.slice(0, Math.max(0, equals)));
      if (field === undefined) throw new URIError('a field that is not known');
      return [field, decodeURIComponent(pair.slice(equals + 1))];
    }),
  );
}
