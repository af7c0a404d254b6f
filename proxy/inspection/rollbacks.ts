// Rolls the registry back to a recorded publication, and shows before what that would change. The builder does it in a
// process of its own; the audit event follows.

import { z } from 'zod';
import type { Actor, AuditedStore, ChangeParts } from '../state/audit.ts';
import { assertAccepted, makeReport, type BuildRunner } from '../sync/build-runner.ts';
import type { Questions } from './questions.ts';

const version = z.object({
  name: z.string(),
  version: z.string(),
  reference: z.string().nullable(),
  /** absolute path or URL of the source it is, or was, published from */
  source: z.string(),
});
const report = z.object({
  /** serial of the current publication */
  serial: z.number(),
  /** false: nothing was published */
  published: z.boolean(),
  rollback_to: z.number(),
  /** the versions that are offered again */
  added: z.array(version),
  /** `was`: the reference before the rollback */
  changed: z.array(version.extend({ was: z.string().nullable() })),
  /** the versions that are no longer offered */
  withdrawn: z.array(version),
  /** packages whose metadata alone changes */
  metadata: z.array(z.string()),
  /** later builds leave these as rolled back until their source has other content */
  undone: z.array(z.object({ name: z.string(), version: z.string() })),
  /** versions of that publication that are not offered again: a person withdrew them, or they were purged */
  stays_out: z.array(z.object({ name: z.string(), version: z.string(), why: z.enum(['withheld', 'purged']) })),
});

const lifted = z.object({ serial: z.number() });

export type PlannedRollback = Readonly<z.infer<typeof report>>;

export type Rollbacks = ReturnType<typeof createRollbacks>;

export interface RollbackParts extends Pick<ChangeParts, 'store' | 'actor'> {
  readonly questions: Questions;
  readonly runner: BuildRunner;
}

export function createRollbacks({ questions, runner, store, actor }: RollbackParts) {
  return {
    /**
     * What a rollback would change. Throws RegistryError: CONFLICT with the reason if it is impossible, BUILD_BUSY,
     * BUILD_FAILED after a time limit, OVERLOADED.
     */
    preview: async (to: number) => report.parse(await questions.ask(['rollback', '--child', '--dry-run', String(to)])),
    /** Throws RegistryError: CONFLICT with the reason if it is impossible, or BUILD_BUSY. */
    rollBack: async (to: number): Promise<PlannedRollback> => {
      const said = makeReport(await runner.run(['rollback', '--child', '--on-behalf-of', actor, String(to)]));
      assertAccepted(said);
      const done = report.parse(said);
      if (done.published) await record(store, actor, done);
      return done;
    },
    /**
     * Ends all rollbacks: the next build publishes the current content of the sources. Returns the serial of the
     * publication. Throws RegistryError: CONFLICT without a rollback in effect, or BUILD_BUSY.
     */
    lift: async (): Promise<number> => {
      const said = makeReport(await runner.run(['rollback', '--child', '--on-behalf-of', actor, '--lift']));
      assertAccepted(said);
      const { serial } = lifted.parse(said);
      await store.commit(
        { conditions: [], puts: [], deletes: [] },
        { actor, action: 'publication.lift', subject: String(serial), details: {} },
      );
      return serial;
    },
  };
}

async function record(
  store: AuditedStore,
  actor: Actor,
  { serial, rollback_to: to, added, changed, withdrawn }: PlannedRollback,
): Promise<void> {
  await store.commit(
    { conditions: [], puts: [], deletes: [] },
    {
      actor,
      action: 'publication.rollback',
      subject: String(serial),
      details: { rollback_to: to, added: added.length, changed: changed.length, withdrawn: withdrawn.length },
    },
  );
}
