// What a token sees of a package, and what of its limits hides the rest; also of versions that are not published, or not any more. Pure: whoever asks brings
// what is published. The verdicts are those of the views that requests are answered by.

import { normalizeVersion } from '../../build/contract/version.ts';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import { parseStability } from '../../build/contract/stability.ts';
import { tokenStatus, type TokenRecord } from '../auth/token.ts';
import { isInRanges } from '../observe/client-address.ts';
import { compileAccess } from './compile-access.ts';
import { compileView } from './compile-view.ts';
import { noLimits, type TokenLimits } from './token-limits.ts';
import { passes, releaseOf, type Release } from './view.ts';

/** Limits that hide a release. */
export type HidingLimit = 'packages' | 'constraints' | 'stability' | 'not_after';

/** Why it is not seen: by what the token is, by its limits, or since there is nothing to be seen. */
export type Reason = 'revoked' | 'expired' | 'networks' | HidingLimit | 'not_published';

export interface ExplainedVersion {
  readonly version: string;
  /** null: of this name there is no such version, now or before */
  readonly state: IndexEntry['state'] | null;
  readonly stability: string;
  /** RFC 3339 UTC: what `not_after` goes by; null: not known */
  readonly released_at: string | null;
  readonly seen: boolean;
  readonly hidden_by: readonly HidingLimit[];
}

export interface Explanation {
  readonly token_id: string;
  readonly package: string;
  readonly version: string | null;
  /** whether a request with this token finds it: the package in its documents, or the version in its documents or, withdrawn, by its reference */
  readonly seen: boolean;
  /** why not */
  readonly reasons: readonly Reason[];
  /** newest first; every content of a version on its own */
  readonly versions: readonly ExplainedVersion[];
}

export interface Question {
  readonly name: string;
  /** undefined: the package as a whole */
  readonly version: string | undefined;
  /** the address of a client; undefined: one from where the token may be used */
  readonly from: string | undefined;
  /** what the serving index has of the package */
  readonly entries: readonly IndexEntry[];
  /** epoch milliseconds */
  readonly nowMs: number;
}

const hiding: readonly HidingLimit[] = ['packages', 'constraints', 'stability', 'not_after'];

export function explainView(record: TokenRecord, { name, version, from, entries, nowMs }: Question): Explanation {
  const asked = version === undefined ? entries : entriesOf(entries, version);
  const versions = asked.length === 0 && version !== undefined ? [explainAbsent(record, name, version)] : asked.map((entry) => explainEntry(record, name, entry));
  const status = tokenStatus(record, nowMs);
  const found = versions.filter(({ state }) => (version === undefined ? state === 'published' : state !== null));
  const reasons: Reason[] = [
    ...(status === 'active' ? [] : [status]),
    ...(from === undefined || isAllowedFrom(record, from) ? [] : ['networks' as const]),
    ...(found.some(({ seen }) => seen) ? [] : versions.length === 0 ? reasonsOfName(record, name) : reasonsOf(found.length === 0 ? versions : found)),
    ...(found.length === 0 ? ['not_published' as const] : []),
  ];
  return { token_id: record.id, package: name, version: version ?? null, seen: reasons.length === 0, reasons, versions };
}

/** Of a package of which nothing was ever published. */
function reasonsOfName({ packages }: TokenLimits, name: string): readonly HidingLimit[] {
  return compileView({ ...noLimits, packages })?.filterOf(name) === 'none' ? ['packages'] : [];
}

function reasonsOf(versions: readonly ExplainedVersion[]): readonly HidingLimit[] {
  return hiding.filter((limit) => versions.some(({ hidden_by: hiddenBy }) => hiddenBy.includes(limit)));
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

function explainEntry(record: TokenLimits, name: string, entry: IndexEntry): ExplainedVersion {
  const release = releaseOf(entry);
  const { releasedMs } = release;
  return { version: entry.version, state: entry.state, stability: parseStability(entry.version_normalized), released_at: releasedMs === undefined ? null : new Date(releasedMs).toISOString(), ...verdict(record, name, release) };
}

/** By its version alone: nobody knows when it will have been released. */
function explainAbsent(record: TokenLimits, name: string, version: string): ExplainedVersion {
  const normalized = normalizeVersion(version) ?? version;
  const { seen: _seen, ...rest } = verdict({ ...record, not_after: null }, name, { version_normalized: normalized, releasedMs: undefined });
  return { version, state: null, stability: parseStability(normalized), released_at: null, seen: false, ...rest };
}

function verdict(limits: TokenLimits, name: string, release: Release): Pick<ExplainedVersion, 'seen' | 'hidden_by'> {
  const hiddenBy = hiding.filter((limit) => {
    const view = compileView({ ...noLimits, [limit]: limits[limit] });
    return view !== undefined && !passes(view.filterOf(name), release);
  });
  return { seen: hiddenBy.length === 0, hidden_by: hiddenBy };
}
