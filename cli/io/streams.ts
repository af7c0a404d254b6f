// The output streams of a command, by the kind of text. --quiet and --verbose choose which kinds are shown, so that no
// command asks for them.

import type { AnswerStream, TextStream } from './answer-stream.ts';
import { UsageError } from './usage-error.ts';

export interface CommandStreams {
  /** standard output: what the user asked for, such as a list, a token or a JSON document */
  readonly stdout: AnswerStream;
  /** standard output: what a command has changed; silent with --quiet */
  readonly summary: TextStream;
  /** standard error: errors, warnings and questions */
  readonly stderr: TextStream;
  /** standard error: remarks and explanations; silent with --quiet */
  readonly remarks: TextStream;
  /** standard error: the steps of the work; only with --verbose */
  readonly steps: TextStream;
  /** standard error: the one line of a running task; silent with --quiet, and with --verbose, which lists the steps */
  readonly progress: TextStream;
}

const silent: TextStream = { write: () => undefined };

/** `flags`: those of the command and of the program. Throws UsageError. */
export function commandStreams(
  { stdout, stderr }: Pick<CommandStreams, 'stdout' | 'stderr'>,
  flags: Readonly<Record<string, unknown>>,
): CommandStreams {
  const [quiet, verbose] = [flags['quiet'] === true, flags['verbose'] === true];
  if (quiet && verbose)
    throw new UsageError('--quiet and --verbose are both given. Choose one: --quiet shows less, --verbose shows more.');
  return {
    stdout,
    summary: quiet ? silent : stdout,
    stderr,
    remarks: quiet ? silent : stderr,
    steps: verbose ? stderr : silent,
    progress: quiet || verbose ? silent : stderr,
  };
}
