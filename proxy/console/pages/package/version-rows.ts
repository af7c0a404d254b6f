// The rows of the list of versions: published, withdrawn, and left out. Pure.

import { isDevVersion, normalizeVersion } from '../../../../build/contract/version.ts';
import type { WhyVersion } from '../../../../build/contract/why.ts';
import type { PublishedVersion } from '../../../packages/published-package.ts';

export const versionKinds = ['stable', 'development', 'withdrawn'] as const;
/** `stable` has the prereleases too: all versions that never change. */
export type VersionKind = (typeof versionKinds)[number];

export interface VersionRow {
  readonly version: string;
  readonly kind: VersionKind;
  /** a person withdrew it, so a person can restore it */
  readonly isByHand: boolean;
  /** when it was published here, or withdrawn; RFC 3339 */
  readonly since: string;
  readonly reference: string;
  /** bytes of the archive */
  readonly size: number;
  readonly downloads: number;
  /** undefined: the version is withdrawn */
  readonly published: PublishedVersion | undefined;
  /** the next older release; undefined: none, or the version is a branch */
  readonly previous: string | undefined;
}

interface RowsInput {
  /** newest first */
  readonly published: readonly PublishedVersion[];
  /** every known content of the package */
  readonly known: readonly WhyVersion[];
  /** label → downloads in total */
  readonly downloads: ReadonlyMap<string, number>;
}

/** Releases, then branches, then withdrawn versions; each newest first. */
export function versionRows({ published, known, downloads }: RowsInput): readonly VersionRow[] {
  const rows = published.map(({ entry, record }): VersionRow => {
    const { version, version_normalized: normalized, reference, size, since } = entry;
    return {
      version,
      kind: isDevVersion(normalized) ? 'development' : 'stable',
      isByHand: false,
      since,
      reference,
      size,
      downloads: downloads.get(version) ?? 0,
      published: { entry, record },
      previous: undefined,
    };
  });
  const stable = rows.filter(({ kind }) => kind === 'stable');
  return [
    ...stable.map((row, at) => ({ ...row, previous: stable[at + 1]?.version })),
    ...rows.filter(({ kind }) => kind === 'development'),
    ...withdrawnRows(known, rows, downloads),
  ];
}

/** One row for each version: of its contents the last withdrawn one. A version that is published again has none. */
function withdrawnRows(
  known: readonly WhyVersion[],
  published: readonly VersionRow[],
  downloads: ReadonlyMap<string, number>,
): readonly VersionRow[] {
  const seen = new Set(published.map(({ version }) => numberOf(version)));
  return known
    .filter(({ state }) => state === 'withdrawn' || state === 'withheld')
    .toSorted((one, other) => (one.since < other.since ? 1 : -1))
    .flatMap(({ version, state, since, reference, size }) => {
      const number = numberOf(version);
      if (seen.has(number)) return [];
      seen.add(number);
      const count = downloads.get(version) ?? 0;
      const common = { version, since, reference, size, downloads: count, published: undefined, previous: undefined };
      return [{ ...common, kind: 'withdrawn' as const, isByHand: state === 'withheld' }];
    });
}

function numberOf(version: string): string {
  return normalizeVersion(version) ?? version;
}
