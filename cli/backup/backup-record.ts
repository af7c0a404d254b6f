// `backup.json`: the files of a backup, each with its checksum. The record is written last; a folder without a record
// is no backup.

import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

import { refuseNewer } from '../../build/contract/newer-format.ts';
import { parseRelativePath } from '../../build/contract/relative-path.ts';
import { ours } from '../../build/sources/data-folder.ts';
import { UsageError } from '../io/usage-error.ts';

export const backupFormat = 1;
export const recordName = 'backup.json';

const backupFile = z.strictObject({
  /** relative to the backup, forward slashes */
  path: z.string().refine((path) => 'path' in parseRelativePath(path), 'points outside the backup'),
  size: z.number().int().min(0),
  /** hex */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** epoch seconds, as far as a Date goes: the Last-Modified for readers, which builds compare */
  modified: z.number().min(-8.64e12).max(8.64e12),
});

export type BackupFile = z.infer<typeof backupFile>;

const backupRecord = z.strictObject({
  format: z.literal(backupFormat),
  /** the version that wrote it */
  libretto: z.string(),
  created_at: z.iso.datetime(),
  /** the serial of its publication; 0 without one */
  serial: z.number().int(),
  files: z.array(backupFile).refine(areOurs, 'has a file twice, or one that belongs to no registry'),
  /** the digest of `files`, so that a damaged list is noticed */
  files_sha256: z.string(),
});

export type BackupRecord = z.infer<typeof backupRecord>;

/** A backup has only files of the folders that a data folder has, each once. */
function areOurs(files: readonly BackupFile[]): boolean {
  const paths = new Set(files.map(({ path }) => path));
  return paths.size === files.length && files.every(({ path }) => ours.has(path.split('/', 1)[0] ?? ''));
}

export function formatBackupRecord(record: Omit<BackupRecord, 'files_sha256'>): string {
  const { files, ...rest } = record;
  return `{\n${Object.entries({ ...rest, files_sha256: digestOf(files) })
    .map(([name, value]) => ` ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`)
    .join('')} "files": [\n${files.map((file) => `  ${JSON.stringify(file)}`).join(',\n')}\n ]\n}\n`;
}

/** Throws UsageError for a missing or damaged file, or a file of a newer version. */
export function readBackupRecord(directory: string): BackupRecord {
  const path = join(directory, recordName);
  try {
    if (!statSync(path).isFile()) throw new Error('it is not a regular file');
    const json: unknown = JSON.parse(readFileSync(path, 'utf8'));
    refuseNewer((json as { readonly format?: unknown } | null)?.format, backupFormat);
    const record = backupRecord.parse(json);
    if (digestOf(record.files) !== record.files_sha256) throw new Error('its list of files is not as it was written');
    return record;
  } catch (error) {
    throw new UsageError(
      `${path} cannot be used: ${reasonOf(error)}. Name the folder of a backup. Nothing was changed.`,
      { cause: error },
    );
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError) return 'it is damaged, or not from `backup`';
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'the file is missing, so this is not a backup, or an incomplete one' : message;
}

function digestOf(files: readonly BackupFile[]): string {
  return createHash('sha256')
    .update(JSON.stringify(files.map(({ path, size, sha256, modified }) => [path, size, sha256, modified])))
    .digest('hex');
}
