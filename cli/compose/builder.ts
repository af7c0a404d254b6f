// The builder as the service runs it: this very program, in a process of its own, on the same data folder and with the
// same configuration.

import { fileURLToPath } from 'node:url';

import type { BuildRunner } from '../../proxy/sync/build-runner.ts';
import { createChildBuild } from '../../proxy/sync/child-build.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';

export function composeBuilder(config: Config, { environment, workingDirectory }: Context): BuildRunner {
  return createChildBuild({
    program: [process.execPath, fileURLToPath(new URL('main.js', import.meta.url))],
    // not as a flag: the address may hold a password, and arguments can be seen in the process list
    environment:
      config.state.value === undefined ? environment : { ...environment, LIBRETTO_STATE: config.state.value },
    workingDirectory,
    flags: ['--data', config.data.value, ...(config.file === undefined ? [] : ['--config', config.file])],
  });
}
