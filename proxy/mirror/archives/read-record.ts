// The record of one accepted archive on disk. An unreadable record never counts as absent: otherwise the version would
// be accepted again, with different bytes.

import { readFile } from 'node:fs/promises';
import { messageOf } from '../../../build/shared/text/message-of.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';
import { parseArchiveRecord, type ArchiveRecord } from './archive-record.ts';

/** The message names the file and the remedy. */
export class UnreadableRecord extends Error {
  readonly path: string;

  constructor(path: string, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UnreadableRecord';
    this.path = path;
  }
}

/** undefined: there is none. Rejects with UnreadableRecord. */
export async function readRecord(path: string): Promise<ArchiveRecord | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  try {
    return parseArchiveRecord(text);
  } catch (cause) {
    throw new UnreadableRecord(
      path,
      `${path} is damaged: ${messageOf(cause)}. Restore it from a backup. If you remove it, the next archive of ` +
        `the version is accepted, whatever its bytes`,
      { cause },
    );
  }
}

/** A failing disk, or too many open files, is no fault of the file. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (isAbsence(cause)) return undefined;
    throw new UnreadableRecord(path, `${path} cannot be read now: ${messageOf(cause)}`, { cause });
  }
}
