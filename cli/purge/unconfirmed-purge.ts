// The refusal of tombstones that purge versions without --yes. With --json the plan is on stdout too, so that a script
// can show it before --yes.

import type { Adoption } from '../../build/purge/adopt-tombstones.ts';
import type { CommandInput } from '../io/command.ts';
import type { Context } from '../io/context.ts';
import { counted, printJson } from '../io/output.ts';
import { UsageError } from '../io/usage-error.ts';
import { labelOf, lineOf, purgeLines } from './recovery-lines.ts';

export class UnconfirmedPurge extends UsageError {
  readonly plan: Adoption;

  constructor(message: string, plan: Adoption) {
    super(message);
    this.name = 'UnconfirmedPurge';
    this.plan = plan;
  }
}

/** The words of a message for the origin of the tombstones and the place of the versions. */
export interface AdoptionWords {
  readonly by: 'The recovery' | 'The file';
  readonly where: 'on this registry' | 'in this backup';
  /** false: the tombstones come from this registry's own records */
  readonly hasFile: boolean;
}

/** Throws UnconfirmedPurge if the tombstones purge an existing version. Names all of them. */
export function refuseUnconfirmed(plan: Adoption, { by, where, hasFile }: AdoptionWords): void {
  if (plan.purged.length === 0) return;
  const existence = plan.purged.every(({ state }) => state === 'unknown') ? 'may be' : 'are';
  throw new UnconfirmedPurge(
    [
      `${by} purges versions that ${existence} ${where}. The purge is permanent, and these versions are never ` +
        `published again:`,
      ...purgeLines(plan),
      `${by} adds ${counted(plan.added.length, 'tombstone')}:`,
      ...plan.added.map(lineOf),
      hasFile
        ? 'Nothing was changed. To keep a version, remove its row from the file. To purge the versions, add --yes.'
        : 'Nothing was changed. To purge the versions, add --yes.',
    ].join('\n'),
    plan,
  );
}

/** Waits for a command's work. With --json it prints the plan of an unconfirmed purge. Rejects as the work does. */
export async function withRefusedPlan<Result>(
  work: Promise<Result>,
  flags: CommandInput['flags'],
  { stdout }: Pick<Context, 'stdout'>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UnconfirmedPurge && flags['json'] === true)
      printJson(stdout, {
        confirmed: false,
        tombstones: error.plan.added.map(labelOf),
        purged_versions: error.plan.purged.map((one) => ({ ...one })),
      });
    throw error;
  }
}
