// The text about tombstones from a file: the added rows, the purged versions, and lost or doubtful rows.

import type { AnnouncedPurge } from '../../build/contract/announced-lists.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { Adoption, Recovery } from '../../build/purge/adopt-tombstones.ts';
import type { RecoveredPurge } from '../../build/purge/recovered-purges.ts';
import { counted, firstOf } from '../io/output.ts';
import { UsageError } from '../io/usage-error.ts';

const mostShown = 40;

/** Who brings the tombstones, and where the versions are, as a sentence names them. */
export interface AdoptionWords {
  readonly by: 'The recovery' | 'The file';
  readonly where: 'on this registry' | 'in this backup';
}

/** Throws UsageError where the tombstones purge a version that is there. Names all of them. */
export function refuseUnconfirmed(plan: Adoption, { by, where }: AdoptionWords): void {
  if (plan.purged.length === 0) return;
  throw new UsageError(
    [
      `${by} purges versions that are ${where}. They go for good, and are never published again:`,
      ...purgeLines(plan),
      `${by} adds ${counted(plan.added.length, 'tombstone')}:`,
      ...plan.added.map(lineOf),
      'Nothing was changed. Remove the rows of versions that stay from the file, or say --yes to purge them.',
    ].join('\n'),
  );
}

/** What an adoption without a fault did; `dryRun`: what it would do. None for one that adds nothing. */
export function describeAdoption(plan: Adoption, dryRun: boolean): readonly string[] {
  if (plan.added.length === 0) return [];
  const count = counted(plan.added.length, 'tombstone');
  return [
    `The file ${dryRun ? 'would add' : 'added'} ${count} of purged versions. No build publishes these versions:`,
    ...plan.added.map(lineOf),
    ...(plan.purged.length === 0 ? [] : [dryRun ? 'It would purge for good:' : 'It purged for good:']),
    ...purgeLines(plan),
  ];
}

/** Which version a tombstone is of. */
export function labelOf({ name, version, version_normalized, reference }: AnnouncedPurge): JsonObject {
  return { name, version, version_normalized, reference };
}

function purgeLines({ purged }: Pick<Adoption, 'purged'>): readonly string[] {
  return purged.map((one) => `${lineOf(one)}, ${one.state}`);
}

/** `count`: tombstones of the list now. */
export function describeRecovery(recovery: Recovery, count: number): readonly string[] {
  const { added, purged, replaced, dropped, doubtful } = recovery;
  return [
    `The list of purged versions is whole: ${counted(count, 'tombstone')}, ${added.length} of them added ` +
      `now${added.length === 0 ? '.' : ':'}`,
    ...added.map(lineOf),
    ...(purged.length === 0 ? [] : ['These versions were on this registry, and are purged now:']),
    ...purgeLines(recovery),
    ...section(
      'Of these the label and the reference alone are known. Their files under another label are not kept out ' +
        'any more:',
      replaced,
    ),
    ...section(
      'The list was edited. These rows were dropped, since neither the announcement nor a purge on record nor ' +
        'a file that was named has them. If one was purged, name a file that has it with --recover, or purge it ' +
        'again:',
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
