// One document of an upstream on disk: a line of JSON with its metadata, then the unchanged bytes. The file's mtime is
// the time of the last check. The store is a cache: an unreadable or incomplete file counts as absent.

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { isJsonObject } from '../../../build/contract/json.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';
import { replaceFile } from '../../../build/shared/files/atomic-file.ts';
import { readWhole } from '../../../build/shared/files/read-whole.ts';
import type { Validators } from './upstream-client.ts';

export interface DocumentFile extends Validators {
  /** undefined: the upstream has no such document */
  readonly body: Buffer | undefined;
  /** hex SHA-256 of the body */
  readonly digest: string;
  /** when the upstream changed to these bytes: its Last-Modified, or the time of the first fetch */
  readonly changedAtMs: number;
  /** since when the upstream reports a formerly existing document as missing; the body is the last known one */
  readonly missingSinceMs: number | undefined;
  /** time of the last check */
  readonly checkedAtMs: number;
}

const format = 1;
/**
 * A document written this soon after its request keeps its write time as check time: its next request is only later by
 * this difference.
 */
const alikeMs = 1000;

export function fileOf(body: Buffer | undefined, { etag, lastModified }: Validators, nowMs: number): DocumentFile {
  const stated = lastModified === undefined ? Number.NaN : Date.parse(lastModified);
  const changedAtMs = Number.isNaN(stated) || stated > nowMs ? nowMs : stated;
  return {
    body,
    digest: createHash('sha256')
      .update(body ?? '')
      .digest('hex'),
    etag,
    lastModified,
    changedAtMs,
    missingSinceMs: undefined,
    checkedAtMs: nowMs,
  };
}

export async function writeDocumentFile(
  path: string,
  { body, digest, etag, lastModified, changedAtMs, missingSinceMs, checkedAtMs }: DocumentFile,
): Promise<void> {
  const head = {
    format,
    missing: body === undefined,
    size: body?.length ?? 0,
    sha256: digest,
    etag,
    last_modified: lastModified,
    changed_at: changedAtMs,
    missing_since: missingSinceMs,
  };
  await replaceFile(path, [`${JSON.stringify(head)}\n`, ...(body === undefined ? [] : [body])]);
  // a file has the system's time anyway
  if (Math.abs(Date.now() - checkedAtMs) > alikeMs) await markChecked(path, checkedAtMs);
}

/** The document was found to be current. */
export async function markChecked(path: string, nowMs: number): Promise<void> {
  await utimes(path, nowMs / 1000, nowMs / 1000);
}

export async function readDocumentFile(path: string): Promise<DocumentFile | undefined> {
  try {
    // takes a few microseconds: mostly the file is missing
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const found = await readWhole(path);
    if (found === undefined) return undefined;
    const { bytes, mtimeMs } = found;
    const end = bytes.indexOf(0x0a);
    const head: unknown = JSON.parse(bytes.toString('utf8', 0, Math.max(0, end)));
    if (
      !isJsonObject(head) ||
      head['format'] !== format ||
      typeof head['sha256'] !== 'string' ||
      typeof head['changed_at'] !== 'number'
    )
      return undefined;
    const body = bytes.subarray(end + 1);
    if (body.length !== head['size']) return undefined;
    return {
      body: head['missing'] === true ? undefined : body,
      digest: head['sha256'],
      etag: typeof head['etag'] === 'string' ? head['etag'] : undefined,
      lastModified: typeof head['last_modified'] === 'string' ? head['last_modified'] : undefined,
      changedAtMs: head['changed_at'],
      missingSinceMs: typeof head['missing_since'] === 'number' ? head['missing_since'] : undefined,
      checkedAtMs: Math.round(mtimeMs),
    };
  } catch (error) {
    if (isAbsence(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
