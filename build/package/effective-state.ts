// The state of a package after a publication that stopped between its serving index and its documents. Such an index
// describes contents that readers never received. The next build decides from the readers' documents, even if the
// sources have changed since (I5). Pure.

import { isDevVersion } from '../contract/version.ts';
import type { VersionRecord } from '../contract/documents.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { groupBy } from '../shared/collections/group-by.ts';
import type { PendingDocument, PendingHistory } from './pending-publications.ts';
import type { PackageState } from './package-state.ts';

/**
 * `pending`: the documents that the interrupted publication should have replaced; undefined for none. Its contents stay
 * in the index, which only grows.
 */
export function effectiveState(state: PackageState, pending: ReturnType<PendingHistory['of']>): PackageState {
  if (pending === undefined) return state;
  let versions = state.index.versions;
  for (const kind of ['stable', 'dev'] as const) {
    const isMine = ({ version_normalized: normalized }: { readonly version_normalized: string }): boolean =>
      isDevVersion(normalized) === (kind === 'dev');
    const records = [...state.records.values()].filter(isMine);
    const isDamaged = state.damaged.has(kind);
    if (!state.uncertain.has(kind) || !isCredible({ records, isDamaged }, pending[kind], versions)) continue;
    const offered = new Set(records.map(keyOfRecord));
    const replaced = new Set<string>(records.map((record) => record.version_normalized));
    versions = versions.map((entry) => (isMine(entry) ? withState(entry, offered, replaced) : entry));
  }
  // drops the text, so that the build writes the index again and reads the README of a restored version again
  return versions === state.index.versions
    ? state
    : {
        ...state,
        index: { ...state.index, versions },
        entries: groupBy(versions, ({ version }) => version),
        indexText: undefined,
      };
}

/**
 * True if the records are those of a complete document: the previous one, or that of an earlier interrupted
 * publication. An absent document, and one without versions, is complete if readers had no version before, or if an
 * interrupted publication was to leave none. A later one may have brought the same versions into the index again.
 */
function isCredible(
  { records, isDamaged }: { readonly records: readonly VersionRecord[]; readonly isDamaged: boolean },
  pending: PendingDocument | undefined,
  versions: readonly IndexEntry[],
): boolean {
  if (pending === undefined) return false;
  const known = new Set(versions.map(keyOf));
  if (!records.every((record) => known.has(keyOfRecord(record)))) return false;
  if (records.length > 0) return true;
  if (pending.document === 'lost') return false;
  return pending.records.length === 0 || (pending.emptied && !isDamaged);
}

function withState(entry: IndexEntry, offered: ReadonlySet<string>, replaced: ReadonlySet<string>): IndexEntry {
  if (offered.has(keyOf(entry))) return entry.state === 'published' ? entry : { ...entry, state: 'published' };
  return entry.state === 'published'
    ? { ...entry, state: replaced.has(entry.version_normalized) ? 'superseded' : 'withdrawn' }
    : entry;
}

function keyOf({ version, reference }: Pick<IndexEntry, 'version' | 'reference'>): string {
  return `${version}\0${reference}`;
}

function keyOfRecord({ version, dist }: VersionRecord): string {
  return `${version}\0${String(dist?.['reference'])}`;
}
