// Secrets in an address, which is a URL or scp's form `user:password@host:path`. They are found in a malformed address
// too, because a malformed address appears in an error message. A query and a fragment count as secrets, because they
// may contain tokens.

/**
 * The userinfo of a URL. It ends at the last @ before the path, including white space. Behind a colon without a port, a
 * slash is part of the password. A host in brackets is no user.
 */
const userinfo = /([a-z][a-z0-9+.-]*:\/\/)((?:[^/[]*:(?!\d*(?:\/|$)).*|[^/]*)@)/is;
const scpUserinfo = /^([^/:@]+):(?:.*@(?=[^/:@]+:)|[^/]*@)/s;

/** True for all that is meant as an address and not as a path: `./` in front makes a path of it. */
export function isAddress(text: string): boolean {
  return text.includes('://') || scpUserinfo.test(text);
}

/** For messages: returns an address without its secrets. Any other text is returned unchanged. */
export function withoutCredentials(text: string): string {
  const anonymous = text.includes('://') ? text.replace(userinfo, '$1***@') : text.replace(scpUserinfo, '$1:***@');
  return text.includes('://') || /^[^/]*@[^/]*:/.test(text) ? anonymous.replace(/([?#]).*$/s, '$1***') : anonymous;
}

/**
 * Returns the address without its password, for use in a connection. The user of ssh is no secret, because git needs it
 * as the login name. The user of http may be a token.
 */
export function withoutPassword(address: string): string {
  if (!address.includes('://')) return address.replace(scpUserinfo, '$1@');
  return address.replace(userinfo, (_, scheme: string, user: string) =>
    /^https?:/i.test(scheme) ? scheme : `${scheme}${user.replace(/[:@].*$/s, '')}@`,
  );
}
