// The text about tombstones from a file: the added rows, the purged versions, and lost or unconfirmed rows.

import type { AnnouncedPurge } from '../../build/contract/announced-lists.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { Adoption, Recovery } from '../../build/purge/adopt-tombstones.ts';
import type { RecoveredPurge } from '../../build/purge/recovered-purges.ts';
import { counted, firstOf } from '../io/output.ts';

const mostShown = 40;

/** The changes of a successful adoption; `dryRun`: the planned changes. Empty if it adds no row. */
export function describeAdoption(plan: Adoption, dryRun: boolean): readonly string[] {
  if (plan.added.length === 0) return [];
  const count = counted(plan.added.length, 'tombstone');
  return [
    `The file ${dryRun ? 'would add' : 'added'} ${count} of purged versions. No build publishes these versions:`,
    ...plan.added.map(lineOf),
    ...(plan.purged.length === 0 ? [] : [dryRun ? 'It would purge permanently:' : 'It purged permanently:']),
    ...purgeLines(plan),
  ];
}

/** Identifies the version of a tombstone. */
export function labelOf({ name, version, version_normalized, reference }: AnnouncedPurge): JsonObject {
  return { name, version, version_normalized, reference };
}

export function purgeLines({ purged }: Pick<Adoption, 'purged'>): readonly string[] {
  return purged.map((one) => `${lineOf(one)}, ${one.state}`);
}

/** `count`: tombstones of the list now. */
export function describeRecovery(recovery: Recovery, count: number): readonly string[] {
  const { added, purged, damage } = recovery;
  return [
    count === 0
      ? 'No record of a purge was found in the list, the announcement, the history and the state. The list of purged ' +
        'versions is empty.'
      : `The list of purged versions is whole: ${counted(count, 'tombstone')}, ${added.length} of them added ` +
        `now${added.length === 0 ? '.' : ':'}`,
    ...added.map(lineOf),
    ...(purged.length === 0
      ? []
      : [damage === undefined ? 'These versions were on this registry, and are purged now:' : notYet]),
    ...purgeLines(recovery),
    ...(damage === undefined ? [] : [damage]),
    ...warningsOf(recovery),
  ];
}

const notYet = 'These versions are on this registry. A package is damaged, so that the next build purges them:';

const noWithdrawals =
  'No record of a withdrawal was found in the list, the announcement, the history and the state. The next build ' +
  'publishes each version again that was withdrawn by hand and that its source has. Before that build, withdraw these ' +
  'versions again: `libretto package withdraw PACKAGE VERSION`.';

/** The planned changes of a recovery. */
export function describeRecoveryPlan(recovery: Recovery): readonly string[] {
  const { added, purged } = recovery;
  return [
    `The recovery would add ${counted(added.length, 'tombstone')}${added.length === 0 ? '.' : ':'}`,
    ...added.map(lineOf),
    ...(purged.length === 0 ? [] : ['With --yes it would purge permanently:']),
    ...purgeLines(recovery),
    ...warningsOf(recovery),
    'Nothing was changed.',
  ];
}

function warningsOf({ replaced, dropped, unconfirmed, unprovenWithdrawals }: Recovery): readonly string[] {
  return [
    ...(unprovenWithdrawals ? [noWithdrawals] : []),
    ...section(
      'Only the label and the reference of these versions are known. Builds no longer block the files of these ' +
        'versions under another label:',
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
      unconfirmed,
    ),
  ];
}

function section(title: string, rows: readonly AnnouncedPurge[]): readonly string[] {
  if (rows.length === 0) return [];
  return [title, ...firstOf(rows.map(lineOf), mostShown)];
}

export function lineOf({ name, version, reference }: Pick<RecoveredPurge, 'name' | 'version' | 'reference'>): string {
  return `  ${name} ${version}${reference === '' ? '' : ` (${reference.slice(0, 12)})`}`;
}
