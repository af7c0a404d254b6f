// Removes secrets of this registry from a text that a client wrote. The form of each secret is known: API tokens,
// sessions, invitations, setup codes, recovery codes.

const secretPattern =
  /lib_[rw]_[0-9A-Za-z]*|(?:inv|set)_[0-9A-Za-z]{32}|eyJ[\w-]{8,}(?:\.[\w-]*)*|[A-Z2-7]{4}(?:-[A-Z2-7]{4}){5}/g;

/** For logs. Cut or mistyped tokens go too: most of the secret is in them. */
export function redacted(text: string): string {
  return text.replace(secretPattern, '[secret]');
}
