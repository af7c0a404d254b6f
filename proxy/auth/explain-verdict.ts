// Names the limits of a token that hide a release. Each limit is tested alone, with the same views that answer
// requests. Pure.

import type { IndexEntry } from '../../build/contract/serving-index.ts';
import { compileView } from '../core/views/compile-view.ts';
import { noLimits, type TokenLimits } from '../core/views/token-limits.ts';
import { passes, type ReleaseFacts } from '../core/views/view.ts';

/** Limits that hide a release. */
export type HidingLimit = 'packages' | 'constraints' | 'stability' | 'not_after';

export const hidingLimits: readonly HidingLimit[] = ['packages', 'constraints', 'stability', 'not_after'];

export interface VersionVisibility {
  readonly version: string;
  /** null: of this name there is no such version here, now or before */
  readonly state: IndexEntry['state'] | null;
  readonly stability: string;
  /** RFC 3339 UTC, compared with `not_after`; null: unknown */
  readonly released_at: string | null;
  readonly seen: boolean;
  readonly hidden_by: readonly HidingLimit[];
}

export function verdict(
  limits: TokenLimits,
  name: string,
  release: ReleaseFacts,
): Pick<VersionVisibility, 'seen' | 'hidden_by'> {
  const hiddenBy = hidingLimits.filter((limit) => {
    const view = compileView({ ...noLimits, [limit]: limits[limit] });
    return view !== undefined && !passes(view.filterOf(name), release);
  });
  return { seen: hiddenBy.length === 0, hidden_by: hiddenBy };
}
