// Parsers of setting values: raw text (a flag, a variable) or JSON (libretto.json) → a typed value, or undefined for
// an invalid one. The table in settings.ts describes the allowed values.

import { isIP } from 'node:net';
import { resolve } from 'node:path';

import { httpAddressFault, parseAddress, type Address } from '../../build/contract/address.ts';
import { isPossibleHost } from '../../build/contract/host-name.ts';
import { webAddressPattern } from '../../build/contract/registry-address.ts';
import { withoutCredentials } from '../../build/sources/address-secrets.ts';
import {
  failsOver,
  parseClusterUrl,
  parseSentinelUrl,
  redisAddressFault,
} from '../../proxy/core/redis/redis-address.ts';

/** The base of relative paths: the working directory, or the folder of libretto.json. Absolute. */
export interface BaseFolder {
  readonly directory: string;
}

export interface ListenAddress {
  /** the host without brackets */
  readonly host: string;
  /** 0: any free port */
  readonly port: number;
}

/** The target of the request log: standard output, or an absolute path. */
/** none: requests are not logged, and other lines go to standard output */
export type LogTarget =
  | { readonly to: 'stdout' }
  | { readonly to: 'file'; readonly path: string }
  | { readonly to: 'none' };

/** The form of archive addresses in p2 records: a path, or below an absolute address. */
export type DistUrl = { readonly form: 'path' } | { readonly form: 'absolute'; readonly base: string };

/** A path of a file or a folder. */
export function parseDirectory(raw: unknown, base: BaseFolder): string | undefined {
  return isPlainText(raw) && pathFault(raw) === undefined ? resolve(base.directory, raw) : undefined;
}

/** A path that begins with a dash is more likely a misplaced option. */
export function pathFault(raw: unknown): string | undefined {
  return typeof raw === 'string' && raw.startsWith('-')
    ? `looks like an option. Write ./${raw} for a file or folder of that name`
    : undefined;
}

export const standardPort = 8080;

/** As parseHostPort, or a host alone, which takes the standard port. */
export function parseListen(raw: unknown): ListenAddress | undefined {
  const host = typeof raw === 'string' ? hostAlone(raw) : undefined;
  return host === undefined ? parseHostPort(raw) : { host, port: standardPort };
}

/**
 * An address, `localhost`, or a name with a dot: another word is more likely a mistake. `::1:80` may mean `[::1]:80`,
 * so it needs brackets.
 */
function hostAlone(text: string): string | undefined {
  const inBrackets = /^\[(.*)\]$/.exec(text)?.[1];
  if (inBrackets !== undefined) return isIP(inBrackets) === 6 ? inBrackets : undefined;
  if (isIP(text) === 6) return isAmbiguous(text) ? undefined : text;
  return /^(?:localhost|[\w-]+(?:\.[\w-]+)+\.?)$/.test(text) && isPossibleHost(text) ? text : undefined;
}

function isAmbiguous(ipv6: string): boolean {
  return /:\d{1,5}$/.test(ipv6) && isIP(ipv6.slice(0, ipv6.lastIndexOf(':'))) === 6;
}

/** `HOST:PORT`, `[IPV6]:PORT`, or a port alone (loopback). */
export function parseHostPort(raw: unknown): ListenAddress | undefined {
  const text = typeof raw === 'number' ? String(raw) : raw;
  if (typeof text !== 'string') return undefined;
  const match = /^(?:(?:\[([0-9a-fA-F:.%]+)\]|([A-Za-z0-9._-]+)):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) return undefined;
  if (match[1] !== undefined && isIP(match[1].replace(/%.*$/, '')) !== 6) return undefined;
  const host = match[1] ?? match[2] ?? '127.0.0.1';
  return match[1] !== undefined || isPossibleHost(host) ? { host, port } : undefined;
}

export function listenFault(raw: unknown): string | undefined {
  if (typeof raw === 'string' && isIP(raw) === 6 && isAmbiguous(raw)) {
    const colon = raw.lastIndexOf(':');
    return `may mean [${raw.slice(0, colon)}]:${raw.slice(colon + 1)} or [${raw}]:${standardPort}`;
  }
  const host = typeof raw === 'string' ? /^([A-Za-z0-9._-]+):\d{1,5}$/.exec(raw)?.[1] : undefined;
  return host === undefined || isPossibleHost(host) ? undefined : `names the impossible host ${JSON.stringify(host)}`;
}

