// Whether a document on disk is the one that was published: a file that was damaged where it lies is never served. It costs one SHA-256 each time a file is
// read, and none for a request.
//
// A publication replaces the serving index before the documents, with dates that only rise (I19). So the index that is read after a document is never older, and
// a document of an earlier date is the one before, which is about to be replaced. packages.json is replaced before its announcement: one of another date is new.

import { createHash } from 'node:crypto';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import type { DocumentStamp } from '../../build/contract/serving-index.ts';
import type { Eventually } from '../eventually.ts';

export class DamagedDocument extends Error {
  readonly code = 'TREE_DAMAGED';

  constructor(path: string) {
    super(`public/${path} is not what was published: it was changed or damaged on the disk, and is not served. \`libretto verify\` shows all that is, and \`libretto build\` writes it again.`);
    this.name = 'DamagedDocument';
  }
}

export interface PublishedStamps {
  /** of packages.json; undefined: not known */
  readonly root: () => Eventually<DocumentStamp | undefined>;
  /** of a package, from its index as it is now; undefined: not known */
  readonly package: (name: PackageName) => Promise<{ readonly stable: DocumentStamp | null; readonly dev: DocumentStamp | null } | undefined>;
}

/** `path`: below public/. Throws DamagedDocument. */
export async function checkDocument(path: string, bytes: Buffer, mtimeMs: number, stamps: PublishedStamps): Promise<void> {
  const seconds = Math.floor(mtimeMs / 1000);
  const isDamaged = ({ sha256, last_modified: expected }: DocumentStamp, laterToo: boolean): boolean =>
    sha256 !== null && (seconds === expected || (laterToo && seconds > expected)) && createHash('sha256').update(bytes).digest('hex') !== sha256;
  const provider = /^p2\/([^~]+?)(~dev)?\.json$/.exec(path);
  const name = provider?.[1] === undefined ? undefined : parsePackageName(provider[1]);
  if (name === undefined) {
    const root = path === 'packages.json' ? await stamps.root() : undefined;
    if (root !== undefined && isDamaged(root, false)) throw new DamagedDocument(path);
    return;
  }
  const documents = await stamps.package(name);
  const stamp = documents?.[provider?.[2] === undefined ? 'stable' : 'dev'];
  if (stamp !== undefined && stamp !== null && isDamaged(stamp, true)) throw new DamagedDocument(path);
}
