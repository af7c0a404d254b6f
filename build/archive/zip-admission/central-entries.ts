// The entries of a ZIP as its central directory lists them, before anything is believed of them. The only file that
// imports yauzl.

import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry } from 'yauzl';
import type { CentralDirectory } from './end-record.ts';
import type { ExtraField } from './extra-fields.ts';
import { unreadableArchive, unsafeArchive } from './zip-refusals.ts';

export interface CentralEntry {
  readonly nameBytes: Buffer;
  readonly extraFields: readonly ExtraField[];
  readonly madeBy: number;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly attributes: number;
  readonly localOffset: number;
}

/** APPNOTE 4.3.12; names are left undecoded. Throws QuarantineError ARCHIVE_UNREADABLE or ARCHIVE_UNSAFE. */
export async function listCentralEntries(directory: CentralDirectory): Promise<CentralEntry[]> {
  const entries: CentralEntry[] = [];
  let length = 0;
  try {
    const reader = new TailReader(directory);
    const zip = await fromRandomAccessReaderPromise(reader, directory.offset + directory.tail.length, {
      decodeStrings: false,
      strictFileNames: true,
      autoClose: false,
    });
    for await (const entry of zip.eachEntry()) {
      entries.push(entryOf(entry));
      length += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    }
  } catch (error) {
    throw unreadableArchive(
      `has a directory that cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
  if (length !== directory.length) throw unsafeArchive('has more in its directory than the entries it counts');
  return entries;
}

function entryOf(entry: Entry): CentralEntry {
  return {
    nameBytes: entry.fileNameRaw,
    extraFields: entry.extraFields,
    madeBy: entry.versionMadeBy,
    flags: entry.generalPurposeBitFlag,
    method: entry.compressionMethod,
    crc32: entry.crc32,
    compressedSize: entry.compressedSize,
    size: entry.uncompressedSize,
    attributes: entry.externalFileAttributes,
    localOffset: entry.relativeOffsetOfLocalHeader,
  };
}

/**
 * Gives yauzl the end of the file from memory, which saves two system calls an entry. yauzl never reads the bytes
 * before the directory.
 */
class TailReader extends RandomAccessReader {
  readonly #directory: CentralDirectory;

  constructor(directory: CentralDirectory) {
    super();
    this.#directory = directory;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const start = position - this.#directory.offset;
    const within = start >= 0 && start + length <= this.#directory.tail.length;
    if (within) this.#directory.tail.copy(buffer, offset, start, start + length);
    // yauzl's own search for the end reaches back before the directory of a small archive: there it finds zeros
    else if (start < 0 && start + length <= this.#directory.tail.length)
      this.#readAcross(buffer, offset, length, start);
    callback(within || start < 0 ? null : new Error('an entry runs past the end of the file'));
  }

  #readAcross(buffer: Buffer, offset: number, length: number, start: number): void {
    const before = Math.min(-start, length);
    buffer.fill(0, offset, offset + before);
    this.#directory.tail.copy(buffer, offset + before, 0, length - before);
  }
}