/** The address of a Redis in one of the forms of redis-address.ts; returned as text for the client. */
export function parseRedisUrl(raw: unknown): Address | undefined {
  if (isPlainText(raw) && failsOver(raw))
    return (parseSentinelUrl(raw) ?? parseClusterUrl(raw)) === undefined ? undefined : (raw as Address);
  const parsed = isPlainText(raw) ? parseAddress(raw) : undefined;
  return parsed !== undefined && 'url' in parsed && /^rediss?:$/.test(parsed.url.protocol) ? parsed.address : undefined;
}

export function redisUrlFault(raw: unknown): string | undefined {
  return typeof raw === 'string' ? redisAddressFault(raw) : undefined;
}

/** A path or an http(s) address that holds `%package%`. */
export function parseMetadataUrl(raw: unknown): string | undefined {
  if (!isPlainText(raw) || /\s/.test(raw) || !raw.includes('%package%')) return undefined;
  if (raw.startsWith('/')) return raw.startsWith('//') ? undefined : raw;
  if (!/^https?:\/\/[^/?#]+\//.test(raw) || raw.slice(0, raw.indexOf('/', 8)).includes('%')) return undefined;
  return webFault(raw) === undefined ? raw : undefined;
}

/** The fault of a value that should be an http(s) address. */
export function webFault(raw: unknown): string | undefined {
  return typeof raw === 'string' ? httpAddressFault(raw) : undefined;
}

/** The parts of a text with commas, and none of the text `none`; another value stays as it is. */
export function listedIn(raw: unknown): unknown {
  if (raw === 'none') return [];
  return typeof raw === 'string' ? raw.split(',').map((part) => part.trim()) : raw;
}

/** A list, text with commas, or the text `none`; each once. */
export function parseWords<Word>(raw: unknown, isWord: (part: unknown) => part is Word): readonly Word[] | undefined {
  const parts = listedIn(raw);
  return Array.isArray(parts) && parts.every(isWord) && new Set(parts).size === parts.length ? parts : undefined;
}

const webAddress = new RegExp(webAddressPattern, 'iu');

/** An http(s) address as `webAddressAllowed` says; a slash at its end is dropped. */
export function parseWebAddress(raw: unknown): string | undefined {
  if (typeof raw !== 'string' || !webAddress.test(raw)) return undefined;
  const parsed = parseAddress(raw);
  return 'refusal' in parsed ? undefined : parsed.url.href.replace(/\/+$/, '');
}

/** `path`, or an http(s) address. */
export function parseDistUrl(raw: unknown): DistUrl | undefined {
  if (raw === 'path') return { form: 'path' };
  const base = parseWebAddress(raw);
  return base === undefined ? undefined : { form: 'absolute', base };
}

/** Addresses or CIDR ranges: a list, or text with commas. */
export function parseTrustedProxies(raw: unknown): readonly string[] | undefined {
  const parts = typeof raw === 'string' ? raw.split(',').map((part) => part.trim()) : raw;
  if (!Array.isArray(parts)) return undefined;
  const given: readonly unknown[] = parts.filter((part) => part !== '');
  return given.every(isAddressRange) ? given : undefined;
}

/** An address or a CIDR range. */
export function isAddressRange(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

export function parseFlag(raw: unknown): boolean | undefined {
  const [isOn, isOff] = [raw === true || raw === 'true', raw === false || raw === 'false'];
  return isOn || isOff ? isOn : undefined;
}

/** A whole number in `[least, most]`, as a number or as digits. */
export function parseWholeNumber(raw: unknown, least: number, most: number): number | undefined {
  const number = typeof raw === 'string' && /^\d{1,15}$/.test(raw) ? Number(raw) : raw;
  return typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most
    ? number
    : undefined;
}

export function parseLog(raw: unknown, base: BaseFolder): LogTarget | undefined {
  if (raw === '-') return { to: 'stdout' };
  if (raw === 'none') return { to: 'none' };
  const path = typeof raw === 'string' && !/[/\\]$/.test(raw) ? parseDirectory(raw, base) : undefined;
  return path === undefined ? undefined : { to: 'file', path };
}

/** A value as messages show it: short, and without passwords. */
export function shown(raw: unknown): string {
  const hidden =
    JSON.stringify(raw, (_, value: unknown) => (typeof value === 'string' ? withoutSecrets(value) : value)) ??
    String(raw);
  const text = hidden.replace(/(:\/\/)[^"]*@/g, '$1***@'); // keys of an object
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Hides more than of a source's address, because the end of a password is unknown for some kinds of URL. */
function withoutSecrets(text: string): string {
  return withoutCredentials(text.replace(/(:\/\/).*@/s, '$1***@'));
}

function isPlainText(raw: unknown): raw is string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
  return typeof raw === 'string' && raw.trim() !== '' && !/[\u0000-\u001f\u007f]/.test(raw);
}
