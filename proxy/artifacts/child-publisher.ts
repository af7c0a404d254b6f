// Publishes and withdraws artifacts through the command line, in a process of its own: whatever an upload makes the builder do, the server goes on.

import { rm } from 'node:fs/promises';
import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { BuildRun, BuildRunner } from '../sync/build-runner.ts';
import type { ArtifactPublisher } from './publisher.ts';
import { readPublication, readWithdrawal } from './read-outcome.ts';

/** Exit code of a command that did not get the build's lock. */
const busyExitCode = 75;

export function createChildPublisher(runner: BuildRunner): ArtifactPublisher {
  return {
    publish: async ({ path, name, version }) => {
      const flags = [...(name === undefined ? [] : [`--name=${name}`]), ...(version === undefined ? [] : [`--as-version=${version}`])];
      try {
        return readPublication(reportOf(await runner.run(['artifact', 'publish', path, ...flags])));
      } finally {
        await rm(path, { force: true });
      }
    },
    withdraw: async ({ name, version, reference }) => readWithdrawal(reportOf(await runner.run(['artifact', 'withdraw', name, `--as-version=${version}`, `--reference=${reference}`]))),
  };
}

function reportOf({ exitCode, report, messages }: BuildRun): JsonObject {
  if (exitCode === busyExitCode) throw new RegistryError('BUILD_BUSY');
  if (report === undefined) throw new Error(`the builder ended with ${exitCode}: ${messages}`);
  return report;
}
