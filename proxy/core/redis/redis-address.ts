// Parses the address of a Redis: the URL of one server, `redis+sentinel://` with the sentinels that know the current
// primary, or `redis+cluster://` with servers of a cluster.

import { parseAddress } from '../../../build/contract/address.ts';
import { isPossibleHost } from '../../../build/contract/host-name.ts';

interface Host {
  readonly host: string;
  readonly port: number;
}

export interface ClusterAddress {
  readonly tls: boolean;
  /** servers of the cluster; one that answers names all others */
  readonly servers: readonly Host[];
  /** the registry's name in the cluster, which has no databases */
  readonly registry: string;
  readonly username?: string;
  readonly password?: string;
}

export interface SentinelAddress {
  readonly tls: boolean;
  readonly sentinels: readonly Host[];
  /** the sentinels' name of the primary and its replicas */
  readonly primary: string;
  readonly database: number;
  readonly username?: string;
  readonly password?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

const standardSentinelPort = 26_379;
const standardPort = 6379;
const standardRegistry = 'libretto';
const clusterGrammar = /^(rediss?)\+cluster:\/\/(?:([^/?#\s]*)@)?([^@/?#\s]+)(?:\/([A-Za-z0-9._-]*))?$/;
const grammar =
  /^(rediss?)\+sentinel:\/\/(?:([^/?#\s]*)@)?([^@/?#\s]+)\/([A-Za-z0-9._-]+)(?:\/(\d{1,4}))?(?:\?([^#\s]*))?$/;

/** True for sentinels and for a cluster: a replica replaces a primary that is lost. */
export function failsOver(url: string): boolean {
  return /^rediss?\+(?:sentinel|cluster):/.test(url);
}

/**
 * `redis+cluster://[user:password@]host[:6379],host…[/registry]`, `rediss+cluster://` with TLS; parts percent-encoded if
 * necessary. undefined: another form.
 */
export function parseClusterUrl(url: string): ClusterAddress | undefined {
  const [, scheme, user, hosts, registry = ''] = clusterGrammar.exec(url) ?? [];
  const servers = parseHosts(hosts, standardPort);
  const account = decodedOr(() => parseUser(user));
  return servers === undefined || account === undefined
    ? undefined
    : { tls: scheme === 'rediss', servers, registry: registry === '' ? standardRegistry : registry, ...account };
}

/**
 * `redis+sentinel://[user:password@]host[:26379],host…/primary[/database][?sentinel_username=…&sentinel_password=…]`,
 * `rediss+sentinel://` with TLS to all of them; parts percent-encoded if necessary. undefined: another form.
 */
export function parseSentinelUrl(url: string): SentinelAddress | undefined {
  const [, scheme, user, hosts, primary = '', database = '0', query] = grammar.exec(url) ?? [];
  const sentinels = parseHosts(hosts, standardSentinelPort);
  const accounts = decodedOr(() => ({ ...parseUser(user), ...parseQuery(query) }));
  return sentinels === undefined || accounts === undefined
    ? undefined
    : { tls: scheme === 'rediss', sentinels, primary, database: Number(database), ...accounts };
}

/**
 * The fault of hosts and ports of a Redis, its sentinels or its cluster, as the continuation of the field's name; undefined for a
 * valid address, and for other texts.
 */
export function redisAddressFault(url: string): string | undefined {
  if (!/^rediss?(?:\+(?:sentinel|cluster))?:\/\//.test(url)) return undefined;
  const hosts = failsOver(url)
    ? ((grammar.exec(url) ?? clusterGrammar.exec(url))?.[3] ?? '').split(',').filter((host) => host !== '')
    : undefined;
  const parsed = hosts === undefined ? [parseAddress(url)] : hosts.map((host) => parseAddress(`redis://${host}`));
  return parsed.map((one) => ('refusal' in one ? one.refusal : undefined)).find((refusal) => refusal !== undefined);
}

/** For people: no user, no password, no query. */
export function describeRedisUrl(url: string): string {
  const sentinels = parseSentinelUrl(url);
  const cluster = parseClusterUrl(url);
  const scheme = url.slice(0, url.indexOf('://') + 3);
  if (sentinels !== undefined)
    return `${scheme}${listed(sentinels.sentinels)}/${sentinels.primary}${sentinels.database === 0 ? '' : `/${sentinels.database}`}`;
  if (cluster !== undefined)
    return `${scheme}${listed(cluster.servers)}${cluster.registry === standardRegistry ? '' : `/${cluster.registry}`}`;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

function listed(hosts: readonly Host[]): string {
  return hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
}

function parseHosts(text: string | undefined, standard: number): readonly Host[] | undefined {
  const hosts = text?.split(',').map((host) => parseHost(host, standard));
  return hosts?.every((host) => host !== undefined) === true ? hosts : undefined;
}

function parseHost(text: string, standard: number): Host | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(text);
  const port = Number(match?.[3] ?? standard);
  const host = match?.[1] ?? match?.[2];
  return host === undefined || !isPossibleHost(host) || port < 1 || port > 65_535 ? undefined : { host, port };
}

/** undefined for a malformed percent-encoding, and for an unknown field. */
function decodedOr<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
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
