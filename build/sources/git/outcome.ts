// What became of one tag or branch, and what is kept of it from one build to the next: as long as the ref holds the same object, it is not
// read again. Rows are short, since a repository may have thousands.

import { isJsonObject, type JsonValue } from '../../contract/json.ts';
import { parsePackageName, type PackageName } from '../../contract/name.ts';
import type { QuarantineCode } from '../quarantine.ts';

export type Outcome =
  | {
      readonly kind: 'release';
      readonly commit: string;
      readonly name: PackageName;
      readonly version: string;
      /** epoch seconds */
      readonly authorTime: number | null;
      readonly committerTime: number;
      readonly submodules: boolean;
    }
  /** skipped by Composer's rules; a sentence for the report */
  | { readonly kind: 'skipped'; readonly notice: string }
  | { readonly kind: 'quarantined'; readonly code: QuarantineCode; readonly message: string; readonly name: string | null; readonly version: string | null };

export interface KnownRef {
  /** what the ref held */
  readonly oid: string;
  readonly outcome: Outcome;
}

export interface GitMemory {
  /** the name that the default branch gave to all versions; null where it gave none */
  readonly name: PackageName | null;
  /** by `t <tag>` and `b <branch>`, binary strings */
  readonly refs: ReadonlyMap<string, KnownRef>;
}

/**
 * `{name, refs: [[key, oid, kind, …]]}`. A name equal to the default one is left out as 0, a commit equal to the oid too; an annotated tag's
 * differs from its commit.
 */
export function formatGitMemory(memory: GitMemory): JsonValue {
  const refs = Array.from(memory.refs, ([key, { oid, outcome }]): JsonValue => {
    if (outcome.kind === 'skipped') return [key, oid, 's', outcome.notice];
    if (outcome.kind === 'quarantined') return [key, oid, 'q', outcome.code, outcome.message, outcome.name, outcome.version];
    const { commit, name, version, authorTime, committerTime, submodules } = outcome;
    return [key, oid, 'r', commit === oid ? 0 : commit, name === memory.name ? 0 : name, version, authorTime, committerTime, submodules ? 1 : 0];
  });
  return { name: memory.name, refs };
}

/** undefined for anything this version did not write: everything is then read again. */
export function parseGitMemory(detail: JsonValue | undefined): GitMemory | undefined {
  if (!isJsonObject(detail) || !Array.isArray(detail['refs'])) return undefined;
  const name = typeof detail['name'] === 'string' ? (parsePackageName(detail['name']) ?? null) : null;
  if (name === null && detail['name'] !== null) return undefined;
  const refs = new Map<string, KnownRef>();
  for (const row of detail['refs'] as readonly JsonValue[]) {
    const parsed = parseRow(row, name);
    if (parsed === undefined) return undefined;
    refs.set(...parsed);
  }
  return { name, refs };
}

function parseRow(row: JsonValue, defaultName: PackageName | null): [string, KnownRef] | undefined {
  if (!Array.isArray(row)) return undefined;
  const [key, oid, kind, ...rest] = row as readonly JsonValue[];
  if (typeof key !== 'string' || typeof oid !== 'string') return undefined;
  const outcome = kind === 's' ? parseSkipped(rest) : kind === 'q' ? parseQuarantined(rest) : kind === 'r' ? parseRelease(rest, oid, defaultName) : undefined;
  return outcome === undefined ? undefined : [key, { oid, outcome }];
}

function parseSkipped([notice]: readonly JsonValue[]): Outcome | undefined {
  return typeof notice === 'string' ? { kind: 'skipped', notice } : undefined;
}

function parseQuarantined([code, message, name = null, version = null]: readonly JsonValue[]): Outcome | undefined {
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  if ((name !== null && typeof name !== 'string') || (version !== null && typeof version !== 'string')) return undefined;
  return { kind: 'quarantined', code: code as QuarantineCode, message, name, version };
}

function parseRelease([commit, name, version, authorTime, committerTime, submodules]: readonly JsonValue[], oid: string, defaultName: PackageName | null): Outcome | undefined {
  const parsedName = typeof name === 'string' ? parsePackageName(name) : (defaultName ?? undefined);
  if (parsedName === undefined || typeof version !== 'string' || typeof committerTime !== 'number') return undefined;
  if (authorTime !== null && typeof authorTime !== 'number') return undefined;
  return { kind: 'release', commit: typeof commit === 'string' ? commit : oid, name: parsedName, version, authorTime, committerTime, submodules: submodules === 1 };
}
