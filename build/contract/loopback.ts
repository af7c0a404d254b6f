// Decides whether a host is this machine, so that no network carries what is sent there. Pure.

/** A regular expression for schemas: a loopback host as in a URL. */
export const loopbackPattern = String.raw`(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])`;

const loopback = new RegExp(`^(?:${loopbackPattern}|::1)$`, 'i');

/** `host`: as in a URL, an IPv6 address in brackets or without. */
export function isLoopback(host: string): boolean {
  return loopback.test(host);
}
