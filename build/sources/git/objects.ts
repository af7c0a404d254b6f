// Parses git's own objects: commits, annotated tags and trees, as bytes. Pure. Bytes that are no object of the expected
// kind throw BROKEN_OBJECT.

import { isUtf8 } from 'node:buffer';

import { QuarantineError } from '../../contract/quarantine.ts';

export interface Commit {
  readonly tree: string;
  /** epoch seconds; undefined if the line is malformed, as in some very old repositories */
  readonly authorTime: number | undefined;
  readonly committerTime: number | undefined;
}

export interface TagTarget {
  readonly oid: string;
  readonly type: string;
}

/** The facts of an annotated tag about its signature. */
export interface SignedTag {
  /** the name in the tag itself, which the signature covers; a binary string */
  readonly name: string | undefined;
  readonly signature: SignatureKind | undefined;
}

export type SignatureKind = 'ssh' | 'openpgp';

export type EntryKind = 'file' | 'executable' | 'symlink' | 'tree' | 'submodule';

export interface TreeEntry {
  /** one path segment; bytes outside UTF-8 become replacement characters */
  readonly name: string;
  readonly utf8: boolean;
  readonly kind: EntryKind;
  readonly oid: string;
}

export function parseCommit(bytes: Buffer): Commit {
  const header = headerOf(bytes);
  const tree = /^tree ([0-9a-f]{40}|[0-9a-f]{64})$/m.exec(header)?.[1];
  if (tree === undefined) throw new QuarantineError('BROKEN_OBJECT', 'The commit names no tree.');
  return { tree, authorTime: timeOf(header, 'author'), committerTime: timeOf(header, 'committer') };
}

export function parseTag(bytes: Buffer): TagTarget {
  const header = headerOf(bytes);
  const oid = /^object ([0-9a-f]{40}|[0-9a-f]{64})$/m.exec(header)?.[1];
  const type = /^type (commit|tree|blob|tag)$/m.exec(header)?.[1];
  if (oid === undefined || type === undefined)
    throw new QuarantineError('BROKEN_OBJECT', 'The annotated tag names no object.');
  return { oid, type };
}

export function parseSignedTag(bytes: Buffer): SignedTag {
  return {
    name: /^tag (.*)$/m.exec(headerOf(bytes))?.[1],
    signature: signatureOf(bytes),
  };
}

/** The last one counts, as for git. */
function signatureOf(bytes: Buffer): SignatureKind | undefined {
  const ssh = bytes.lastIndexOf('\n-----BEGIN SSH SIGNATURE-----\n');
  const openpgp = bytes.lastIndexOf('\n-----BEGIN PGP SIGNATURE-----\n');
  if (ssh === -1 && openpgp === -1) return undefined;
  return ssh > openpgp ? 'ssh' : 'openpgp';
}

/** Everything before the first empty line; the message behind it may be large and is not needed. */
function headerOf(bytes: Buffer): string {
  const end = bytes.indexOf('\n\n');
  return bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
}

/**
 * The seconds of `author A U Thor <a@example.org> 1700000000 +0100`: the first number behind the last `>`, as git takes
 * it.
 */
function timeOf(header: string, role: 'author' | 'committer'): number | undefined {
  const line = new RegExp(`^${role} (.*)$`, 'm').exec(header)?.[1];
  const seconds =
    line === undefined ? undefined : /^ *([0-9]{1,12})(?: |$)/.exec(line.slice(line.lastIndexOf('>') + 1))?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

const fileTypeMask = 0o170000;

/** `oidBytes`: 20, or 32 in a SHA-256 repository. Entry: `<octal mode> <name>\0<oid>`. */
export function parseTree(bytes: Buffer, oidBytes: number): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  const names = new Set<string>();
  let offset = 0;
  while (offset < bytes.length) {
    const space = bytes.indexOf(32, offset);
    const end = bytes.indexOf(0, space + 1);
    const next = end + 1 + oidBytes;
    if (space === -1 || end === -1 || next > bytes.length)
      throw new QuarantineError('BROKEN_OBJECT', 'A folder object of the repository is cut short.');
    const nameBytes = bytes.subarray(space + 1, end);
    const utf8 = isUtf8(nameBytes);
    const name = nameBytes.toString('utf8');
    if (name === '' || name.includes('/'))
      throw new QuarantineError(
        'UNSAFE_PATH',
        `A folder of the repository has an entry named ${JSON.stringify(name)}.`,
      );
    const key = utf8 ? name : nameBytes.toString('latin1');
    if (names.has(key))
      throw new QuarantineError('BROKEN_OBJECT', `A folder of the repository names ${JSON.stringify(name)} twice.`);
    names.add(key);
    entries.push({
      name,
      utf8,
      kind: kindOf(Number.parseInt(bytes.toString('latin1', offset, space), 8), name),
      oid: bytes.toString('hex', end + 1, next),
    });
    offset = next;
  }
  return entries;
}

function kindOf(mode: number, name: string): EntryKind {
  const type = mode & fileTypeMask;
  if (type === 0o100000) return (mode & 0o100) === 0 ? 'file' : 'executable';
  if (type === 0o040000) return 'tree';
  if (type === 0o120000) return 'symlink';
  if (type === 0o160000) return 'submodule';
  throw new QuarantineError(
    'BROKEN_OBJECT',
    `${JSON.stringify(name)} has a mode that git does not know (${mode.toString(8)}).`,
  );
}
