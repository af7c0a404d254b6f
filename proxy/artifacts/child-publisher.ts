// Publishes and withdraws artifacts through the command line in a separate process. A failure of the builder therefore
// never ends the server.

import { rm } from 'node:fs/promises';
import type { Actor } from '../state/audit.ts';
import { makeReport, type BuildRunner } from '../sync/build-runner.ts';
import type { ArtifactPublisher, ContentOfVersion } from './publisher.ts';
import { readPublication, readWithdrawal } from './read-outcome.ts';

/** `actor`: whom the history names. */
export function createChildPublisher(runner: BuildRunner, actor: Actor): ArtifactPublisher {
  const flagsOf = ({ version, reference }: Omit<ContentOfVersion, 'name'>): readonly string[] => [
    `--as-version=${version}`,
    `--reference=${reference}`,
    `--on-behalf-of=${actor}`,
  ];
  return {
    publish: async ({ path, name, version, from, stages }) => {
      const flags = [
        `--on-behalf-of=${actor}`,
        ...(name === undefined ? [] : [`--name=${name}`]),
        ...(version === undefined ? [] : [`--as-version=${version}`]),
        ...(from === undefined ? [] : ['--trusted-publisher']),
        ...(stages === true ? ['--staged'] : []),
      ];
      try {
        return readPublication(makeReport(await runner.run(['artifact', 'publish', path, ...flags])));
      } finally {
        await rm(path, { force: true });
      }
    },
    approve: async ({ name, ...content }) =>
      readPublication(
        makeReport(await runner.run(['artifact', 'publish', '-', `--name=${name}`, ...flagsOf(content)])),
      ),
    withdraw: async ({ name, ...content }) =>
      readWithdrawal(makeReport(await runner.run(['artifact', 'withdraw', name, ...flagsOf(content)]))),
  };
}
