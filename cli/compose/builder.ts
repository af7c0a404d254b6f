// The builder of the service: runs this same program in a separate process, with the same data folder and
// configuration.

import { fileURLToPath } from 'node:url';

import type { BuildRunner } from '../../proxy/sync/build-runner.ts';
import { createChildBuild } from '../../proxy/sync/child-build.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';

export function composeBuilder(
  config: Config,
  { environment, workingDirectory }: Pick<Context, 'environment' | 'workingDirectory'>,
): BuildRunner {
  return createChildBuild({
    program: [process.execPath, fileURLToPath(new URL('main.js', import.meta.url))],
    // no flags, because an address may contain a password and the process list shows arguments
    environment: {
      ...environment,
      ...(config.state.value === undefined ? {} : { LIBRETTO_STATE: config.state.value }),
      ...(config.output.value === undefined ? {} : { LIBRETTO_OUTPUT: config.output.value.raw }),
    },
    workingDirectory,
    flags: ['--data', config.data.value, ...(config.file === undefined ? [] : ['--config', config.file])],
  });
}
