// Reads single members of a ZIP that is ours or was admitted. The only file that imports adm-zip.

import AdmZip from 'adm-zip';

export type ZipMembers = ReturnType<typeof openZipMembers>;

/** Keeps the whole archive in memory. Throws Error for a file that is no ZIP. */
export function openZipMembers(archive: string | Buffer) {
  const zip = new AdmZip(archive);
  return {
    /** paths of files and symlinks, as the archive has them */
    paths: zip
      .getEntries()
      .filter((entry) => !entry.isDirectory)
      .map(({ entryName }) => entryName) as readonly string[],
    /** size of a member as claimed by the archive, bytes; 0 if the path has no member */
    sizeOf: (path: string): number => zip.getEntry(path)?.header.size ?? 0,
    /** the CRC-32 of its content as claimed by the archive */
    crcOf: (path: string): number => zip.getEntry(path)?.header.crc ?? 0,
    /**
     * The content of a member; undefined if the path has no member. Throws for a member that cannot be read or claims
     * more than `maxBytes`.
     */
    read: (path: string, maxBytes: number): Buffer | undefined => {
      const entry = zip.getEntry(path);
      if (entry === null) return undefined;
      if (entry.header.size > maxBytes)
        throw new Error(`${path} claims ${entry.header.size} bytes, and ${maxBytes} may be read`);
      return entry.getData();
    },
  };
}
