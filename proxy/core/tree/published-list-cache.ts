// Caches a list of the serving index's folder until the next publication.

import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { PublishedFiles } from './published-files.ts';

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
