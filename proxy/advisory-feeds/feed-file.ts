// The file of a feed, `<data>/feeds/<id>.ndjson`: the last good copy of its list. The first line says what it is, a
// line for each package follows, and the last line has the checksum of all bytes before it. A refused list, which is
// much smaller than the copy in use, lies beside it until a person accepts it. So does the copy before the last one,
// for the case that the last one is damaged.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, link, rename, rm } from 'node:fs/promises';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { refuseNewer } from '../../build/contract/newer-format.ts';
import { isAbsence } from '../../build/shared/files/file-stamp.ts';
import { partialPathOf, replaceFileDurably } from '../../build/shared/files/atomic-file.ts';
import { openTable, type FeedTable } from './model/feed-table.ts';
import type { Shrinkage } from './model/shrinkage.ts';

const fileFormat = 1;

export interface FeedCopy {
  readonly feed: string;
  readonly url: string;
  /** when the feed last answered completely; null: it never was */
  readonly fetchedAt: string | null;
  readonly table: FeedTable;
  /** of a refused list */
  readonly shrunk: Shrinkage | null;
}

const suffix = '.ndjson';
const refusedSuffix = '.refused.ndjson';
const previousSuffix = '.previous.ndjson';

export function feedPath(folder: string, id: string): string {
  return `${folder}/${id}${suffix}`;
}

export function refusedPath(folder: string, id: string): string {
  return `${folder}/${id}${refusedSuffix}`;
}

export function previousPath(folder: string, id: string): string {
  return `${folder}/${id}${previousSuffix}`;
}

/** The feed of a file in the folder; undefined: the file is no copy in use. */
export function feedOfFile(fileName: string): string | undefined {
  const isOther = fileName.endsWith(refusedSuffix) || fileName.endsWith(previousSuffix);
  return fileName.endsWith(suffix) && !isOther ? fileName.slice(0, -suffix.length) : undefined;
}

/** The copy in use becomes the previous one too. It keeps its own name until a new one replaces it. */
export async function keepPrevious(folder: string, id: string): Promise<void> {
  const [path, previous] = [feedPath(folder, id), previousPath(folder, id)];
  const partial = partialPathOf(previous);
  try {
    await link(path, partial).catch(() => copyFile(path, partial)); // some disks have no links
    await rename(partial, previous);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  } finally {
    await rm(partial, { force: true });
  }
}

/** Another process sees the old file or the new one, whole. */
export async function writeCopy(path: string, { feed, url, fetchedAt, table, shrunk }: FeedCopy): Promise<void> {
  const { size: names, rows, unconvertible, digest: rowsDigest, bytes } = table;
  const facts = { names, rows, unconvertible, rows_sha256: rowsDigest };
  const header = { format: fileFormat, feed, url, fetched_at: fetchedAt, ...facts, shrunk };
  const head = Buffer.from(`${JSON.stringify(header)}\n`);
  const digest = createHash('sha256').update(head).update(bytes).digest('hex');
  await replaceFileDurably(path, [head, bytes, `${JSON.stringify({ sha256: digest })}\n`]);
}

/**
 * undefined: there is no such file. Throws an Error that describes the fault of a damaged file, or Node's error. Reads
 * in one go, so that no request is answered before a list is there.
 */
export function readCopy(path: string): FeedCopy | undefined {
  const bytes = readIfThere(path);
  if (bytes === undefined) return undefined;
  const bodyEnd = bytes.lastIndexOf(10, bytes.length - 2) + 1;
  const headEnd = bytes.indexOf(10) + 1;
  const digest = createHash('sha256').update(bytes.subarray(0, bodyEnd)).digest('hex');
  if (bodyEnd < headEnd || bytes.toString('latin1', bodyEnd) !== `${JSON.stringify({ sha256: digest })}\n`)
    throw new Error(`${path} is damaged: its checksum is wrong`);
  const header: unknown = JSON.parse(bytes.toString('utf8', 0, headEnd));
  if (!isJsonObject(header)) throw new Error(`${path} is damaged: its first line is no JSON object`);
  refuseNewer(header['format'], fileFormat);
  return copyOf(header, bytes.subarray(headEnd, bodyEnd), path);
}

function copyOf(header: JsonObject, body: Buffer, path: string): FeedCopy {
  const { format, feed, url, fetched_at: fetchedAt = null, rows, unconvertible, rows_sha256: digest, shrunk } = header;
  if (
    format !== fileFormat ||
    typeof feed !== 'string' ||
    typeof url !== 'string' ||
    (fetchedAt !== null && typeof fetchedAt !== 'string') ||
    typeof rows !== 'number' ||
    typeof unconvertible !== 'number' ||
    typeof digest !== 'string'
  )
    throw new Error(`${path} is damaged: its first line is malformed`);
  const { from, to } = isJsonObject(shrunk) ? shrunk : {};
  return {
    feed,
    url,
    fetchedAt,
    table: openTable(body, { rows, unconvertible, digest }),
    shrunk: typeof from === 'number' && typeof to === 'number' ? { from, to } : null,
  };
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
