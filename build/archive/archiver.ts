// Makes ZIPs of contents: equal files give equal bytes (decision D5). The archiver reads and deflates only contents
// that are new in this build. The next version of a package therefore costs little more than its changed files.

import { dirname } from 'node:path';
import pLimit from 'p-limit';
import type { Sha1 } from '../contract/digest.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import { type Content, type ContentFile, type ContentListing, sortedByPath } from './content.ts';
import { createDeflateQueue, type DeflateQueue } from './deflate-queue.ts';
import { createDeflateThreads } from './deflate-threads.ts';
import { checkFilePath, checkFileTree } from './safe-paths.ts';
import { createSpillFile, type SpillFile, type SpillFileOptions } from './spill-file.ts';
import { layoutZip } from './zip-layout.ts';
import { writeZipInWorker } from './zip-task.ts';
import { writeZip, type ZipContent } from './zip-writer.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { createCompressor } from '../compression/compressor.ts';
import { deflated, deflateInSteps, stored, streamedFromBytes, type Deflated } from '../compression/deflate.ts';

// Stores every distinct content of a build, deflated once for all archives that contain it. The identity of a content
// is its key.

/** One content as archives contain it, and its place in the spill file. */
interface Piece {
  readonly method: typeof stored | typeof deflated;
  readonly crc32: number;
  /** bytes of the content */
  readonly size: number;
  /** bytes in the archive */
  readonly compressedSize: number;
  readonly offset: number;
}

type ContentStore = ReturnType<typeof createContentStore>;

function createContentStore(queue: DeflateQueue, scratch: SpillFile) {
  // no SingleFlight: a piece takes the place of its promise, since a build keeps hundreds of thousands of pieces
  const pieces = new Map<string, Piece | Promise<Piece>>();
  const failed = new Set<string>();

  const keep = (identity: string, piece: Promise<Piece>): void => {
    pieces.set(identity, piece);
    failed.delete(identity);
    piece.then(
      (done) => pieces.set(identity, done),
      () => failed.add(identity),
    );
  };
  const place = ({ method, crc32: checksum, size, bytes }: Deflated): Piece => ({
    method,
    crc32: checksum,
    size,
    compressedSize: bytes.length,
    offset: scratch.append(bytes),
  });

  return {
    /** true after the content was added, unless deflating it failed */
    has: (identity: string) => pieces.has(identity) && !failed.has(identity),
    /**
     * Takes over a new content; resolves when the next one may be added. `bytes` must not change before `get` resolves.
     */
    add: async (identity: string, bytes: Uint8Array): Promise<void> => {
      if (bytes.length >= streamedFromBytes) {
        const piece = deflateLarge(bytes, scratch);
        keep(identity, piece);
        await piece;
        return;
      }
      const { result, accepted } = queue.push(bytes, place);
      keep(identity, result);
      await accepted;
    },
    /** Takes over a new content that is already deflated. */
    addDeflated: (identity: string, content: Deflated): void => {
      pieces.set(identity, place(content));
      failed.delete(identity);
    },
    /** Call it after the last content of a batch. */
    flush: () => queue.flush(),
    /** Rejects with the reason why deflating failed; the content may then be added again. */
    get: (identity: string) =>
      pieces.get(identity) ?? Promise.reject(new Error(`unreachable: ${identity} was never added`)),
  };
}

/** Writes in steps directly to the scratch file; stores the content if its deflated form reaches the original size. */
async function deflateLarge(content: Uint8Array, scratch: SpillFile): Promise<Piece> {
  const offset = scratch.reserve(content.length);
  const facts = { crc32: crc32(content), size: content.length, offset };
  let written = 0;
  for (const chunk of deflateInSteps(content, createCompressor())) {
    if (written + chunk.length >= content.length) {
      scratch.fill(offset, content);
      return { ...facts, method: stored, compressedSize: content.length };
    }
    scratch.fill(offset + written, chunk);
    written += chunk.length;
    await nextTurn();
  }
  return { ...facts, method: deflated, compressedSize: written };
}

export interface ArchiveOptions {
  /** the top folder of all files: one path segment */
  readonly topFolder: string;
  /** the file to write; it must not exist, but its folder must */
  readonly target: string;
}

export interface Archived extends Omit<ContentListing, 'files'> {
  readonly shasum: Sha1;
  /** bytes of the ZIP */
  readonly size: number;
  /** false: the rules of its source left composer.json out */
  readonly hasComposerJson: boolean;
  /** as `ContentFile.changedBy`, of its composer.json */
  readonly changedBy?: string | undefined;
}

export type Archiver = ReturnType<typeof createArchiver>;

