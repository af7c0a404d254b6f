// Opens a new archive from its end, as any unpacker does. The contents must match the record of the archive.

import { isJsonObject, type JsonObject } from '../contract/json.ts';
import { StorageError } from '../output/storage-error.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import { readZipDirectory } from './zip-directory.ts';

export interface ExpectedArchive {
  /** the top folder of all files */
  readonly topFolder: string;
  /** the composer.json from which the record is made */
  readonly composerJson: JsonObject;
  /** true: the composer.json may have another name */
  readonly mayNameAnother: boolean;
  /** false: its rules leave composer.json out, and then none may be there */
  readonly hasComposerJson: boolean;
  /** the attributes for which git changed its composer.json */
  readonly changedBy?: string | undefined;
}

/**
 * Throws QuarantineError ARCHIVE_MISMATCH for an archive that does not open, or that has files outside its top folder.
 * The same error reports a composer.json with another package or version. Throws StorageError if the archive cannot be
 * read. Reads its directory and its composer.json, of any size.
 */
export function checkArchive(
  path: string,
  { topFolder, composerJson, mayNameAnother, hasComposerJson, changedBy }: ExpectedArchive,
): void {
  const inside = readComposerJson(path, topFolder);
  if (!hasComposerJson && inside === undefined) return;
  if (!hasComposerJson) throw mismatch('it has a composer.json, which its rules leave out');
  if (inside === undefined) throw mismatch('it has no composer.json');
  const json = parse(inside, changedBy);
  for (const field of ['name', 'version'] as const) {
    if ((field === 'version' || !mayNameAnother) && json[field] !== composerJson[field])
      throw mismatch(
        `its composer.json has the ${field} ${JSON.stringify(json[field])}, its record was made of ` +
          `${JSON.stringify(composerJson[field])}`,
        { changedBy },
      );
  }
}

function readComposerJson(path: string, topFolder: string): Buffer | undefined {
  try {
    const files = readZipDirectory(path);
    for (const file of files.keys())
      if (!file.startsWith(`${topFolder}/`))
        throw new Error(`${JSON.stringify(file)} lies beside its top folder ${topFolder}`);
    return files.get(`${topFolder}/composer.json`)?.read();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new StorageError(path, error);
    throw mismatch(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function parse(bytes: Buffer, changedBy: string | undefined): JsonObject {
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'));
    if (isJsonObject(json)) return json;
  } catch (cause) {
    throw mismatch('its composer.json is not JSON', { cause, changedBy });
  }
  throw mismatch('its composer.json is not an object');
}

function mismatch(
  what: string,
  { cause, changedBy }: { readonly cause?: unknown; readonly changedBy?: string | undefined } = {},
): QuarantineError {
  const remedy =
    changedBy === undefined
      ? 'Build again; if that does not help, the disk may be failing.'
      : `.gitattributes gives composer.json the attribute ${changedBy}, which changes its bytes. Exempt composer.json.`;
  const message = `The new archive cannot be published: ${what}. ${remedy}`;
  return new QuarantineError('ARCHIVE_MISMATCH', message, cause === undefined ? {} : { cause });
}
