// The advisories and filter lists of what is published, in memory as of the last publication.

import { parseSafety, safetyPath, noSafety, type SafetyLists } from '../../build/contract/safety-lists.ts';
import { parsePublished, type PublishedFiles } from '../packages/published-files.ts';

export interface PublishedSafety {
  /** Rejects where they cannot be read: who asks must not take that for "nothing is known". */
  readonly read: (nowMs: number) => Promise<SafetyLists>;
}

export function createPublishedSafety(files: PublishedFiles): PublishedSafety {
  let kept: { readonly epoch: number; readonly lists: Promise<SafetyLists> } | undefined;
  return {
    read: async (nowMs) => {
      const epoch = await files.epoch(nowMs);
      if (kept?.epoch === epoch) return kept.lists;
      const lists = parsePublished(files, `index/${safetyPath}`, (text) => [parseSafety(text)]).then(([found]) => found ?? noSafety);
      kept = { epoch, lists };
      lists.catch(() => {
        if (kept?.lists === lists) kept = undefined; // whoever asks next tries again
      });
      return lists;
    },
  };
}