export interface ArchiverOptions {
  /** for a file of pieces that do not fit into memory; made when needed */
  readonly scratchDirectory: string;
  /** the number of processors: one for this thread, and one for each worker */
  readonly jobs: number;
  readonly memory?: Pick<SpillFileOptions, 'slabBytes' | 'slabsInMemory'>;
}

/** The number of concurrent archives: enough small ones keep the workers busy while the disk writes others. */
const archivesAtOnce = 8;
/**
 * A worker writes archives from this size on. For a smaller one the message to a worker takes as long as the archive
 * itself.
 */
const workerBytes = 64 * 1024;

export function createArchiver(options: ArchiverOptions) {
  const scratch = createSpillFile({ directory: options.scratchDirectory, ...options.memory });
  const threads = createDeflateThreads(options.jobs - 1);
  const queue = createDeflateQueue(threads);
  const store = createContentStore(queue, scratch);
  const slots = pLimit(archivesAtOnce);
  // Contents are read one at a time, so that memory has few large files, for any number of archives
  const readingTurn = pLimit(1);

  const archive = async (content: Content, { topFolder, target }: ArchiveOptions): Promise<Archived> => {
    const { files: unsorted, ...leftOut } = await content.list();
    if (unsorted.length === 0) {
      throw new QuarantineError(
        'EMPTY_ARCHIVE',
        'No file is left to publish after export-ignore and archive.exclude. Exclude less, or add files.',
      );
    }
    if (topFolder.includes('/')) throw new RangeError(`The top folder ${topFolder} is more than one path segment.`);
    const files = sortedByPath(unsorted);
    checkFilePath(topFolder);
    checkFileTree(files.map(({ path }) => path));
    await readingTurn(() => addMissing(store, content, files));
    const entries = await Promise.all(
      files.map(async ({ path, mode, identity }) => ({ path, mode, ...(await store.get(identity)) })),
    );
    const layout = layoutZip(entries, { topFolder, time: content.entryTime });
    const zip = { layout, ...rangesOf(entries, scratch) };
    const workers = layout.size < workerBytes ? undefined : await threads.started();
    const shasum = await (workers === undefined ? writeZip(target, zip) : writeZipInWorker(workers, target, zip));
    return { shasum, size: layout.size, ...composerJsonIn(files), ...leftOut };
  };

  return {
    /**
     * Writes one archive; any number of calls may run concurrently. Does not fsync. Throws QuarantineError for
     * unpublishable contents (EMPTY_ARCHIVE, UNSAFE_PATH, and errors of the content), and StorageError for errors of
     * the disk. The target is removed then.
     */
    archive: (content: Content, archiveOptions: ArchiveOptions) => slots(() => archive(content, archiveOptions)),
    /** Ends the workers and removes the scratch file. */
    close: async (): Promise<void> => {
      await queue.close();
      scratch.close();
    },
  };
}

/** Makes one archive by itself. */
export async function archiveOnce(content: Content, options: ArchiveOptions): Promise<Archived> {
  const archiver = createArchiver({ scratchDirectory: dirname(options.target), jobs: 1 });
  try {
    return await archiver.archive(content, options);
  } finally {
    await archiver.close();
  }
}

function composerJsonIn(files: readonly ContentFile[]): Pick<Archived, 'hasComposerJson' | 'changedBy'> {
  const found = files.find(({ path }) => path === 'composer.json');
  return { hasComposerJson: found !== undefined, changedBy: found?.changedBy };
}

function rangesOf(pieces: readonly Piece[], scratch: SpillFile): Pick<ZipContent, 'ranges' | 'pieces'> {
  const ranges = Float64Array.from(pieces.flatMap(({ offset, compressedSize }) => [offset, compressedSize]));
  return { ranges, pieces: scratch.share(pieces.map(({ offset }) => offset)) };
}

/** Reads the contents that the store lacks, each distinct content once. */
async function addMissing(store: ContentStore, content: Content, files: readonly ContentFile[]): Promise<void> {
  const missing = new Map<string, ContentFile>();
  for (const file of files) {
    if (store.has(file.identity) || missing.has(file.identity)) continue;
    const deflated = content.deflated?.(file.identity);
    if (deflated === undefined) missing.set(file.identity, file);
    else store.addDeflated(file.identity, deflated);
  }
  const identities = missing.keys();
  try {
    if (missing.size > 0)
      for await (const bytes of content.read([...missing.values()])) await store.add(nextOf(identities), bytes);
  } finally {
    store.flush();
  }
  if (identities.next().done !== true) throw new Error('unreachable: a source gave fewer files than it was asked for');
}

function nextOf(identities: Iterator<string, undefined>): string {
  const { value } = identities.next();
  if (value === undefined) throw new Error('unreachable: a source gave more files than it was asked for');
  return value;
}
