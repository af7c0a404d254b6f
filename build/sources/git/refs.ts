// Parses the tags, branches and HEAD of a repository, and computes a fingerprint over them. The check of an unchanged
// repository imports this file and must stay cheap: add no other imports. Names are "binary strings", one character a
// byte, so that plain comparison is git's own order (strcmp). `decodeRefName` turns such a name into text.

import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';

export interface Ref {
  /** the name without `refs/tags/` or `refs/heads/`; a binary string */
  readonly name: string;
  /** the object id in the ref: a commit, or an annotated tag's own object */
  readonly oid: string;
  /** the target of the annotated tag, if known without reading the object */
  readonly peeled: string | undefined;
}

export type Head =
  /** a branch (without `refs/heads/`, a binary string), whether it exists or not */
  | { readonly branch: string }
  /** a branch that the source's options leave out */
  | { readonly leftOut: string }
  /** detached */
  | { readonly commit: string }
  /** the remote does not report it */
  | { readonly unknown: true };

export interface Refs {
  readonly head: Head;
  /** in byte order, like the output of `git show-ref` */
  readonly tags: readonly Ref[];
  readonly branches: readonly Ref[];
}

/**
 * Incremented with every change of the data read from a repository, or of the rules for it: all sources are then read
 * again.
 */
export const recipe = 5;

/**
 * Equal fingerprints: reading the repository again could only give the same. `variant`: of the source's options
 * (selection.ts).
 */
export function fingerprintOf(refs: Refs, variant = ''): string {
  const lines = [`recipe ${recipe} ${variant}`, describeHead(refs.head)];
  for (const tag of refs.tags) lines.push(`${tag.oid} t ${tag.name}`);
  for (const branch of refs.branches) lines.push(`${branch.oid} b ${branch.name}`);
  return `git:${createHash('sha256').update(lines.join('\n'), 'latin1').digest('hex').slice(0, 40)}`;
}

function describeHead(head: Head): string {
  if ('branch' in head) return `ref ${head.branch}`;
  if ('commit' in head) return `at ${head.commit}`;
  return 'leftOut' in head ? `not ${head.leftOut}` : 'unknown';
}

/** A ref's name as text; undefined if its bytes are not UTF-8. */
export function decodeRefName(name: string): string | undefined {
  const bytes = Buffer.from(name, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Byte order. */
export function compareRefs(left: Ref, right: Ref): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}

export function hasRefs({ tags, branches }: Refs): boolean {
  return tags.length > 0 || branches.length > 0;
}

/** A full object id: SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return (text.length === 40 || text.length === 64) && /^[0-9a-f]+$/.test(text);
}

/** Tags and branches out of full ref names (`refs/tags/…`, `refs/heads/…`; others are dropped), sorted. */
export function sortRefs(
  head: Head,
  found: Iterable<readonly [fullName: string, oid: string, peeled: string | undefined]>,
): Refs {
  const tags: Ref[] = [];
  const branches: Ref[] = [];
  for (const [fullName, oid, peeled] of found) {
    if (fullName.startsWith('refs/tags/')) tags.push({ name: fullName.slice(10), oid, peeled });
    else if (fullName.startsWith('refs/heads/')) branches.push({ name: fullName.slice(11), oid, peeled: undefined });
  }
  return { head, tags: tags.sort(compareRefs), branches: branches.sort(compareRefs) };
}
