// The format of a bundle: a tar that begins with `bundle.json`, which names every file behind it with its size and
// SHA-256. Names, times and owners in the tar are fixed, so that the same files always give the same bytes, and a
// reader compares each header instead of believing it. Pure.

import { isJsonObject } from '../contract/json.ts';
import { refuseNewer } from '../contract/newer-format.ts';
import { parseRelativePath } from '../contract/relative-path.ts';

const bundleFormat = 1;
export const manifestName = 'bundle.json';
/** The list is read into memory; one of half a million files has less. */
export const mostBytesOfList = 128 * 1024 ** 2;
export const blockBytes = 512;
/** Two empty blocks. */
export const endBytes = 2 * blockBytes;

export interface BundleHead {
  /** the name of the registry that it was made on */
  readonly registry: string;
  /** of the publication */
  readonly serial: number;
  /** the receiver has the archives of this publication; null: the bundle has all archives */
  readonly since: number | null;
  /** false: it has some versions of the registry, and says nothing about the others */
  readonly whole: boolean;
}

/** `path`: in the folder of a registry, below public/, index/ or mirror/. */
export interface BundleFile {
  readonly path: string;
  readonly size: number;
  /** hex */
  readonly sha256: string;
  /** epoch seconds: when a document of another registry was last checked */
  readonly modified?: number;
}

export interface BundleManifest extends BundleHead {
  /** by path */
  readonly files: readonly BundleFile[];
}

/** A line for each file. */
export function formatManifest({ files, ...head }: BundleManifest): string {
  const lines = files.map((file) => JSON.stringify(file)).join(',\n');
  return `${JSON.stringify({ format: bundleFormat, ...head }).slice(0, -1)},"files":[\n${lines}\n]}\n`;
}

/** Throws an Error that describes the fault, NewerFormat among them. */
export function parseManifest(text: string): BundleManifest {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('its list of files is malformed');
  refuseNewer(json['format'], bundleFormat);
  const { format, registry, serial, since, whole, files } = json;
  if (format !== bundleFormat || typeof registry !== 'string' || typeof whole !== 'boolean' || !Array.isArray(files))
    throw new Error('its list of files is malformed');
  if (!isCount(serial) || !(since === null || isCount(since)))
    throw new Error('it does not say which publication it has');
  const parsed = files.map(parseFile);
  refuseClashes(parsed);
  return { registry, serial, since, whole, files: parsed };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function parseFile(value: unknown): BundleFile {
  const { path, size, sha256, modified } = isJsonObject(value) ? value : {};
  if (typeof path !== 'string' || 'refusal' in parseRelativePath(path) || !/^(?:public|index|mirror)\//.test(path))
    throw new Error(`it lists a file outside a registry: ${JSON.stringify(path ?? null).slice(0, 200)}`);
  const isDated = modified === undefined || (isCount(modified) && modified < 8.64e12);
  if (!isCount(size) || typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256) || !isDated)
    throw new Error(`its entry of ${JSON.stringify(path).slice(0, 200)} is malformed`);
  return { path, size, sha256, ...(modified === undefined ? {} : { modified }) };
}

/** Each file once, in order, and none in the place of a folder. */
function refuseClashes(files: readonly BundleFile[]): void {
  const folders = new Set(
    files.flatMap(({ path }) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))),
  );
  const bad = files.find(({ path }, at) => folders.has(path) || (files[at - 1]?.path ?? '') >= path);
  if (bad !== undefined) throw new Error(`it lists ${JSON.stringify(bad.path)} twice, or out of order`);
}

/** The name in the tar of the file at this place of the list: a path may be too long for a tar. */
export function entryName(at: number): string {
  return `files/${String(at + 1).padStart(7, '0')}`;
}

/** The header of a regular file, in the format ustar. Throws for a size that a tar has no room for. */
export function headerOf(name: string, size: number): Buffer {
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  if (size >= 8 ** 11) throw new Error(`a file of ${size} bytes is too large for a bundle`);
  const header = Buffer.alloc(blockBytes);
  header.write(name);
  header.write(`${octal(0o644, 7)}${octal(0, 7)}${octal(0, 7)}${octal(size, 11)}${octal(0, 11)}        0`, 100);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(octal(sum, 6), 148);
  return header;
}

/** The size that a header states; undefined: it is not that of a bundle's first file. */
export function manifestSize(header: Buffer): number | undefined {
  const size = Number.parseInt(header.toString('latin1', 124, 135), 8);
  return size >= 0 && headerOf(manifestName, size).equals(header) ? size : undefined;
}

/** The bytes between the end of a file and the next block. */
export function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}
