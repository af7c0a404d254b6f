// Decides whether two patterns of package names (package-pattern.ts) can match one name. If both have wildcards and the
// exact answer would be expensive, the answer is yes. Pure.

/** Both in lower case. */
export function mayOverlap(one: string, other: string): boolean {
  const [vendor, project] = partsOf(one);
  const [otherVendor, otherProject] = partsOf(other);
  return partsMayOverlap(vendor, otherVendor) && partsMayOverlap(project, otherProject);
}

/** `*` alone is every name. A name has one slash, and so has every other pattern. */
function partsOf(pattern: string): readonly [string, string] {
  const slash = pattern.indexOf('/');
  return slash < 0 ? [pattern, pattern] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
}

function partsMayOverlap(one: string, other: string): boolean {
  const [star, otherStar] = [one.indexOf('*'), other.indexOf('*')];
  if (star < 0) return otherStar < 0 ? one === other : matches(other, one);
  if (otherStar < 0) return matches(one, other);
  const [start, otherStart] = [one.slice(0, star), other.slice(0, otherStar)];
  const [end, otherEnd] = [one.slice(one.lastIndexOf('*') + 1), other.slice(other.lastIndexOf('*') + 1)];
  return (
    (start.startsWith(otherStart) || otherStart.startsWith(start)) && (end.endsWith(otherEnd) || otherEnd.endsWith(end))
  );
}

/** Like matchesPattern, but fast for a thousand hostile patterns: the texts between the stars occur in this order. */
function matches(pattern: string, text: string): boolean {
  const first = pattern.indexOf('*');
  const last = pattern.lastIndexOf('*');
  const until = text.length - (pattern.length - last - 1);
  if (until < first || !text.startsWith(pattern.slice(0, first)) || !text.endsWith(pattern.slice(last + 1)))
    return false;
  let at = first;
  for (let star = first; star < last;) {
    const next = pattern.indexOf('*', star + 1);
    const piece = pattern.slice(star + 1, next);
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > until) return false;
    at = found + piece.length;
    star = next;
  }
  return true;
}
