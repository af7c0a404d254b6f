// From what the walk saw to what an archive needs to know: each file's mode and the hash of its bytes, each symlink's target.

import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { QuarantineError } from '../quarantine.ts';
import type { ContentFile } from '../release.ts';
import { describeFault } from './file-fault.ts';
import { stampOf } from './file-stamp.ts';
import type { Pause } from './pause.ts';
import { changedWhileRead, hashFile } from './read-file.ts';
import type { WalkedEntry } from './walk-package.ts';

export interface IdentifiedFiles {
  readonly files: readonly ContentFile[];
  /** path → target of every symlink */
  readonly links: ReadonlyMap<string, string>;
}

/** Throws QuarantineError UNREADABLE_FILE, also where a file is no longer what the walk saw; UNSAFE_SYMLINK. */
export async function identifyFiles(entries: readonly WalkedEntry[], context: { readonly folder: string; readonly pause: Pause }): Promise<IdentifiedFiles> {
  const files: ContentFile[] = [];
  const links = new Map<string, string>();
  for (const { path, kind, stamp } of entries) {
    const absolute = join(context.folder, path);
    if (kind === 'fault') throw new Error(`${absolute} was to be refused before.`);
    if (kind === 'symlink') {
      const target = readTarget(absolute, stamp);
      links.set(path, target.toString('utf8'));
      files.push({ path, mode: 'symlink', identity: identityOf(createHash('sha256').update(target).digest('hex')) });
    } else {
      files.push({ path, mode: kind, identity: identityOf(await hashFile(absolute, stamp, context.pause)) });
    }
  }
  return { files, links };
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

export function identityOf(sha256: string): string {
  return `sha256:${sha256}`;
}
