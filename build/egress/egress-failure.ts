// The reason why a fetch failed. Messages are for people and contain no credential and no query string.

/**
 * `denied`: our own rules forbid it. `unreachable`: it was tried, and may work another time. `oversized`: there is too
 * much of it.
 */
export type EgressFailureKind = 'denied' | 'unreachable' | 'oversized';

export class EgressFailure extends Error {
  readonly kind: EgressFailureKind;

  constructor(kind: EgressFailureKind, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'EgressFailure';
    this.kind = kind;
  }
}

/** True if this error, or an error that caused it, is a fetch that our own rules forbid. */
export function isDenied(error: unknown): boolean {
  for (let found = error; found instanceof Error; found = found.cause)
    if (found instanceof EgressFailure && found.kind === 'denied') return true;
  return false;
}

/**
 * The message is written for the person who entered the URL. Readers who did not enter the URL need another message.
 */
export class CredentialsInUrl extends EgressFailure {
  readonly url: URL;

  constructor(url: URL) {
    super(
      'denied',
      `The URL ${shownUrl(url)} contains credentials. Remove them, and set them in COMPOSER_AUTH, as ` +
        `{"http-basic": {"${url.host}": {"username": "…", "password": "…"}}}.`,
    );
    this.url = url;
  }
}

/** A URL as it may be shown: a query may hold a token, userinfo a password. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
