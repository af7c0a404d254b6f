// Turns the files that the walk found into entries for an archive. A file has a mode and the hash of its bytes, a
// symlink has its target.

import { hash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { QuarantineError } from '../../contract/quarantine.ts';
import type { ContentFile } from '../../archive/content.ts';
import { describeFault } from '../../files/file-fault.ts';
import type { FileReader } from './file-reader.ts';
import { stampOf } from '../../files/file-stamp.ts';
import type { CachedContents } from './cached-contents.ts';
import { changedWhileRead } from '../../files/read-file.ts';
import type { FilesRead } from '../../files/read-files.ts';
import type { WalkedEntry } from './walk-package.ts';

export interface IdentifiedFiles {
  readonly files: readonly ContentFile[];
  /** path → target of every symlink */
  readonly links: ReadonlyMap<string, string>;
}

export interface IdentifyContext {
  /** absolute */
  readonly folder: string;
  readonly readFiles: FileReader;
  /** caches contents that an archive will need; undefined if none is likely */
  readonly kept: CachedContents | undefined;
}

/** Throws QuarantineError UNREADABLE_FILE, also for a file that changed since the walk; UNSAFE_SYMLINK. */
export async function identifyFiles(
  entries: readonly WalkedEntry[],
  context: IdentifyContext,
): Promise<IdentifiedFiles> {
  const links = new Map<string, string>();
  const identities = new Map<string, string>();
  for (const { path, kind, stamp, fault } of entries) {
    if (kind === 'fault') throw fault ?? new Error(`unreachable: nothing is wrong with ${path}`);
    if (kind !== 'symlink') continue;
    const target = readTarget(join(context.folder, path), stamp);
    links.set(path, target.toString('utf8'));
    identities.set(path, identityOfBytes(target));
  }
  const regular = entries.filter(({ kind }) => kind !== 'symlink');
  const batches = batchesOf(regular);
  const results = await Promise.all(batches.map(async (batch) => ({ batch, result: await readBatch(batch, context) })));
  for (const { batch, result } of results) takeResult(batch, result, identities);
  return {
    files: entries.map(({ path, kind }) => ({ path, mode: modeOf(kind), identity: identities.get(path) ?? '' })),
    links,
  };
}

/** A message to a worker and back costs as much as reading some files. */
const batchBytes = 512 * 1024;

function batchesOf(entries: readonly WalkedEntry[]): WalkedEntry[][] {
  const batches: WalkedEntry[][] = [];
  let size = batchBytes;
  for (const entry of entries) {
    if (size >= batchBytes) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)?.push(entry);
    size += entry.bytes;
  }
  return batches;
}

type BatchRead = Exclude<FilesRead, { readonly bytes: Uint8Array }> | { readonly digests: readonly string[] };

/** Caches deflated files immediately, so that memory use stays within the cache's limit for a package of any size. */
async function readBatch(
  batch: readonly WalkedEntry[],
  { folder, readFiles, kept }: IdentifyContext,
): Promise<BatchRead> {
  const result = await readFiles({
    folder,
    files: batch.map(({ path, stamp, bytes }) => ({ path, stamp, bytes })),
    deflate: () => kept?.hasRoom() === true,
  });
  if ('fault' in result) return result;
  let start = 0;
  for (const { digest, ...facts } of result.pieces) {
    kept?.keep(identityOf(digest), { ...facts, bytes: result.bytes.subarray(start, start + facts.length) });
    start += facts.length;
  }
  return { digests: result.digests };
}

/** Follows the order of the files, so that the same one of several faults is always reported. */
function takeResult(batch: readonly WalkedEntry[], result: BatchRead, identities: Map<string, string>): void {
  if ('fault' in result) throw new QuarantineError(result.fault.code, result.fault.message);
  for (const [index, { path }] of batch.entries()) identities.set(path, identityOf(result.digests[index] ?? ''));
}

function modeOf(kind: WalkedEntry['kind']): ContentFile['mode'] {
  return kind === 'fault' ? 'file' : kind;
}

/** The bytes of a symlink's target, which must be UTF-8. Throws QuarantineError. */
export function readTarget(absolute: string, stamp?: string): Buffer {
  try {
    const target = readlinkSync(absolute, { encoding: 'buffer' });
    if (stamp !== undefined && stampOf(lstatSync(absolute, { bigint: true })) !== stamp)
      throw changedWhileRead(absolute);
    if (!Buffer.from(target.toString('utf8')).equals(target))
      throw new QuarantineError('UNSAFE_SYMLINK', `The target of the symlink ${absolute} is not valid UTF-8.`);
    return target;
  } catch (error) {
    if (error instanceof QuarantineError) throw error;
    throw new QuarantineError('UNREADABLE_FILE', `The symlink ${absolute} cannot be read: ${describeFault(error)}.`, {
      cause: error,
    });
  }
}

export function identityOfBytes(bytes: Uint8Array): string {
  return identityOf(hash('sha256', bytes, 'hex'));
}

function identityOf(sha256: string): string {
  return `sha256:${sha256}`;
}
