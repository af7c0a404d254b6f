// The settings of passwords and sessions.

export interface PeopleRules {
  /** lifetime of a session after a login, milliseconds */
  readonly sessionMs: number;
  /** characters that a new password must have at least */
  readonly shortestPassword: number;
}

const hourMs = 3_600_000;

export const standardRules: PeopleRules = { sessionMs: 12 * hourMs, shortestPassword: 12 };

/** A replaced signing key is stored for the same time, so no session may be longer. */
export const longestSessionMs = 30 * 24 * hourMs;

export const invitationMs = 7 * 24 * hourMs;

/** A link for a new password that a person asked for by mail. */
export const resetMs = hourMs;

export const setupCodeMs = hourMs;
