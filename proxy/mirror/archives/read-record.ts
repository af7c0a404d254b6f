// The record of one accepted archive, as it is on disk. One that cannot be read is never taken for none: the version
// would be accepted anew, with whatever bytes its upstream has by then.

import { readFile } from 'node:fs/promises';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';
import { parseArchiveRecord, type ArchiveRecord } from './archive-record.ts';

/** The message names the file, and says what to do. */
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
      `${path} is damaged: ${messageOf(cause)}. Put it back from a backup. Once it is removed, whatever ` +
        'archive is offered of the version next is accepted',
      { cause },
    );
  }
}

/** A failing disk, or too many open files, says nothing about the content of the file. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (isAbsence(cause)) return undefined;
    throw new UnreadableRecord(path, `${path} cannot be read now: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
