// What git's complaints say of one object. To `git cat-file` one that it cannot read is as good as missing, and only
// its complaint tells them apart.

import { scrub } from '../git-failure.ts';

/** Completes "it …"; undefined where git has not complained of this object. */
export function describeCorruption(complaint: string, oid: string): string | undefined {
  const names = [oid, `${oid.slice(0, 2)}/${oid.slice(2)}`];
  const line = complaint.split('\n').findLast((each) => names.some((name) => each.includes(name)));
  return line === undefined
    ? undefined
    : `is corrupt, says git: ${scrub(line)
        .replace(/^(?:fatal|error): /, '')
        .slice(0, 300)}`;
}
