// Makes the ZIP of a tar, plain or with gzip: Composer installs both from a folder of artifacts, and this registry
// serves ZIPs. Equal tars give equal ZIPs. The admission of the ZIP is the check of the tar.

import { createHash, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { extract, type Entry } from 'tar-stream';
import { archiveOnce } from '../../archive/archiver.ts';
import type { Content, ContentFile } from '../../archive/content.ts';
import { packageRoot } from '../../archive/package-root.ts';
import { archiveReference } from '../../archive/zip-admission/ready-archive.ts';
import { defaultZipLimits } from '../../archive/zip-admission/zip-limits.ts';
import { unreadableArchive, unsafeArchive, unsafeEntry } from '../../archive/zip-admission/zip-refusals.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { createPause } from '../../files/pause.ts';
import { openRegular, readUnchanged } from '../../files/read-file.ts';
import { entryTimeOf } from '../directory/content-digest.ts';

const gzipMagic = 0x1f8b;

/** True if the file begins as gzip or as a tar. Throws QuarantineError, also for other compressions of a tar. */
export function isTar(path: string): boolean {
  const descriptor = openRegular(path);
  try {
    const head = Buffer.alloc(512);
    readSync(descriptor, head, 0, head.length, 0);
    if (/^(?:BZh|\xfd7zXZ|\x28\xb5\x2f\xfd)/.test(head.toString('latin1', 0, 6)))
      throw unreadableArchive('has a compression that is not read; a ZIP, or a tar with gzip or without, is read');
    return head.readUInt16BE(0) === gzipMagic || head.toString('latin1', 257, 262) === 'ustar';
  } finally {
    closeSync(descriptor);
  }
}

/** Resolves with the path of a new ZIP in this folder. Throws QuarantineError, and StorageError for the disk. */
export async function repackTar(path: string, folder: string): Promise<string> {
  const packed = await readUnchanged(path, { maxBytes: defaultZipLimits.archiveBytes }, createPause());
  const files = await filesOf(await unpacked(packed));
  const root = packageRoot([...files.keys()]);
  const entryTime = entryTimeOf(archiveReference(createHash('sha256').update(packed).digest('hex')));
  const target = join(folder, `${randomUUID()}.zip`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await archiveOnce(contentOf(files, root, entryTime), { topFolder: root.slice(0, -1) || 'package', target });
  return target;
}

/** The tar, its headers included, is limited as the contents of a ZIP are. */
async function unpacked(packed: Buffer): Promise<Buffer> {
  if (packed.length < 2 || packed.readUInt16BE(0) !== gzipMagic) return packed;
  const { contentBytes, ratio, ratioFromBytes } = defaultZipLimits;
  const maxOutputLength = Math.min(contentBytes, Math.max(ratioFromBytes, ratio * packed.length));
  try {
    return await promisify(gunzip)(packed, { maxOutputLength });
  } catch (error) {
    throw unreadableArchive(`is damaged, or unpacks to more than ${maxOutputLength} bytes, as a bomb does`, error);
  }
}

/** `offset` is that of its header; `pax` are its own extended headers and those of the whole tar. */
type TarEntry = Entry & { readonly offset: number; readonly header: { readonly pax?: Record<string, string> | null } };
type TarFile = Pick<ContentFile, 'mode'> & { readonly bytes: Buffer };
type TarFiles = ReadonlyMap<string, TarFile>;

/** The last of several entries with one path counts, as for every tar. A hard link is a file of its own in the ZIP. */
async function filesOf(tar: Buffer): Promise<TarFiles> {
  const limits = defaultZipLimits;
  const files = new Map<string, TarFile>();
  let [entries, bytes, end] = [0, 0, 0];
  const parser = extract();
  parser.end(tar);
  try {
    for await (const entry of parser as AsyncIterable<TarEntry>) {
      entries += 1;
      if (entries > limits.entries)
        throw unsafeArchive(`holds ${entries} entries or more; the maximum is ${limits.entries}`);
      if (holdsEnd(tar.subarray(end, entry.offset)))
        throw unsafeArchive('has entries behind its end, which other tools do not read');
      const path = withoutDot(entry.header.name);
      const file = await fileOf(entry, path, files);
      end = entry.offset + blockBytes * (file === undefined ? 1 : 1 + Math.ceil((entry.header.size ?? 0) / blockBytes));
      if (file === undefined) continue;
      files.set(path, file);
      bytes += file.bytes.length;
      if (bytes > limits.contentBytes)
        throw unsafeArchive(`unpacks to ${bytes} bytes or more; it may unpack to ${limits.contentBytes}`);
    }
    return files;
  } catch (error) {
    throw error instanceof QuarantineError ? error : unreadableArchive('is damaged, or no tar', error);
  }
}

const blockBytes = 512;
const endOfTar = Buffer.alloc(2 * blockBytes);

function holdsEnd(between: Buffer): boolean {
  for (let at = 0; at < between.length; at += blockBytes)
    if (endOfTar.equals(between.subarray(at, at + endOfTar.length))) return true;
  return false;
}

/** Headers with which the bytes of an entry are not those of one whole file, as of sparse files and several volumes. */
const partialHeader = /^(?:GNU\.|SCHILY\.(?:realsize|filetype)$)/;

async function fileOf(entry: TarEntry, path: string, files: TarFiles): Promise<TarFile | undefined> {
  const { type, linkname, mode = 0, size = 0, pax } = entry.header;
  // the parser never ends the body of a directory with a size, nor one whose size is no number; it reads -1 as -0
  if (type === 'directory') return undefined;
  if (!(1 / size > 0)) throw unsafeEntry(path, 'has a size that is no number of bytes');
  if (Math.max(Buffer.byteLength(path), Buffer.byteLength(linkname ?? '')) > defaultZipLimits.linkBytes)
    throw unsafeEntry(path, `has a path or a target of more than ${defaultZipLimits.linkBytes} bytes`);
  if (`${path}${linkname ?? ''}`.includes('\ufffd'))
    throw unsafeEntry(path, 'has a path or a target that is not UTF-8');
  if (Object.keys(pax ?? {}).some((key) => partialHeader.test(key)))
    throw unsafeEntry(path, 'is a sparse file, or a part of a file');
  const pieces: Buffer[] = [];
  for await (const piece of entry as AsyncIterable<Buffer>) pieces.push(piece);
  if (type === 'symlink') return { mode: 'symlink', bytes: Buffer.from(linkname ?? '') };
  const linked = type === 'link' ? files.get(withoutDot(linkname ?? '')) : undefined;
  if (linked !== undefined) return linked;
  if (type !== 'file' && type !== 'contiguous-file')
    throw unsafeEntry(path, 'is a device, a pipe, a hard link to nothing in front of it, or of an unknown kind');
  return { mode: (mode & 0o100) === 0 ? 'file' : 'executable', bytes: Buffer.concat(pieces) };
}

function withoutDot(name: string): string {
  return name.replace(/^(?:\.\/)+/, '');
}

function contentOf(files: TarFiles, root: string, entryTime: number): Content {
  const list = [...files].flatMap(([path, { mode }]): ContentFile[] =>
    path.startsWith(root) ? [{ path: path.slice(root.length), mode, identity: `tar:${path}` }] : [],
  );
  return {
    list: () => Promise.resolve({ files: list, withheld: [] }),
    read: async function* (wanted) {
      for (const { path } of wanted) yield files.get(root + path)?.bytes ?? Buffer.alloc(0);
    },
    entryTime,
  };
}
