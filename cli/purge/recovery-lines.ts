// What a recovery of the list of tombstones says: the rows it adds, the versions it purges, and what is lost or doubtful.

import type { AnnouncedPurge } from '../../build/contract/announced-lists.ts';
import type { Recovery } from '../../build/purge/adopt-tombstones.ts';
import type { RecoveredPurge } from '../../build/purge/recovered-purges.ts';
import { counted, firstOf } from '../io/output.ts';
import { UsageError } from '../io/usage-error.ts';

const mostShown = 40;

/** Throws UsageError where the recovery purges a version that this registry has. Names all of them. */
export function refuseUnconfirmed(plan: Pick<Recovery, 'added' | 'purged'>): void {
  if (plan.purged.length === 0) return;
  throw new UsageError(
    [
      'The recovery purges versions that are on this registry. They go for good, and are never published again:',
      ...purgeLines(plan),
      `The recovery adds ${counted(plan.added.length, 'tombstone')}:`,
      ...plan.added.map(lineOf),
      'Nothing was changed. Remove the rows of versions that stay from the file, or say --yes to purge them.',
    ].join('\n'),
  );
}

function purgeLines({ purged }: Pick<Recovery, 'purged'>): readonly string[] {
  return purged.map((one) => `${lineOf(one)}, ${one.state}`);
}

/** `count`: tombstones of the list now. */
export function describeRecovery(recovery: Recovery, count: number): readonly string[] {
  const { added, purged, replaced, dropped, doubtful } = recovery;
  return [
    `The list of purged versions is whole: ${counted(count, 'tombstone')}, ${added.length} of them added now${added.length === 0 ? '.' : ':'}`,
    ...added.map(lineOf),
    ...(purged.length === 0 ? [] : ['These versions were on this registry, and are purged now:']),
    ...purgeLines(recovery),
    ...section(
      'Of these the label and the reference alone are known. Their files under another label are not kept out any more:',
      replaced,
    ),
    ...section(
      'The list was edited. These rows were dropped, since neither the announcement nor a purge on record nor a file that was named has them. If one was purged, name a file that has it with --recover, or purge it again:',
      dropped,
    ),
    ...section(
      'Digests, reason and date of these rows come from the edited list, and nothing confirms them:',
      doubtful,
    ),
  ];
}

function section(title: string, rows: readonly AnnouncedPurge[]): readonly string[] {
  if (rows.length === 0) return [];
  return [title, ...firstOf(rows.map(lineOf), mostShown)];
}

function lineOf({ name, version, reference }: Pick<RecoveredPurge, 'name' | 'version' | 'reference'>): string {
  return `  ${name} ${version}${reference === '' ? '' : ` (${reference.slice(0, 12)})`}`;
}
