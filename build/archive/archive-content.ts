// The digest of the files in a ZIP. Equal files have an equal digest under every version label, although the label
// changes composer.json, the top folder and the bytes of the archive.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ArchiveContent } from '../contract/purged.ts';
import { isJsonObject } from '../contract/json.ts';
import { packageRoot } from './package-root.ts';
import { readZipDirectory, type ZipFile } from './zip-directory.ts';

export interface ArchiveDigests {
  /** hex, of the whole file */
  readonly sha1: string;
  readonly sha256: string;
  readonly content: ArchiveContent;
}

/** `path` is absolute. Throws Error if there is no such file, or no ZIP. */
export function digestArchive(path: string): ArchiveDigests {
  const bytes = readFileSync(path);
  const members = readZipDirectory(bytes);
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
  const members = readZipDirectory(path);
  const { files, bytes } = sizesOf(members);
  return candidates.some((one) => one.files === files && one.bytes === bytes) ? digestOf(members) : undefined;
}

type Members = ReadonlyMap<string, ZipFile>;

function sizesOf(members: Members): Pick<ArchiveContent, 'files' | 'bytes'> {
  const manifest = members.get(`${packageRoot([...members.keys()])}composer.json`);
  const bytes = [...members.values()].reduce((sum, { size }) => sum + size, 0) - (manifest?.size ?? 0);
  return { files: members.size, bytes };
}

function digestOf(members: Members): string {
  const root = packageRoot([...members.keys()]);
  const hash = createHash('sha256');
  for (const [path, file] of [...members].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const below = path.startsWith(root) ? path.slice(root.length) : path;
    const bytes = file.read();
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
