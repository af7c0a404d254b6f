// Reads every used page of an LMDB file, without LMDB: LMDB trusts its pages, and one that is damaged ends the process
// that reads or writes it. Pages lead to each other as a B+tree, one for the rows and one for the pages that are free.
// The format is that of mdb.c (data version 2, 64 bit): MDB_page, MDB_node, MDB_ovpage, MDB_db and MDB_meta there.

import { readSync } from 'node:fs';

const headerSize = 24;
const nodeHeaderSize = 8;
const metaSize = 160;
const noPage = 0xffff_ffff_ffff_ffffn;

const branchFlag = 1;
const leafFlag = 2;
const overflowFlag = 4;
/** Kinds of pages and of nodes that a state never has: of several values to a key, and of databases within one. */
const foreignPageFlags = 0x60;
const bigData = 1;

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly free: Tree;
  readonly rows: Tree;
}

interface Tree {
  readonly depth: number;
  /** undefined: it is empty */
  readonly root: number | undefined;
}

interface Walk extends Meta {
  readonly descriptor: number;
  /** 1 for each page that something leads to */
  readonly used: Uint8Array;
  /** the pages that can be given to new rows, as the tree of free pages names them */
  readonly freed: number[];
}

class PageFault extends Error {}

/**
 * The fault of a page; undefined if LMDB can read and write all pages. The caller holds an older read transaction of
 * LMDB, so that writers leave the pages in use alone. Throws Node's error if the file cannot be read.
 */
export function findPageFault(descriptor: number): string | undefined {
  const meta = readMeta(descriptor);
  const walk: Walk = { ...meta, descriptor, used: new Uint8Array(meta.lastPage + 1), freed: [] };
  try {
    walkTree(walk, meta.rows, () => undefined);
    walkTree(walk, meta.free, (value) => void collectFree(walk, value));
    const reused = walk.freed.find((page) => walk.used[page] === 1);
    if (reused !== undefined) throw new PageFault(`page ${reused} is in use and counts as free`);
    return undefined;
  } catch (error) {
    if (error instanceof PageFault) return error.message;
    throw error;
  }
}

/**
 * The newer one of the two, which are written in turns; read until it is the same twice, since it may be written right
 * now.
 */
function readMeta(descriptor: number): Meta {
  const read = (position: number): Buffer => readBytes(descriptor, position, metaSize);
  for (;;) {
    const first = read(0);
    const second = read(first.readUInt32LE(48));
    const newer = first.readBigUInt64LE(152) >= second.readBigUInt64LE(152) ? first : second;
    if (newer.equals(read(newer === first ? 0 : first.readUInt32LE(48)))) return parseMeta(newer);
  }
}

function parseMeta(page: Buffer): Meta {
  const tree = (at: number): Tree => {
    const root = page.readBigUInt64LE(at + 40);
    return { depth: page.readUInt16LE(at + 6), root: root === noPage ? undefined : Number(root) };
  };
  return {
    pageSize: page.readUInt32LE(48),
    lastPage: Number(page.readBigUInt64LE(144)),
    transaction: page.readBigUInt64LE(152),
    free: tree(48),
    rows: tree(96),
  };
}

function walkTree(walk: Walk, { root, depth }: Tree, onValue: (value: Buffer) => void): void {
  if (root !== undefined) visit(walk, root, depth, onValue);
}

/** `height`: 1 for a leaf */
function visit(walk: Walk, number: number, height: number, onValue: (value: Buffer) => void): void {
  const page = readPage(walk, number, 1);
  const flags = page.readUInt16LE(18);
  const isBranch = height > 1;
  if ((flags & (branchFlag | leafFlag | overflowFlag | foreignPageFlags)) !== (isBranch ? branchFlag : leafFlag))
    throw new PageFault(`page ${number} is not of the kind that leads here`);
  for (const node of nodesOf(page, number, isBranch)) {
    if (isBranch) visit(walk, childOf(page, node), height - 1, onValue);
    else onValue(valueOf(walk, page, number, node));
  }
}

