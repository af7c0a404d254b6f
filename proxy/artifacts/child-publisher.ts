// Publishes and withdraws artifacts through the command line in a separate process. A failure of the builder therefore
// never ends the server.

import { rm } from 'node:fs/promises';
import type { Actor } from '../state/audit.ts';
import { makeReport, type BuildRunner } from '../sync/build-runner.ts';
import type { ArtifactPublisher } from './publisher.ts';
import { readPublication, readWithdrawal } from './read-outcome.ts';

/** `actor`: whom the history names. */
export function createChildPublisher(runner: BuildRunner, actor: Actor): ArtifactPublisher {
  return {
    publish: async ({ path, name, version, from }) => {
      const flags = [
        `--on-behalf-of=${actor}`,
        ...(name === undefined ? [] : [`--name=${name}`]),
        ...(version === undefined ? [] : [`--as-version=${version}`]),
        ...(from === undefined ? [] : ['--trusted-publisher']),
      ];
      try {
        return readPublication(makeReport(await runner.run(['artifact', 'publish', path, ...flags])));
      } finally {
        await rm(path, { force: true });
      }
    },
    withdraw: async ({ name, version, reference }) =>
      readWithdrawal(
        makeReport(
          await runner.run([
            'artifact',
            'withdraw',
            name,
            `--as-version=${version}`,
            `--reference=${reference}`,
            `--on-behalf-of=${actor}`,
          ]),
        ),
      ),
  };
}
