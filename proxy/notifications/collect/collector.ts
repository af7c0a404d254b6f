// Looks for new events, and hands them to their receivers. Publications are noticed by the stamp of one file; the rest
// is looked at less often.

import type { Catalogue } from '../../packages/catalogue.ts';
import type { PublishedAdvisories } from '../../core/tree/published-advisories.ts';
import type { PublishedFiles } from '../../core/tree/published-files.ts';
import { collectAudit } from './audit-events.ts';
import { collectPublications, type PublicationParts } from './publication-events.ts';
import { collectAdvisories, collectExpiring, collectOutbox, collectRefused } from './registry-events.ts';

export interface CollectorParts extends PublicationParts {
  readonly files: PublishedFiles;
  readonly catalogue: Pick<Catalogue, 'read'>;
  readonly advisories: PublishedAdvisories;
  readonly onError: (error: unknown) => void;
}

/**
 * Errors of one source of events go to `onError`, and do not stop the others. Each look gives false if a source could
 * not be read.
 */
export interface Collector {
  /** Everything, once. */
  readonly look: () => Promise<boolean>;
  /** The published tree and the records of publications, on a host that has them. */
  readonly lookAtTree: () => Promise<boolean>;
  /** What the state tells alone. */
  readonly lookAtState: () => Promise<boolean>;
}

/** Tokens end by days: a look a minute is enough. */
const tokensEveryMs = 60_000;

type Attempt = (collect: () => Promise<unknown>) => Promise<boolean>;

function attempting(onError: (error: unknown) => void): Attempt {
  return async (collect) => {
    try {
      return (await collect()) !== false;
    } catch (error) {
      onError(error);
      return false;
    }
  };
}

export function createCollector(parts: CollectorParts): Collector {
  const { files, onError, now } = parts;
  let seenEpoch: number | undefined;
  let tokensAtMs = Number.NEGATIVE_INFINITY;
  const attempt = attempting(onError);
  const lookAtTree = async (): Promise<boolean> => {
    const epoch = await files.epoch(now());
    if (epoch === seenEpoch) return true;
    const done = [
      // false: another process moved the cursor, or an endpoint was removed; the next look goes on
      await attempt(() => collectPublications(parts)),
      await attempt(() => collectRefused(parts, files)),
      await attempt(async () =>
        collectAdvisories(parts, await parts.advisories.read(now()), parts.catalogue, parts.pageOf),
      ),
    ];
    if (done.every(Boolean)) seenEpoch = epoch;
    return done.every(Boolean);
  };
  const lookAtState = async (): Promise<boolean> => {
    const done = [await attempt(() => collectOutbox(parts)), await attempt(() => collectAudit(parts))];
    if (now() - tokensAtMs < tokensEveryMs) return done.every(Boolean);
    const tokens = await attempt(() => collectExpiring(parts));
    if (tokens) tokensAtMs = now();
    return tokens && done.every(Boolean);
  };
  return {
    look: async () => {
      const isTreeRead = await attempt(lookAtTree);
      return (await lookAtState()) && isTreeRead;
    },
    lookAtTree: () => attempt(lookAtTree),
    lookAtState,
  };
}
