// Refuses a build that would make a data folder nobody named while LIBRETTO_URL names a registry. In a CI job such a
// build would be green, and no package of it would reach the registry.

import type { Config } from '../config/config.ts';
import { classifyFolder } from '../data-folder/data-folder-traces.ts';
import type { Environment } from '../io/environment.ts';
import { UsageError } from '../io/usage-error.ts';

/** Throws UsageError. A folder that exists, or that is named, is meant. */
export function refuseNewBesideRemote({ data }: Pick<Config, 'data'>, environment: Environment): void {
  const url = environment['LIBRETTO_URL'];
  if (url === undefined || url === '' || data.origin.from !== 'default' || classifyFolder(data.value) === 'registry')
    return;
  throw new UsageError(
    `LIBRETTO_URL names a registry, and a build publishes into a data folder of this machine. There is none at ` +
      `${data.value}. To publish into the registry, run \`libretto publish\`. To build here, name the folder with --data.`,
  );
}
