// Lists the files of a published archive from its central directory. Unpacks nothing, and gives other work its turn.

import { listCentralEntries, type CentralEntry } from '../archive/zip-admission/central-entries.ts';
import { readCentralDirectory } from '../archive/zip-admission/end-record.ts';
import { withOpenFile } from '../archive/zip-admission/open-file.ts';
import { defaultZipLimits, type ZipLimits } from '../archive/zip-admission/zip-limits.ts';
import { packageRoot } from '../archive/package-root.ts';
import { QuarantineError } from '../contract/quarantine.ts';

/** One file or symlink of an archive. */
export interface ArchivedFile {
  /** below the root of the package */
  readonly path: string;
  /** bytes, unpacked, as the archive claims */
  readonly size: number;
  readonly crc32: number;
}

/** Archives with more entries are not listed: sorting them would hold the server's thread for too long. */
export const mostListedEntries = 10_000;
const limits: ZipLimits = { ...defaultZipLimits, entries: mostListedEntries };

/** `path` is absolute. undefined: the archive is missing or damaged, or has more entries than are listed. */
export async function listArchivedFiles(path: string): Promise<readonly ArchivedFile[] | undefined> {
  try {
    return await withOpenFile(path, async (descriptor, { size }) =>
      filesOf(await listCentralEntries(readCentralDirectory(descriptor, size, limits))),
    );
  } catch (error) {
    if (error instanceof QuarantineError) return undefined;
    throw error;
  }
}

function filesOf(entries: readonly CentralEntry[]): readonly ArchivedFile[] {
  const files = entries
    .map(({ nameBytes, size, crc32 }) => ({ path: nameBytes.toString('utf8'), size, crc32 }))
    .filter(({ path }) => !path.endsWith('/'));
  const root = packageRoot(files.map(({ path }) => path));
  return files.map((file) => (file.path.startsWith(root) ? { ...file, path: file.path.slice(root.length) } : file));
}
