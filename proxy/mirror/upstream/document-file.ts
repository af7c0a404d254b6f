// One document of an upstream on disk: a line of JSON that says what it is, then the bytes as they came. When it was
// last found to be current is the file's own time. A cache: a file that cannot be read, or is not whole, counts as
// none.

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile, utimes } from 'node:fs/promises';
import { isJsonObject } from '../../../build/contract/json.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';
import { replaceFile } from '../../../build/shared/files/atomic-file.ts';
import type { Validators } from './upstream-client.ts';

export interface DocumentFile extends Validators {
  /** undefined: the upstream has no such document */
  readonly body: Buffer | undefined;
  /** hex SHA-256 of the body */
  readonly digest: string;
  /** since when the upstream has had these bytes, as far as it is known: its Last-Modified, or when they first came */
  readonly changedAtMs: number;
  /**
   * since when the upstream has said that there is no such document, though there once was; the body is the last one
   * that there was
   */
  readonly missingSinceMs: number | undefined;
  /** when it was last found to be current */
  readonly checkedAtMs: number;
}

const format = 1;
/**
 * A document that is written this soon after its request needs no time of its own: it is only requested again this much
 * later.
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
    const found = statSync(path, { throwIfNoEntry: false }); // a few microseconds: mostly it says that there is none
    if (found === undefined) return undefined;
    const bytes = await readFile(path);
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
      checkedAtMs: Math.round(found.mtimeMs),
    };
  } catch (error) {
    if (isAbsence(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
