// Whether two patterns of package names (package-pattern.ts) can match one name. Generous where both have wildcards: yes where only a long look could tell. Pure.

import { matchesPattern } from './package-pattern.ts';

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
  if (star < 0 || otherStar < 0) return star < 0 && otherStar < 0 ? one === other : star < 0 ? matchesPattern(other, one) : matchesPattern(one, other);
  const [end, otherEnd] = [one.slice(one.lastIndexOf('*') + 1), other.slice(other.lastIndexOf('*') + 1)];
  const [start, otherStart] = [one.slice(0, star), other.slice(0, otherStar)];
  return (start.startsWith(otherStart) || otherStart.startsWith(start)) && (end.endsWith(otherEnd) || otherEnd.endsWith(end));
}
