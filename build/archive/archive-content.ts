// The digest of the files in a ZIP. Equal files have an equal digest under every version label, although the label
// changes composer.json, the top folder and the bytes of the archive.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ArchiveContent } from '../contract/purged.ts';
import { isJsonObject } from '../contract/json.ts';
import { packageRoot } from './package-root.ts';
import { openZipMembers, type ZipMembers } from './zip-members.ts';

export interface ArchiveDigests {
  /** hex, of the whole file */
  readonly sha1: string;
  readonly sha256: string;
  readonly content: ArchiveContent;
}

/** `path` is absolute. Throws Error if there is no such file, or no ZIP. */
export function digestArchive(path: string): ArchiveDigests {
  const bytes = readFileSync(path);
  const members = openZipMembers(bytes);
  return {
    sha1: createHash('sha1').update(bytes).digest('hex'),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    content: { ...sizesOf(members), digest: digestOf(members) },
  };
}

/**
 * The digest of the files inside. The digest is computed only if the number and sizes of the files equal those of a
 * candidate; otherwise undefined.
 */
export function digestIfAlike(path: string, candidates: readonly ArchiveContent[]): string | undefined {
  const members = openZipMembers(readFileSync(path));
  const { files, bytes } = sizesOf(members);
  return candidates.some((one) => one.files === files && one.bytes === bytes) ? digestOf(members) : undefined;
}

function sizesOf({ paths, sizeOf }: ZipMembers): Pick<ArchiveContent, 'files' | 'bytes'> {
  const root = packageRoot(paths);
  return {
    files: paths.length,
    bytes: paths.reduce((sum, path) => sum + (path === `${root}composer.json` ? 0 : sizeOf(path)), 0),
  };
}

function digestOf({ paths, read }: ZipMembers): string {
  const root = packageRoot(paths);
  const hash = createHash('sha256');
  for (const path of paths.toSorted((one, other) => (one < other ? -1 : 1))) {
    const below = path.startsWith(root) ? path.slice(root.length) : path;
    const bytes = read(path, Number.MAX_SAFE_INTEGER) ?? Buffer.alloc(0);
    const own = below === 'composer.json' ? withoutLabel(bytes) : bytes;
    hash.update(`${Buffer.byteLength(below)}:${below}${createHash('sha256').update(own).digest('hex')}`);
  }
  return hash.digest('hex');
}

/** The fields that another name or label changes are no content. */
function withoutLabel(bytes: Buffer): string | Buffer {
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isJsonObject(json)) return bytes;
    const { name: _name, version: _version, time: _time, ...rest } = json;
    return JSON.stringify(rest);
  } catch {
    return bytes; // not JSON: hashes the bytes unchanged
  }
}
