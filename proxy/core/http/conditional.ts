// Decides whether a conditional GET gets 304: RFC 9110 §13.2.2, for GET and HEAD. If-None-Match wins over
// If-Modified-Since. Dates are compared by equality: Composer sends back the exact date that it received,
// and a tree restored from a backup must not seem older.

/** True when the client's copy equals the answer. `etag` is our strong validator with its quotes. */
export function isNotModified(
  ifNoneMatch: string | undefined,
  ifModifiedSince: string | undefined,
  etag: string,
  lastModified: string,
): boolean {
  if (ifNoneMatch !== undefined) return ifNoneMatch === etag || matchesAny(ifNoneMatch, etag);
  return ifModifiedSince !== undefined && ifModifiedSince === lastModified;
}

/** Weak comparison (RFC 9110 §8.8.3.2) against a list, or `*`. */
function matchesAny(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  for (const [candidate] of header.matchAll(/"[^"]*"/g)) if (candidate === etag) return true;
  return false;
}
