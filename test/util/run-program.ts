// Runs a command line in this process, for tables of help texts and refused arguments. No command may have effects:
// there is no environment, no input and no folder. The tests of test/cli use the compiled program (run-cli.ts) for
// everything else.

import type { ProcessContext } from '../../cli/io/context.ts';
import { runProgram } from '../../cli/program/program.ts';
import type { CliOutcome } from './run-cli.ts';

export async function parseCommandLine(args: readonly string[]): Promise<CliOutcome> {
  const written = { stdout: '', stderr: '' };
  const streamTo = (name: keyof typeof written) => ({ write: (text: string) => void (written[name] += text) });
  const streams = { stdout: streamTo('stdout'), stderr: streamTo('stderr') };
  const context = { ...streams, environment: {} } as unknown as ProcessContext;
  const exitCode = await runProgram(['node', 'libretto', ...args], context);
  const withoutLastBreak = (text: string): string => text.replace(/\n$/, '');
  return { exitCode, stdout: withoutLastBreak(written.stdout), stderr: withoutLastBreak(written.stderr) };
}
