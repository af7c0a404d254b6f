// Decides which URLs git may fetch from: https and ssh, and http only from this machine, which involves no network. A
// URL is stored, displayed and logged, and therefore must not contain a credential.

import { parseAddress } from '../contract/address.ts';
import { isLoopback } from '../contract/loopback.ts';
import { withoutCredentials } from './address-secrets.ts';
import { scrub } from './git-failure.ts';

export interface GitUrl {
  readonly url: string;
  /**
   * for GIT_ALLOW_PROTOCOL; git's own configuration may turn an https address into an ssh one and the other way round
   */
  readonly protocols: string;
}

/**
 * RFC 3986 without userinfo, query and fragment. A host never starts with a dash, because ssh would read it as an
 * option.
 */
const httpPattern = /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9_][a-z0-9._-]*)(?::[0-9]{1,5})?(?:\/[^\s?#\\]*)?$/i;
const sshPattern =
  /^ssh:\/\/(?:[a-z0-9_][a-z0-9._-]*@)?(?:\[[0-9a-f:.]+\]|[a-z0-9_][a-z0-9._-]*)(?::[0-9]{1,5})?\/[^\s?#\\]+$/i;
const scpPattern =
  /^(?:[a-z0-9_][a-z0-9._-]*@)?[a-z0-9_][a-z0-9._-]*:(?![:/-])[^\s?#\\]+$|^(?:[a-z0-9_][a-z0-9._-]*@)?[a-z0-9_][a-z0-9._-]*:\/(?!\/)[^\s?#\\]+$/i;

/** Returns the parsed URL, or a sentence with the fault and its remedy. */
export function parseGitUrl(url: string): GitUrl | { readonly refusal: string } {
  const shown = scrub(withoutCredentials(url));
  if (/^https?:\/\/[^/]*@/i.test(url) || /^ssh:\/\/[^/@]*:[^/@]*@/i.test(url)) {
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
  const fault = faultOf(url);
  if (fault !== undefined) return { refusal: `The URL ${shown} ${fault}.` };
  const http = httpPattern.exec(url);
  if (http?.[1]?.toLowerCase() === 'https') return { url, protocols: 'https:ssh' };
  if (http !== null) {
    if (isLoopback(http[2] ?? '')) return { url, protocols: 'http:https:ssh' };
    return { refusal: `The URL ${shown} would be fetched without encryption. Use https or ssh.` };
  }
  if (sshPattern.test(url) || (scpPattern.test(url) && !/^[a-z]+::/i.test(url))) return { url, protocols: 'https:ssh' };
  return {
    refusal:
      `The URL ${shown} is not valid for a git source. Use https://host/path, ssh://user@host/path or ` +
      `user@host:path, without query.`,
  };
}

/** The fault of a full URL, or of user@host:path, which the parser reads as ssh://user@host/path. */
function faultOf(url: string): string | undefined {
  const parsed = parseAddress(/^[a-z]+:\/\//i.test(url) ? url : `ssh://${url.replace(':', '/')}`);
  return 'refusal' in parsed ? parsed.refusal : undefined;
}
