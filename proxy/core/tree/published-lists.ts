// The lists in the folder of the serving index: cached until the next publication, which announces them.

import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { PublishedFiles } from './published-files.ts';
import { publicationPath } from '../../../build/contract/paths.ts';
import { parsePublication, type Publication } from '../../../build/contract/publication.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';

export interface PublishedListCache<Value> {
  /** Rejects, or throws, for an unreadable file, which callers must not treat as an empty list. */
  readonly read: (nowMs: number) => MaybeAsync<Value>;
}

/** `load` reads it. */
export function createPublishedListCache<Value>(
  files: Pick<PublishedFiles, 'epoch'>,
  load: () => Promise<Value>,
): PublishedListCache<Value> {
  let kept: { readonly epoch: number; readonly value: MaybeAsync<Value> } | undefined;
  const loadAt = (epoch: number): Promise<Value> => {
    const value = load();
    kept = { epoch, value };
    value.then(
      (found) => {
        if (kept?.value === value) kept = { epoch, value: found }; // the next caller gets the value without a wait
      },
      () => {
        if (kept?.value === value) kept = undefined; // the next caller tries again
      },
    );
    return value;
  };
  return {
    read: (nowMs) => andThen(files.epoch(nowMs), (epoch) => (kept?.epoch === epoch ? kept.value : loadAt(epoch))),
  };
}

/**
 * The announcement says which lists are there, and their rows. undefined for a damaged announcement, or one of a newer
 * version.
 */
export async function readAnnouncement(files: PublishedFiles): Promise<Publication | undefined> {
  const bytes = await files.read(`index/${publicationPath}`).catch((error: unknown) => {
    if (error instanceof UnusableFile) return undefined;
    throw error;
  });
  try {
    return bytes === undefined ? undefined : parsePublication(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
