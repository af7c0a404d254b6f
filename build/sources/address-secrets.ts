// Secrets in an address, which may be a URL, or `user:password@host:path` as scp has it: found also where the address
// is malformed, since it is then that somebody is shown it. A query and a fragment count as secrets: tokens stand in
// them.

/**
 * The userinfo of a URL. It ends at the last @ before the path, white space included; behind a colon that no port
 * follows, a slash is part of the password. A host in brackets is no user.
 */
const userinfo = /([a-z][a-z0-9+.-]*:\/\/)((?:[^/[]*:(?!\d*(?:\/|$)).*|[^/]*)@)/is;
const scpUserinfo = /^([^/:@]+):(?:.*@(?=[^/:@]+:)|[^/]*@)/s;

/** True for all that is meant as an address and not as a path: `./` in front makes a path of it. */
export function isAddress(text: string): boolean {
  return text.includes('://') || scpUserinfo.test(text);
}

/** For messages: an address without its secrets. Any other text stays as it is. */
export function withoutCredentials(text: string): string {
  const anonymous = text.includes('://') ? text.replace(userinfo, '$1***@') : text.replace(scpUserinfo, '$1:***@');
  return text.includes('://') || /^[^/]*@[^/]*:/.test(text) ? anonymous.replace(/([?#]).*$/s, '$1***') : anonymous;
}

/**
 * The address without its password, to be used. The user of ssh says who git logs in as, and is no secret; that of http
 * may be a token.
 */
export function withoutPassword(address: string): string {
  if (!address.includes('://')) return address.replace(scpUserinfo, '$1@');
  return address.replace(userinfo, (_, scheme: string, user: string) =>
    /^https?:/i.test(scheme) ? scheme : `${scheme}${user.replace(/[:@].*$/s, '')}@`,
  );
}
