// What was found when another registry was taken over, and its text for people. The field names are part of the
// interface to scripts.

import type { BuildReport } from '../../build/contract/build-report.ts';
import { counted, firstOf } from '../io/output.ts';

/**
 * `only-there`: it cannot be taken over. `differs`: it is published here with other content, and stays so. `only-here`:
 * it was taken over earlier, and stays. `version` null: the whole package.
 */
export interface Difference {
  readonly kind: 'only-there' | 'differs' | 'only-here';
  readonly name: string;
  readonly version: string | null;
  readonly because: string | null;
}

export interface Findings {
  packages: number;
  /** there */
  versions: number;
  /** published here with the same content */
  here: number;
  /** new here; in a plan: to be taken over */
  taken: readonly { readonly name: string; readonly version: string }[];
  /** the archives that this run has fetched, and their bytes; in a plan: of `taken`, those of an earlier run */
  fetched: number;
  fetched_bytes: number;
  differences: readonly Difference[];
  /** the patterns of --only that match nothing there */
  unmatched: readonly string[];
}

/** A git repository there: its id here, and why this run did not register it. */
export interface RegisteredSource {
  readonly url: string;
  readonly packages: readonly string[];
  readonly id: string | null;
  readonly because: string | null;
}

/** Versions that the build refused are not taken over, either. */
export function withBuild(findings: Findings, { quarantined, blocked }: BuildReport): Findings {
  const refused = [
    ...quarantined.map(({ name, version, message }) => ({ name: name ?? '', version, because: message })),
    ...blocked.map(({ name, version, reason }) => ({ name, version, because: `it was purged here (${reason})` })),
  ];
  const keys = new Set(refused.map(keyOf));
  return {
    ...findings,
    taken: findings.taken.filter((one) => !keys.has(keyOf(one))),
    differences: [...findings.differences, ...refused.map((one) => ({ kind: 'only-there' as const, ...one }))],
  };
}

/** Sorted: versions are found in the order of the answers. */
export function inOrder<Row extends { readonly name: string; readonly version: string | null }>(
  rows: readonly Row[],
): readonly Row[] {
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function keyOf({ name, version }: { readonly name: string; readonly version: string | null }): string {
  return `${name} ${version ?? ''}`;
}

const mostLines = 40;

/** The numbers, for standard output. */
export function describeFindings(
  url: string,
  { packages, versions, here, taken, fetched, fetched_bytes: bytes }: Findings,
  plan: boolean,
  sources: readonly RegisteredSource[] = [],
): string[] {
  const known = fetched === 0 ? '' : `, ${fetched} of them fetched already (${(bytes / 1e6).toFixed(1)} MB)`;
  const added = taken.map(({ name, version }) => `  + ${name} ${version}`);
  return [
    `${url}: ${counted(packages, 'package')}, ${counted(versions, 'version')}; ${here} here already.`,
    plan
      ? `To be taken over: ${counted(taken.length, 'version')}${known}. Nothing was fetched or published.`
      : `Taken over: ${counted(taken.length, 'version')}.`,
    ...firstOf(added, mostLines),
    ...firstOf(
      sources.flatMap(({ url: git, id, because }) =>
        id === null ? [] : [`${because === null ? 'Registered' : 'Already registered'}: ${git} (${id})`],
      ),
      mostLines,
    ),
  ];
}

const headings = {
  'only-there': 'cannot be taken over',
  differs: 'with other content there, which stay as they are here',
  'only-here': 'no longer there, which stay here',
} as const;

/** What a person has to look at, for standard error. */
export function describeDifferences({ differences }: Findings, sources: readonly RegisteredSource[]): string[] {
  const lines = (['only-there', 'differs', 'only-here'] as const).flatMap((kind) => {
    const rows = differences
      .filter((one) => one.kind === kind)
      .map(({ name, version, because }) =>
        ['  ', name, version === null ? '' : ` ${version}`, because === null ? '' : `: ${because}`].join(''),
      );
    return rows.length === 0
      ? []
      : [`${counted(rows.length, 'version')} ${headings[kind]}:`, ...firstOf(rows, mostLines)];
  });
  const unread = sources.flatMap(({ url, id, because }) => (id === null ? [`  ${url}: ${because ?? ''}`] : []));
  return unread.length === 0
    ? lines
    : [...lines, 'Git repositories that were not registered:', ...firstOf(unread, mostLines)];
}
