// Reads a published ZIP with adm-zip, for `verify`: not with the reader that checked the archive when it was published.
// The only file that imports adm-zip.

import AdmZip from 'adm-zip';
import { readZipDirectory, type ZipFile } from './zip-directory.ts';

/** The files and symlinks by their paths. Keeps the whole archive in memory. Throws Error. */
export function openZipMembers(path: string): ReadonlyMap<string, Pick<ZipFile, 'size' | 'read'>> {
  try {
    const files = new AdmZip(path).getEntries().filter((entry) => !entry.isDirectory);
    return new Map(files.map((file) => [file.entryName, { size: file.header.size, read: () => file.getData() }]));
  } catch (error) {
    // adm-zip reads no ZIP that lists a path twice, such as a folder, and uploads may do so
    if (error instanceof Error && error.message.includes('Duplicate entry')) return readZipDirectory(path);
    throw error;
  }
}