/** The offsets of a page's nodes, in the order of their keys. */
function nodesOf(page: Buffer, number: number, isBranch: boolean): number[] {
  const [lower, upper] = [page.readUInt16LE(20) + headerSize, page.readUInt16LE(22) + headerSize];
  const count = (lower - headerSize) / 2;
  if (!Number.isInteger(count) || count < (isBranch ? 2 : 1) || lower > upper || upper > page.length)
    throw new PageFault(`page ${number} has no room for what it names`);
  const nodes = Array.from({ length: count }, (_, index) => {
    const node = page.readUInt16LE(headerSize + 2 * index) + headerSize;
    if (node < upper || node + nodeHeaderSize > page.length || endOf(page, node, isBranch) > page.length)
      throw new PageFault(`page ${number} has a row that leads out of it`);
    return node;
  });
  // rows fill the end of their page without gaps: a later write would move the wrong bytes
  const end = nodes
    .toSorted((one, other) => one - other)
    .reduce(
      (next, node) => (node === next ? endOf(page, node, isBranch) + (endOf(page, node, isBranch) % 2) : 0),
      upper,
    );
  if (end !== page.length) throw new PageFault(`page ${number} has rows that overlap`);
  return nodes;
}

function endOf(page: Buffer, node: number, isBranch: boolean): number {
  const key = node + nodeHeaderSize + page.readUInt16LE(node + 6);
  if (isBranch) return key;
  return key + ((page.readUInt16LE(node + 4) & bigData) === 0 ? page.readUInt32LE(node) : headerSize);
}

function childOf(page: Buffer, node: number): number {
  return page.readUInt32LE(node) + page.readUInt16LE(node + 4) * 2 ** 32;
}

function valueOf(walk: Walk, page: Buffer, number: number, node: number): Buffer {
  const [size, flags, keySize] = [page.readUInt32LE(node), page.readUInt16LE(node + 4), page.readUInt16LE(node + 6)];
  if ((flags & ~bigData) !== 0 || keySize === 0) throw new PageFault(`page ${number} has a row of an unknown kind`);
  const at = node + nodeHeaderSize + keySize;
  if ((flags & bigData) === 0) return page.subarray(at, at + size);
  const [first, count] = [Number(page.readBigUInt64LE(at)), Number(page.readBigUInt64LE(at + 16))];
  if (count * walk.pageSize < headerSize + size)
    throw new PageFault(`page ${number} has a row that is longer than its pages`);
  const pages = readPage(walk, first, count);
  if ((pages.readUInt16LE(18) & (branchFlag | leafFlag | overflowFlag)) !== overflowFlag)
    throw new PageFault(`page ${first} is not of the kind that leads here`);
  const counted = pages.readUInt32LE(20);
  // LMDB frees as many pages once the row is replaced
  if (counted !== count) throw new PageFault(`page ${first} counts ${counted} pages, and its row counts ${count}`);
  return pages.subarray(headerSize, headerSize + size);
}

/** A block of several pages is stored as its negative length before its first page. Zeros are gaps. */
function collectFree({ freed, lastPage }: Walk, value: Buffer): void {
  const listed = value.length >= 8 ? Number(value.readBigUInt64LE(0)) : -1;
  if (listed < 0 || value.length < 8 * (listed + 1)) throw new PageFault('the list of free pages is damaged');
  let length = 1;
  for (let at = 1; at <= listed; at += 1) {
    const entry = Number(value.readBigInt64LE(8 * at));
    if (entry > 0 && (entry < 2 || entry + length - 1 > lastPage))
      throw new PageFault(`page ${entry}, which counts as free, is not in the file`);
    if (entry > 0) for (let page = entry; page < entry + length; page += 1) freed.push(page);
    length = entry < 0 ? -entry : 1;
  }
}

/** `count` pages from `number` on; no other pointer may lead to them. */
function readPage(walk: Walk, number: number, count: number): Buffer {
  const { pageSize, lastPage, transaction, used, descriptor } = walk;
  if (number < 2 || number + count - 1 > lastPage)
    throw new PageFault(`page ${number} is not in the file, though a row leads there`);
  for (let page = number; page < number + count; page += 1) {
    if (used[page] === 1) throw new PageFault(`two rows lead to page ${page}`);
    used[page] = 1;
  }
  const page = readBytes(descriptor, number * pageSize, count * pageSize);
  if (Number(page.readBigUInt64LE(0)) !== number || page.readBigUInt64LE(8) > transaction)
    throw new PageFault(`page ${number} is not the one that was written there`);
  return page;
}

function readBytes(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const read = readSync(descriptor, bytes, done, length - done, position + done);
    if (read === 0) throw new PageFault('the file is shorter than its pages');
    done += read;
  }
  return bytes;
}
