// The port to the withdrawal of a published version: the builder in a separate process or, on the command line, in
// this one.

import { z } from 'zod';
import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { Actor } from '../state/audit.ts';
import { makeReport, readOutcome, type BuildRunner } from '../sync/build-runner.ts';

const withdrawnVersion = z.object({
  name: z.string(),
  version: z.string(),
  version_normalized: z.string(),
  reference: z.string(),
  /** RFC 3339 UTC: of a version that was withdrawn before, since then */
  since: z.string(),
});
export type WithdrawnVersion = z.output<typeof withdrawnVersion>;

export interface VersionWithdrawer {
  /** A repeated call changes nothing. Throws RegistryError: NOT_FOUND or BUILD_BUSY. */
  readonly withdraw: (name: string, version: string) => Promise<WithdrawnVersion>;
}

/** `actor`: whom the history names. */
export function createChildWithdrawer(runner: BuildRunner, actor: Actor): VersionWithdrawer {
  return {
    withdraw: async (name, version) => {
      // no version, and no word of a command line either
      if (version.startsWith('-'))
        throw new RegistryError('NOT_FOUND', { message: 'This version is not published here.' });
      return readWithdrawn(
        makeReport(await runner.run(['package', 'withdraw', '--child', '--on-behalf-of', actor, name, version])),
      );
    },
  };
}

/** Parses the builder's outcome. Throws RegistryError for a refusal, and Error for anything that is no outcome. */
export function readWithdrawn(report: JsonObject): WithdrawnVersion {
  return readOutcome(withdrawnVersion, report);
}
