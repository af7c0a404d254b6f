// Whether a conditional GET may be answered 304: RFC 9110 §13.2.2, as far as GET and HEAD go. If-None-Match wins over
// If-Modified-Since. The date is compared by equality (decision 9): Composer sends back exactly what it got, and a tree
// put back from a backup must not look old.

/** True when what the client has is what we would send. `etag` is our strong validator with its quotes. */
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
