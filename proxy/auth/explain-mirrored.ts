// Explains which versions of a mirrored package a token sees. The explanation uses the token's limits and the stored
// data of the package, and sends no request. Pure.

import { normalizeVersion } from '../../build/contract/version.ts';
import { parseStability } from '../../build/contract/stability.ts';
import type { TokenLimits } from '../core/views/token-limits.ts';
import { hidingLimits, verdict, type VersionVisibility, type HidingLimit } from './explain-verdict.ts';
import type { ReleaseFacts } from '../core/views/view.ts';

export interface MirroredRelease extends ReleaseFacts {
  readonly version: string;
}

export interface ExplainedMirrored {
  /** the requested version; empty without one */
  readonly versions: readonly VersionVisibility[];
  readonly reasons: readonly HidingLimit[];
}

/**
 * `kept`: versions in the cached documents. The release time of any other version is unknown, so `not_after` gives no
 * verdict on it.
 */
export function explainMirrored(
  limits: TokenLimits,
  name: string,
  version: string | undefined,
  kept: readonly MirroredRelease[],
): ExplainedMirrored {
  if (version === undefined)
    return {
      versions: [],
      reasons: verdict({ ...limits, constraints: null, stability: null, not_after: null }, name, nothingKnown(''))
        .hidden_by,
    };
  const normalized = normalizeVersion(version) ?? version;
  const known =
    kept.find((release) => release.version === version) ??
    kept.find((release) => release.version_normalized === normalized);
  const release = known ?? nothingKnown(normalized);
  const found = verdict(known === undefined ? { ...limits, not_after: null } : limits, name, release);
  const { version_normalized: normalizedVersion, releasedMs } = release;
  const explained: VersionVisibility = {
    version: known?.version ?? version,
    state: null,
    stability: parseStability(normalizedVersion),
    released_at: releasedMs === undefined ? null : new Date(releasedMs).toISOString(),
    ...found,
  };
  return { versions: [explained], reasons: hidingLimits.filter((limit) => found.hidden_by.includes(limit)) };
}

function nothingKnown(normalized: string): ReleaseFacts {
  return { version_normalized: normalized, releasedMs: undefined };
}
