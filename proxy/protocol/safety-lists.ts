// The advisories and filter lists of what is published, in memory as of the last publication.

import { parseSafety, safetyPath, noSafety, type SafetyLists } from '../../build/contract/safety-lists.ts';
import { whenReady, type Eventually } from '../eventually.ts';
import { parsePublished, type PublishedFiles } from '../packages/published-files.ts';

export interface PublishedSafety {
  /** Rejects, or throws, where they cannot be read: who asks must not take that for "nothing is known". */
  readonly read: (nowMs: number) => Eventually<SafetyLists>;
}

export function createPublishedSafety(files: PublishedFiles): PublishedSafety {
  let kept: { readonly epoch: number; readonly lists: Eventually<SafetyLists> } | undefined;
  const load = (epoch: number): Promise<SafetyLists> => {
    const lists = parsePublished(files, `index/${safetyPath}`, (text) => [parseSafety(text)]).then(([found]) => found ?? noSafety);
    kept = { epoch, lists };
    lists.then(
      (found) => {
        if (kept?.lists === lists) kept = { epoch, lists: found }; // whoever asks next need not wait
      },
      () => {
        if (kept?.lists === lists) kept = undefined; // whoever asks next tries again
      },
    );
    return lists;
  };
  return { read: (nowMs) => whenReady(files.epoch(nowMs), (epoch) => (kept?.epoch === epoch ? kept.lists : load(epoch))) };
}
