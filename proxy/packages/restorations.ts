// Publishes versions again that were withdrawn by hand. The builder reads their source in a process of its own; then
// the record of the withdrawal is removed, with its audit event.

import { z } from 'zod';
import { RegistryError } from '../../build/contract/errors.ts';
import { normalizeVersion } from '../../build/contract/version.ts';
import type { Actor } from '../state/audit.ts';
import { assertAccepted, makeReport, type BuildRunner } from '../sync/build-runner.ts';
import type { Withdrawals } from './withdrawals.ts';

const report = z.object({
  serial: z.number(),
  quarantined: z.array(z.object({ name: z.string().nullable(), message: z.string() })),
  failed: z.array(z.object({ source: z.string(), reason: z.string() })),
});

export interface Restoration {
  /** serial of the current publication */
  readonly serial: number;
  /** sentences: versions of the package that the build left out, and sources that it could not read */
  readonly problems: readonly string[];
}

export interface Restorations {
  /**
   * Ends the withdrawal: the build publishes the version as its source has it now. Throws RegistryError: NOT_FOUND if
   * the version was not withdrawn by hand, VERSION_PURGED, CONFLICT with the reason, or BUILD_BUSY.
   */
  readonly restore: (name: string, version: string) => Promise<Restoration>;
}

export interface RestorationParts {
  readonly runner: BuildRunner;
  readonly withdrawals: Withdrawals;
  readonly actor: Actor;
}

export function createRestorations({ runner, withdrawals, actor }: RestorationParts): Restorations {
  return {
    restore: async (name, version) => {
      const normalized = normalizeVersion(version);
      // no version, and no word of a command line either
      if (version.startsWith('-') || normalized === undefined)
        throw new RegistryError('NOT_FOUND', { message: 'This version was not withdrawn by hand.' });
      const said = makeReport(
        await runner.run(['package', 'restore', '--child', '--on-behalf-of', actor, name, version]),
      );
      assertAccepted(said);
      const { serial, quarantined, failed } = report.parse(said);
      await withdrawals.forget(name, normalized);
      return {
        serial,
        problems: [
          ...quarantined.flatMap((one) => (one.name === null || one.name === name ? [one.message] : [])),
          ...failed.map(({ source, reason }) => `${source} could not be read: ${reason}`),
        ],
      };
    },
  };
}
