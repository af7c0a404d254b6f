// The names in a certificate. Pure.

import type { X509Certificate } from 'node:crypto';

/** Names among the subject's alternative names; clients check no other field (RFC 9525 §2). */
export function certificateNames({ subjectAltName }: X509Certificate): string[] {
  return (subjectAltName ?? '').split(', ').flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? []);
}
