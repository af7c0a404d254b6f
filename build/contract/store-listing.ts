// What an object store holds of a registry: the head, and the listing of its files. Pure.
//
//   index/_head.json            the head: the number of the current listing; replaced by compare-and-swap alone
//   index/documents/<sha256>    a document, a part of a listing, or the root of a listing; never replaced
//   index/archives/<sha256>.zip an archive whose path below public/ had other bytes when this one was published
//   public/…                    archives under their own paths, and a copy of the current documents for static hosts
//
// A listing names the content of every path. It consists of parts of some hundred files, so that a publication writes
// few of them. All files of one package are in the same part. Archives have parts of their own: a builder reads the
// parts of documents, and those of archives only for packages that it changes.

import { createHash } from 'node:crypto';
import type { Branded } from './brand.ts';
import { parseSha1, type Sha1 } from './digest.ts';
import { isJsonObject } from './json.ts';
import { refuseNewer } from './newer-format.ts';
import { parseRelativePath } from './relative-path.ts';

export const headKey = 'index/_head.json';
const storeFormat = 1;

/** Hex SHA-256 of an object. */
export type ObjectDigest = Branded<string, 'ObjectDigest'>;

/** A path below the data folder, with its area: `public/p2/acme/x.json`. */
export type ListedPath = string;

export interface ListedFile {
  readonly sha256: ObjectDigest;
  readonly size: number;
  /** epoch milliseconds */
  readonly modified: number;
  /** of archives below public/ */
  readonly sha1?: Sha1;
  /** of an archive: the object with its bytes, where that is not the one at its own path */
  readonly key?: string;
}

export type ListingKind = 'documents' | 'archives';

/** Parts are numbered; null: the part has no file. The number of parts is a power of two. */
export interface ListingKindRoot {
  readonly files: number;
  readonly parts: readonly (ObjectDigest | null)[];
}

export type ListingRoot = Readonly<Record<ListingKind, ListingKindRoot>>;

/** The files of one part, by path. */
export type ListingPart = ReadonlyMap<ListedPath, ListedFile>;

export interface StoreHead {
  /** grows by one with every change of the registry's files */
  readonly generation: number;
  /** the serial of the publication in it; 0: nothing was published */
  readonly serial: number;
  /** RFC 3339 UTC */
  readonly written_at: string;
  /** the object with the root of the listing */
  readonly listing: ObjectDigest;
  /** the working copy that removes unused objects; nobody publishes meanwhile */
  readonly removing?: string;
}

/** Lists that one part holds on average. */
const filesPerPart = 256;
const mostParts = 65_536;

export const emptyListing: ListingRoot = {
  documents: { files: 0, parts: [null] },
  archives: { files: 0, parts: [null] },
};

export const documentKey = (digest: ObjectDigest): string => `index/documents/${digest}`;
export const archiveKey = (digest: ObjectDigest): string => `index/archives/${digest}.zip`;

const archivePath = /^public\/dist\/.+\.zip$/;

export function kindOf(path: ListedPath): ListingKind {
  return archivePath.test(path) ? 'archives' : 'documents';
}

/** The object with the bytes of a file. */
export function objectKeyOf(path: ListedPath, { sha256, key }: ListedFile): string {
  return kindOf(path) === 'documents' ? documentKey(sha256) : (key ?? path);
}

/** The number of parts for so many files; it never shrinks, so that few publications distribute all files anew. */
export function partsFor(files: number, before: number): number {
  let parts = before;
  while (parts < mostParts && files > parts * filesPerPart) parts *= 2;
  return parts;
}

const ofPackage = /^(?:public\/(?:p2|dist)|index)\/([^/]+)\/([^/]+?)(?:~dev)?(?:\.json$|\/|$)/;

/** The part of a path. A folder of one package has the part of its files. */
export function partOf(path: ListedPath, parts: number): number {
  const [, vendor, name] = ofPackage.exec(path) ?? [];
  const group = vendor === undefined || vendor.startsWith('_') ? path : `${vendor}/${name}`;
  return createHash('sha256').update(group).digest().readUInt32BE(0) % parts;
}

export function formatPart(part: ListingPart): string {
  const rows = [...part].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const lines = rows.map(([path, { sha256, size, modified, sha1, key }]) =>
    JSON.stringify([
      path,
      sha256,
      size,
      modified,
      ...(sha1 === undefined ? [] : [sha1]),
      ...(key === undefined ? [] : [key]),
    ]),
  );
  return `[\n${lines.join(',\n')}\n]\n`;
}

/** Throws an Error that describes the fault. */
export function parsePart(text: string): ListingPart {
  const json: unknown = JSON.parse(text);
  if (!Array.isArray(json)) throw new Error('it is not a list');
  return new Map(json.map(parseRow));
}

function parseRow(row: unknown): [ListedPath, ListedFile] {
  const [path, digest, size, modified, sha1Text, key] = Array.isArray(row) ? (row as unknown[]) : [];
  const sha256 = parseObjectDigest(digest);
  if (typeof path !== 'string' || 'refusal' in parseRelativePath(path) || sha256 === undefined)
    throw new Error('a row has no path or no digest');
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(modified))
    throw new Error(`the row of ${path} is malformed`);
  const sha1 = typeof sha1Text === 'string' ? parseSha1(sha1Text) : undefined;
  const facts = { sha256, size: size as number, modified: modified as number };
  return [path, { ...facts, ...(sha1 === undefined ? {} : { sha1 }), ...(typeof key === 'string' ? { key } : {}) }];
}

export function formatListing({ documents, archives }: ListingRoot): string {
  return `${JSON.stringify({ format: storeFormat, documents, archives })}\n`;
}

/** Throws an Error that describes the fault, NewerFormat among them. */
export function parseListing(text: string): ListingRoot {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('it is not a JSON object');
  refuseNewer(json['format'], storeFormat);
  return { documents: parseKind(json['documents']), archives: parseKind(json['archives']) };
}

function parseKind(value: unknown): ListingKindRoot {
  const { files, parts } = isJsonObject(value) ? value : {};
  const digests = Array.isArray(parts)
    ? parts.map((one: unknown) => (one === null ? one : parseObjectDigest(one)))
    : [];
  const known = digests.filter((one) => one !== undefined);
  const isPowerOfTwo = digests.length > 0 && (digests.length & (digests.length - 1)) === 0;
  if (!Number.isSafeInteger(files) || known.length !== digests.length || !isPowerOfTwo)
    throw new Error('a kind of files is malformed');
  return { files: files as number, parts: known };
}

export function formatHead(head: StoreHead): string {
  return `${JSON.stringify({ format: storeFormat, ...head }, null, 1)}\n`;
}

/** Throws an Error that describes the fault, NewerFormat among them. */
export function parseHead(text: string): StoreHead {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('it is not a JSON object');
  refuseNewer(json['format'], storeFormat);
  const { generation, serial, written_at: writtenAt, removing } = json;
  const listing = parseObjectDigest(json['listing']);
  if (!Number.isSafeInteger(generation) || !Number.isSafeInteger(serial) || listing === undefined)
    throw new Error('generation, serial or listing is malformed');
  const position = { generation: generation as number, serial: serial as number, written_at: String(writtenAt) };
  return { ...position, listing, ...(typeof removing === 'string' ? { removing } : {}) };
}

function parseObjectDigest(value: unknown): ObjectDigest | undefined {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? (value as ObjectDigest) : undefined;
}
