// Reads addresses of git repositories as `git clone` does, wherever one is given. Remotes are https and ssh, and http
// only on this machine, which involves no network. A URL is stored, displayed and logged, and therefore must not
// contain a credential.

import { isIP } from 'node:net';
import { parseAddress } from '../contract/address.ts';
import { isLoopback } from '../contract/loopback.ts';
import { isAddress, withoutCredentials } from './address-secrets.ts';
import { scrubGitOutput } from './git-failure.ts';

export interface GitUrl {
  readonly url: string;
  /**
   * for GIT_ALLOW_PROTOCOL; git's own configuration may turn an https address into an ssh one and the other way round
   */
  readonly protocols: string;
}

export interface GitRemote {
  readonly scheme: 'http' | 'https' | 'ssh';
  /** the host without the brackets of an IPv6 address and without a final dot */
  readonly host: string;
  readonly port: number;
}

/**
 * RFC 3986 without userinfo, query and fragment. A host never starts with a dash, because ssh would read it as an
 * option.
 */
const httpPattern = /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9_][a-z0-9._-]*)(?::[0-9]{1,5})?(?:\/[^\s?#\\]*)?$/i;
const sshPattern =
  /^ssh:\/\/(?:[a-z0-9_][a-z0-9._-]*@)?(?:\[[0-9a-f:.]+\]|[a-z0-9_][a-z0-9._-]*)(?::[0-9]{1,5})?\/[^\s?#\\]+$/i;
/** `host:path`, `user@host:path`, `user@[2001:db8::1]:path` or `[user@host:port]:path`; `https:/host` is a slip */
const scpPattern =
  /^(?!(?:https?|ssh):)(?:[a-z0-9_][a-z0-9._-]*@)?(?:([a-z0-9_][a-z0-9._-]*)|\[(?:[a-z0-9_][a-z0-9._-]*@)?([a-z0-9_:][a-z0-9_:.-]*)\]):(?![:-]|\/\/)([^\s?#\\]+)$/i;

/**
 * The folder that `git clone TEXT` would read; undefined for a remote. A colon before the first slash means ssh, unless
 * there is a folder of that name.
 */
export function localPathOf(text: string, exists: (path: string) => boolean): string | undefined {
  const file = /^file:\/\/(\/.*)$/is.exec(text)?.[1];
  if (file !== undefined) return file;
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  return isUrl || (/^[^/]*:/.test(text) && !exists(text)) ? undefined : text;
}

/** Of an address that was accepted here, or of another http(s) URL. */
export function parseGitRemote(url: string): GitRemote {
  const { protocol, hostname, port } = new URL(withScheme(url));
  const scheme = protocol === 'http:' ? 'http' : protocol === 'https:' ? 'https' : 'ssh';
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return { scheme, host, port: port === '' ? { http: 80, https: 443, ssh: 22 }[scheme] : Number(port) };
}

/** The host, the port and the path of scp's form as a URL; another text as it is. */
function withScheme(text: string): string {
  const [, plain, bracketed = '', path] = scpPattern.exec(text) ?? [];
  if (path === undefined) return text;
  return `ssh://${plain ?? (isIP(bracketed) === 6 ? `[${bracketed}]` : bracketed)}/${path}`;
}

/** Returns the parsed URL, or a sentence with the fault and its remedy. */
export function parseGitUrl(text: string): GitUrl | { readonly refusal: string } {
  const url = text.replace(/^(?:git\+ssh|ssh\+git):\/\//i, 'ssh://');
  const shown = scrubGitOutput(withoutCredentials(url));
  if (
    /^https?:\/\/[^/]*@/i.test(url) ||
    /^ssh:\/\/[^/@]*:[^/@]*@/i.test(url) ||
    (isAddress(url) && !url.includes('://'))
  ) {
    return {
      refusal:
        `The URL ${shown} contains credentials. Remove them, and let git find them: a credential helper, ` +
        `~/.netrc, GIT_ASKPASS or an ssh key. A registered repository has separate fields for them.`,
    };
  }
  const unprotected = /^git:\/\/(.*)$/is.exec(shown)?.[1];
  if (unprotected !== undefined)
    return {
      refusal:
        `The URL ${shown} would be fetched without encryption, and nothing would check the server. Use ` +
        `https://${unprotected} or ssh://git@${unprotected}.`,
    };
  const parsed = parseAddress(withScheme(url));
  if ('refusal' in parsed && (url.includes('://') || scpPattern.test(url.replace(/[\p{Cc}\p{Cf}]/gu, ''))))
    return { refusal: `The URL ${shown} ${parsed.refusal}.` };
  const http = httpPattern.exec(url);
  if (http?.[1]?.toLowerCase() === 'https') return { url, protocols: 'https:ssh' };
  if (http !== null) {
    if (isLoopback(http[2] ?? '')) return { url, protocols: 'http:https:ssh' };
    return { refusal: `The URL ${shown} would be fetched without encryption. Use https or ssh.` };
  }
  if (sshPattern.test(url) || scpPattern.test(url)) return { url, protocols: 'https:ssh' };
  return {
    refusal:
      `The URL ${shown} is not valid for a git source: only https://, http:// and ssh:// URLs are fetched, and ` +
      'user@host:path, without query. A repository on this machine is named by its path, with ./ in front of a name ' +
      'like this.',
  };
}
