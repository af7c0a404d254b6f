// Explains which versions of a package a token sees, and which limits hide the others, unpublished versions included.
// The caller passes the published versions. The verdicts come from the same views that answer requests. Pure.

import { normalizeVersion } from '../../build/contract/version.ts';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import { parseStability } from '../../build/contract/stability.ts';
import { tokenStatus, type TokenRecord } from '../core/tokens/token.ts';
import { isInRanges } from '../core/http/client-address.ts';
import { compileAccess } from '../core/views/compile-access.ts';
import { compileView } from '../core/views/compile-view.ts';
import { hidingLimits, verdict, type VersionVisibility, type HidingLimit } from './explain-verdict.ts';
import { noLimits, type TokenLimits } from '../core/views/token-limits.ts';
import { releaseOf, type ReleaseFacts } from '../core/views/view.ts';

// Explains which versions of a mirrored package a token sees. The explanation uses the token's limits and the stored
// data of the package, and sends no request. Pure.

export interface MirroredRelease extends ReleaseFacts {
  readonly version: string;
}

interface ExplainedMirrored {
  /** the requested version; empty without one */
  readonly versions: readonly VersionVisibility[];
  readonly reasons: readonly HidingLimit[];
}

/**
 * `kept`: versions in the cached documents. The release time of any other version is unknown, so `not_after` gives no
 * verdict on it.
 */
function explainMirrored(
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

/** Why the token does not see it: the state of the token, its limits, or a missing publication. */
export type Reason = 'revoked' | 'expired' | 'networks' | HidingLimit | 'not_published';

export interface Explanation {
  readonly token_id: string;
  readonly package: string;
  readonly version: string | null;
  /**
   * true: a request with this token finds the package in its documents. For a version: in its documents or, if
   * withdrawn, by its reference
   */
  readonly seen: boolean;
  /**
   * true: not published here, but mirrored repositories may have it. Their contents are unknown before a request, so
   * only the limits are checked
   */
  readonly mirrored: boolean;
  /** the reasons for `seen: false` */
  readonly reasons: readonly Reason[];
  /** newest first; every content of a version on its own */
  readonly versions: readonly VersionVisibility[];
}

export interface ExplanationRequest {
  readonly name: string;
  /** undefined: the package as a whole */
  readonly version: string | undefined;
  /** the address of a client; undefined: an allowed address */
  readonly from: string | undefined;
  /** the serving index of the package */
  readonly entries: readonly IndexEntry[];
  /** the cached releases of a package that mirrored repositories may serve; undefined: they may not */
  readonly mirrored?: readonly MirroredRelease[] | undefined;
  /** epoch milliseconds */
  readonly nowMs: number;
}

export function explainView(record: TokenRecord, question: ExplanationRequest): Explanation {
  const { name, version, from, nowMs, entries, mirrored } = question;
  const barred: Reason[] = [
    ...statusReasons(record, nowMs),
    ...(from === undefined || isAllowedFrom(record, from) ? [] : ['networks' as const]),
  ];
  const isMirrored = mirrored !== undefined && entries.length === 0;
  const { versions, reasons: hidden } = isMirrored
    ? explainMirrored(record, name, version, mirrored)
    : explainPublished(record, question);
  const reasons = [...barred, ...hidden];
  return {
    token_id: record.id,
    package: name,
    version: version ?? null,
    seen: reasons.length === 0,
    mirrored: isMirrored,
    reasons,
    versions,
  };
}

function statusReasons(record: TokenRecord, nowMs: number): readonly Reason[] {
  const status = tokenStatus(record, nowMs);
  return status === 'active' ? [] : [status];
}

function explainPublished(
  record: TokenRecord,
  { name, version, entries }: ExplanationRequest,
): Pick<Explanation, 'versions' | 'reasons'> {
  const candidates = version === undefined ? entries : entriesOf(entries, version);
  const versions =
    candidates.length === 0 && version !== undefined
      ? [explainAbsent(record, name, version)]
      : candidates.map((entry) => explainEntry(record, name, entry));
  const found = versions.filter(({ state }) => (version === undefined ? state === 'published' : state !== null));
  const reasons: Reason[] = [
    ...(found.some(({ seen }) => seen)
      ? []
      : versions.length === 0
        ? reasonsOfName(record, name)
        : reasonsOf(found.length === 0 ? versions : found)),
    ...(found.length === 0 ? ['not_published' as const] : []),
  ];
  return { versions, reasons };
}

/** For a package that was never published. */
function reasonsOfName({ packages }: TokenLimits, name: string): readonly HidingLimit[] {
  return compileView({ ...noLimits, packages })?.filterOf(name) === 'none' ? ['packages'] : [];
}

function reasonsOf(versions: readonly VersionVisibility[]): readonly HidingLimit[] {
  return hidingLimits.filter((limit) => versions.some(({ hidden_by: hiddenBy }) => hiddenBy.includes(limit)));
}

function entriesOf(entries: readonly IndexEntry[], version: string): readonly IndexEntry[] {
  const normalized = normalizeVersion(version);
  const spelled = entries.filter((entry) => entry.version === version);
  return spelled.length > 0 ? spelled : entries.filter((entry) => entry.version_normalized === normalized);
}

function isAllowedFrom(record: TokenLimits, address: string): boolean {
  const { networks } = compileAccess(1)({ ...noLimits, networks: record.networks });
  return networks === undefined || isInRanges(address, networks);
}

function explainEntry(record: TokenLimits, name: string, entry: IndexEntry): VersionVisibility {
  const release = releaseOf(entry);
  const { releasedMs } = release;
  return {
    version: entry.version,
    state: entry.state,
    stability: parseStability(entry.version_normalized),
    released_at: releasedMs === undefined ? null : new Date(releasedMs).toISOString(),
    ...verdict(record, name, release),
  };
}

/** Judges only by the version, because its release time is unknown. */
function explainAbsent(record: TokenLimits, name: string, version: string): VersionVisibility {
  const normalized = normalizeVersion(version) ?? version;
  const { seen: _seen, ...rest } = verdict({ ...record, not_after: null }, name, {
    version_normalized: normalized,
    releasedMs: undefined,
  });
  return { version, state: null, stability: parseStability(normalized), released_at: null, seen: false, ...rest };
}
