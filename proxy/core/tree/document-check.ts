// Checks that a document on disk is the published one: a damaged file is never served. The check costs one SHA-256 each
// time a file is read, and nothing for a request. A publication replaces the serving indexes first, then the documents,
// packages.json and last the announcement, with dates that only rise (I19). A document may therefore differ from its
// index only while the index names a publication that is not announced yet. After a killed build this state lasts until
// the next build (I5). packages.json is never older than its announcement. A newer packages.json belongs to a running
// or interrupted publication: the builder's manifest then has a serial that is not announced. A tree that was copied
// without the builder's folder has no manifest, so its packages.json is served unchecked. A document that cannot be
// checked must at least be a document of its package.
//
// A missing document is damaged too, if its index names it and the publication of the index is announced. Until that
// publication is complete, the document may still be missing.

import { isJsonObject } from '../../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import { rootDocumentPath } from '../../../build/contract/paths.ts';
import type { Publication } from '../../../build/contract/publication.ts';
import type { DocumentStamp } from '../../../build/contract/serving-index.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { digestInTurns } from '../../../build/shared/concurrency/yielding.ts';
import type { WholeFile } from '../../../build/shared/files/read-whole.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';

const repairRoot = '`libretto build` writes it again.';
/**
 * A build with unchanged sources does not read documents, since thousands of reads would be slow. So the repair is a
 * complete comparison.
 */
const repairProvider =
  'Remove build/manifest.json, unless index/_publication.json is lost, and run `libretto build`: it compares ' +
  'everything and writes this again.';

export class DamagedDocument extends UnusableFile {
  constructor(path: string, what = 'was changed or damaged on the disk, and is not served') {
    super(
      `public/${path} ${what}. ` +
        `${path === rootDocumentPath ? repairRoot : repairProvider} \`libretto verify\` lists every damaged file.`,
    );
    this.name = 'DamagedDocument';
  }
}

/** The present content of the disk, read at each call. */
export interface PublishedTree {
  /** undefined: there is no announcement */
  readonly announced: () => MaybeAsync<Pick<Publication, 'serial' | 'root'> | undefined>;
  /** serial of the publication that the builder began last; undefined: not known */
  readonly begun: () => Promise<number | undefined>;
  /** the facts of a package from its index; undefined: unknown */
  readonly package: (
    name: PackageName,
  ) => Promise<{ readonly stable: DocumentStamp | null; readonly dev: DocumentStamp | null } | undefined>;
  /** `path`: below public/; undefined: there is no such file */
  readonly bytes: (path: string) => Promise<Buffer | undefined>;
}

/** `path`: below public/. Returns the SHA-256 of the bytes, if it was needed. Throws DamagedDocument. */
export async function checkDocument(path: string, file: WholeFile, tree: PublishedTree): Promise<string | undefined> {
  const { bytes, mtimeMs } = file;
  const provider = providerOf(path);
  if (provider === undefined && path !== rootDocumentPath) return undefined;
  const name = provider?.name;
  const stamp =
    provider === undefined ? (await tree.announced())?.root : (await tree.package(provider.name))?.[provider.stability];
  const digest = isPublished(stamp) ? await digestInTurns(bytes) : undefined;
  if (isPublished(stamp) && digest !== undefined) {
    if (digest === stamp.sha256) return digest;
    const age = stamp.last_modified - Math.floor(mtimeMs / 1000);
    const isSettled = (): boolean | Promise<boolean> =>
      name !== undefined ? isAnnounced(stamp, tree) : age > 0 || isOther(digest, tree);
    const isDamaged =
      (name === undefined ? age === 0 : age <= 0) || ((await isSettled()) && (await isStill(path, bytes, tree)));
    if (isDamaged) throw new DamagedDocument(path);
  }
  if (!isDocumentOf(name, bytes)) throw new DamagedDocument(path);
  return digest;
}

/**
 * Checks a document that was not found. `path`: below public/. Throws DamagedDocument if it was published. The
 * announcement is read first and the index last: a later publication that deletes the document replaces the index
 * before.
 */
export async function checkAbsence(path: string, tree: PublishedTree): Promise<void> {
  const provider = providerOf(path);
  if (provider === undefined && path !== rootDocumentPath) return;
  const announced = await Promise.resolve(tree.announced()).catch(() => undefined);
  if (announced === undefined || (await tree.bytes(path)) !== undefined) return;
  const stamp = provider === undefined ? undefined : (await tree.package(provider.name))?.[provider.stability];
  if (provider === undefined || (isPublished(stamp) && isPartOf(announced, stamp)))
    throw new DamagedDocument(path, 'is published, and is missing on the disk or is no file');
}

/** True if an index names the document with this stamp. */
export function isPublished(stamp: DocumentStamp | null | undefined): stamp is DocumentStamp {
  return stamp !== null && stamp !== undefined && stamp.sha256 !== null;
}

/** `path`: below public/. undefined: it is no p2 document. */
export function providerOf(
  path: string,
): { readonly name: PackageName; readonly stability: 'stable' | 'dev' } | undefined {
  const [, named, dev] = /^p2\/([^~]+?)(~dev)?\.json$/.exec(path) ?? [];
  const name = named === undefined ? undefined : parsePackageName(named);
  return name === undefined ? undefined : { name, stability: dev === undefined ? 'stable' : 'dev' };
}

/**
 * True if packages.json of this digest belongs to no publication: the announced one has another digest, and no later
 * one has started. The builder's manifest is read first.
 */
async function isOther(digest: string, tree: PublishedTree): Promise<boolean> {
  const begun = await tree.begun();
  const announced = await tree.announced();
  return announced !== undefined && announced.serial === begun && announced.root.sha256 !== digest;
}

/**
 * True if the publication that made this document is complete. An older version of Libretto did not record the
 * publication: then the result is unknown.
 */
async function isAnnounced(stamp: DocumentStamp, tree: PublishedTree): Promise<boolean> {
  // a damaged announcement announces nothing; `libretto verify` reports it
  const announced = await Promise.resolve(tree.announced()).catch(() => undefined);
  return announced !== undefined && isPartOf(announced, stamp);
}

function isPartOf({ serial }: Pick<Publication, 'serial'>, { changes, last_modified: date }: DocumentStamp): boolean {
  const latest = changes?.at(-1);
  return latest?.last_modified === date && latest.serial <= serial;
}

/** Read after the announcement: a publication that was completed since the bytes were read has replaced them. */
async function isStill(path: string, bytes: Buffer, tree: PublishedTree): Promise<boolean> {
  return (await tree.bytes(path))?.equals(bytes) === true;
}

/** `name` undefined: packages.json. */
function isDocumentOf(name: PackageName | undefined, bytes: Buffer): boolean {
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'));
    const packages = isJsonObject(json) ? json['packages'] : undefined;
    if (name === undefined) return typeof packages === 'object' && packages !== null;
    return isJsonObject(packages) && typeof packages[name] === 'object' && packages[name] !== null;
  } catch {
    return false; // truncated or empty
  }
}
