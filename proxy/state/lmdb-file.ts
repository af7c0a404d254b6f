// Checks an LMDB data file before LMDB maps it. LMDB trusts the file: one that was cut short or overwritten ends the
// process with a segmentation fault or a bus error, and no message. Two pages at its start name its minimum length,
// which is checked here.

import { open } from 'node:fs/promises';

// Offsets in bytes from the start of a meta page (mdb.c, MDB_page and MDB_meta, data version 2, 64 bit).
const magicAt = 24;
const versionAt = 28;
const pageSizeAt = 48;
const lastPageAt = 144;
const metaEnd = 160;

const magic = 0xbeefc0de;
const dataVersion = 2;

/** The fault of the file; undefined for a sound header or a missing file. Rejects when it cannot be read. */
export async function findLmdbDamage(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const read = async (position: number): Promise<Buffer | undefined> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(metaEnd), 0, metaEnd, position);
      return bytesRead === metaEnd ? buffer : undefined;
    };
    const first = await read(0);
    if (first === undefined && (await file.stat()).size === 0) return 'it is empty';
    if (first === undefined || !isMeta(first)) return 'it does not start like a database';
    const second = await read(first.readUInt32LE(pageSizeAt));
    if (second === undefined || !isMeta(second)) return 'its second page is damaged';
    // read last: a concurrent writer extends the file before a page at its start names the new size
    const { size } = await file.stat();
    return findMissingPages([first, second], size);
  } finally {
    await file.close();
  }
}

function isMeta(page: Buffer): boolean {
  const pageSize = page.readUInt32LE(pageSizeAt);
  return (
    page.readUInt32LE(magicAt) === magic &&
    page.readUInt32LE(versionAt) === dataVersion &&
    pageSize >= 512 &&
    pageSize <= 65_536
  );
}

function findMissingPages(metas: readonly Buffer[], size: number): string | undefined {
  for (const meta of metas) {
    const expected = (Number(meta.readBigUInt64LE(lastPageAt)) + 1) * meta.readUInt32LE(pageSizeAt);
    if (size < expected) return `it should be at least ${expected} bytes long and is ${size}`;
  }
  return undefined;
}
