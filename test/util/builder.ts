// The builder of a service that a test composes: the compiled program on a data folder. Uploads, withdrawals and purges
// run in the shared processes of the test (command-pool.ts), or with OWN_PROCESSES=1 as the product runs them.
// test/unit/proxy/sync/child-build.test.ts and the tests of the compiled service have the process of the product.

import { isJsonObject } from '../../build/contract/json.ts';
import type { Environment } from '../../cli/io/environment.ts';
import type { BuildRunner } from '../../proxy/sync/build-runner.ts';
import { createChildBuild, scrub } from '../../proxy/sync/child-build.ts';
import { binary, cleanEnvironment, startCli } from './run-cli.ts';

/** `data`: the data folder, absolute. */
export function builderOf(
  data: string,
  workingDirectory = '/',
  environment: Environment = cleanEnvironment(),
): BuildRunner {
  const flags = ['--data', data];
  const own = createChildBuild({ program: [process.execPath, binary], environment, workingDirectory, flags });
  return {
    run: async (args, signal) => {
      // other commands end with their standard input
      const isShared = ['artifact', 'package'].includes(args[0] ?? '') && process.env['OWN_PROCESSES'] !== '1';
      if (!isShared || signal?.aborted === true) return own.run(args, signal);
      const command = startCli([...args, ...flags, '--json'], { cwd: workingDirectory });
      const stop = (): void => command.signal('SIGTERM');
      signal?.addEventListener('abort', stop, { once: true });
      const { exitCode, stdout, stderr } = await command.ended;
      signal?.removeEventListener('abort', stop);
      return { exitCode, report: reportIn(stdout), messages: scrub(stderr) };
    },
  };
}

function reportIn(stdout: string) {
  if (!stdout.startsWith('{')) return undefined;
  const json: unknown = JSON.parse(stdout);
  return isJsonObject(json) ? json : undefined;
}
