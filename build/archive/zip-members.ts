// Reads single members of a ZIP that is ours or was admitted. The only file that imports adm-zip.

import AdmZip from 'adm-zip';

export interface ZipMembers {
  /** paths of files and symlinks, as the archive has them */
  readonly paths: readonly string[];
  /** size of a member as claimed by the archive, bytes; 0 if the path has no member */
  readonly sizeOf: (path: string) => number;
  /** the CRC-32 of its content as claimed by the archive */
  readonly crcOf: (path: string) => number;
  /**
   * The content of a member; undefined if the path has no member. Throws for a member that cannot be read or claims
   * more than `maxBytes`.
   */
  readonly read: (path: string, maxBytes: number) => Buffer | undefined;
}

/** Keeps the whole archive in memory. Throws Error for a file that is no ZIP. */
export function openZipMembers(archive: string | Buffer): ZipMembers {
  const zip = new AdmZip(archive);
  return {
    paths: zip
      .getEntries()
      .filter((entry) => !entry.isDirectory)
      .map(({ entryName }) => entryName),
    sizeOf: (path) => zip.getEntry(path)?.header.size ?? 0,
    crcOf: (path) => zip.getEntry(path)?.header.crc ?? 0,
    read: (path, maxBytes) => {
      const entry = zip.getEntry(path);
      if (entry === null) return undefined;
      if (entry.header.size > maxBytes)
        throw new Error(`${path} claims ${entry.header.size} bytes, and ${maxBytes} may be read`);
      return entry.getData();
    },
  };
}
