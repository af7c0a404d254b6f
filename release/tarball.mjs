// Writes the file of a package, as `npm pack` does, but with the same bytes for the same contents: on every machine,
// for every user, at any time, and with every version of Node and npm.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { pack } from 'tar-stream';

/** The date that npm gives every file: 1985-10-26T08:15:00Z. */
const fileDate = new Date(499_162_500_000);

/**
 * The bytes of the .tgz with these files of `root`, below the folder `package` that npm expects. `executable`: paths
 * that a user runs. `deflate` compresses with the same bytes everywhere: the program's own compressor.
 */
export async function packTarball(root, paths, { executable, deflate }) {
  const archive = pack();
  for (const path of paths.toSorted()) {
    const mode = executable.includes(path) ? 0o755 : 0o644;
    archive.entry({ name: `package/${path}`, mode, mtime: fileDate, uid: 0, gid: 0 }, readFileSync(join(root, path)));
  }
  archive.finalize();
  const parts = [];
  for await (const part of archive) parts.push(part);
  return gzip(Buffer.concat(parts), deflate);
}

/** RFC 1952, without a name and a time, from an unknown system. */
function gzip(bytes, deflate) {
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length % 2 ** 32, 4);
  return Buffer.concat([header, deflate(bytes), trailer]);
}
