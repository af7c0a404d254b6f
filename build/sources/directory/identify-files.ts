// From what the walk saw to what an archive needs to know: each file's mode and the hash of its bytes, each symlink's target.

import { hash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { QuarantineError } from '../quarantine.ts';
import type { ContentFile } from '../release.ts';
import { describeFault } from './file-fault.ts';
import { stampOf } from './file-stamp.ts';
import type { KeptContents } from './kept-contents.ts';
import type { Pause } from './pause.ts';
import { changedWhileRead, hashFile, readWhole } from './read-file.ts';
import type { WalkedEntry } from './walk-package.ts';

export interface IdentifiedFiles {
  readonly files: readonly ContentFile[];
  /** path → target of every symlink */
  readonly links: ReadonlyMap<string, string>;
}

export interface IdentifyContext {
  /** absolute */
  readonly folder: string;
  readonly pause: Pause;
  /** takes what will be wanted again; none where that is unlikely */
  readonly kept?: KeptContents | undefined;
}

/** Throws QuarantineError UNREADABLE_FILE, also where a file is no longer what the walk saw; UNSAFE_SYMLINK. */
export async function identifyFiles(entries: readonly WalkedEntry[], context: IdentifyContext): Promise<IdentifiedFiles> {
  const files: ContentFile[] = [];
  const links = new Map<string, string>();
  for (const { path, kind, stamp, bytes } of entries) {
    const absolute = join(context.folder, path);
    if (kind === 'fault') throw new Error(`${absolute} was to be refused before.`);
    if (kind === 'symlink') {
      const target = readTarget(absolute, stamp);
      links.set(path, target.toString('utf8'));
      files.push({ path, mode: 'symlink', identity: identityOfBytes(target) });
    } else {
      files.push({ path, mode: kind, identity: await identityOfFile(absolute, { stamp, bytes }, context) });
    }
  }
  return { files, links };
}

/** A content that is kept is read as a whole, others a piece at a time. */
async function identityOfFile(path: string, { stamp, bytes }: { readonly stamp: string; readonly bytes: number }, { pause, kept }: IdentifyContext): Promise<string> {
  if (kept?.hasRoom(bytes) !== true) return identityOf(await hashFile(path, stamp, pause));
  const content = await readWhole(path, { stamp, maxBytes: bytes }, pause);
  const identity = identityOfBytes(content);
  kept.keep(identity, content);
  return identity;
}

/** The bytes of a symlink's target, which must be UTF-8. Throws QuarantineError. */
export function readTarget(absolute: string, stamp?: string): Buffer {
  try {
    const target = readlinkSync(absolute, { encoding: 'buffer' });
    if (stamp !== undefined && stampOf(lstatSync(absolute, { bigint: true })) !== stamp) throw changedWhileRead(absolute);
    if (!Buffer.from(target.toString('utf8')).equals(target)) throw new QuarantineError('UNSAFE_SYMLINK', `The target of the symlink ${absolute} is not valid UTF-8.`);
    return target;
  } catch (error) {
    if (error instanceof QuarantineError) throw error;
    throw new QuarantineError('UNREADABLE_FILE', `The symlink ${absolute} cannot be read: ${describeFault(error)}.`, { cause: error });
  }
}

export function identityOfBytes(bytes: Uint8Array): string {
  return identityOf(hash('sha256', bytes, 'hex'));
}

function identityOf(sha256: string): string {
  return `sha256:${sha256}`;
}
