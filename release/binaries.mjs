// LMDB's binaries as the program carries them: lib/cli/lmdb/<platform>-<processor>[-<libc>].node, one for each
// supported system, from the packages @lmdb/lmdb-*. proxy/state/lmdb-binary.ts loads one of them.
//
// The variants for one version of Node are left out: the variant for Node-API runs on every version. Binaries for Linux
// come with debug information, four fifths of their size. Nothing loads that part, so it is left out too.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** package → file in the package → name of the binary */
const binariesOf = {
  '@lmdb/lmdb-darwin-arm64': { 'node.napi.node': 'darwin-arm64' },
  '@lmdb/lmdb-darwin-x64': { 'node.napi.node': 'darwin-x64' },
  '@lmdb/lmdb-linux-arm64': { 'node.napi.glibc.node': 'linux-arm64-glibc', 'node.napi.musl.node': 'linux-arm64-musl' },
  '@lmdb/lmdb-linux-x64': { 'node.napi.glibc.node': 'linux-x64-glibc', 'node.napi.musl.node': 'linux-x64-musl' },
};

/** The packages that have a binary for a supported system. */
export const binaryPackages = Object.keys(binariesOf);

/** The binaries of a package: their path in lib/cli, and the path in the package. */
export function binariesIn(packageName) {
  return Object.entries(binariesOf[packageName]).map(([from, name]) => ({ from, to: `lmdb/${name}.node` }));
}

/** Writes the binaries of the package in `folder` below `out`, which is lib/cli. */
export function copyBinaries(packageName, folder, out) {
  for (const { from, to } of binariesIn(packageName))
    writeIfChanged(join(out, to), withoutDebugInformation(readFileSync(join(folder, from))));
}

/**
 * Replaces the file as a whole, and only where the bytes differ: a running program maps a binary into its memory, and
 * would end if the bytes changed there.
 */
export function writeIfChanged(path, bytes) {
  if (existsSync(path) && readFileSync(path).equals(bytes)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, bytes, { mode: 0o644 });
  renameSync(`${path}.new`, path);
}

const elf64LittleEndian = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);

/**
 * An ELF file up to the end of what its program headers load. Symbols for debuggers stand behind that, and the table of
 * sections, which no loader reads. Other files stay as they are: a signature covers those of macOS.
 */
export function withoutDebugInformation(file) {
  if (!file.subarray(0, 6).equals(elf64LittleEndian)) return file;
  const [first, size, count] = [Number(file.readBigUInt64LE(32)), file.readUInt16LE(54), file.readUInt16LE(56)];
  let end = first + size * count;
  for (let at = first; at < first + size * count; at += size)
    end = Math.max(end, Number(file.readBigUInt64LE(at + 8)) + Number(file.readBigUInt64LE(at + 32)));
  const kept = Buffer.from(file.subarray(0, end));
  // no table of sections: its place, the number of its entries, and the entry with the names
  kept.writeBigUInt64LE(0n, 40);
  kept.writeUInt16LE(0, 60);
  kept.writeUInt16LE(0, 62);
  return kept;
}
