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

/** `flags`: those of the command and of the program. With --json no stream has colours. Throws UsageError. */
export function commandStreams(
  { stdout, stderr }: Pick<CommandStreams, 'stdout' | 'stderr'>,
  flags: Readonly<Record<string, unknown>>,
): CommandStreams {
  const [quiet, verbose] = [flags['quiet'] === true, flags['verbose'] === true];
  if (quiet && verbose)
    throw new UsageError('--quiet and --verbose are both given. Choose one: --quiet shows less, --verbose shows more.');
  const plain = flags['json'] === true;
  const [answer, messages] = plain ? [without(stdout), without(stderr)] : [stdout, stderr];
  return {
    stdout: answer,
    summary: quiet ? silent : answer,
    stderr: messages,
    remarks: quiet ? silent : messages,
    steps: verbose ? messages : silent,
    progress: quiet || verbose ? silent : messages,
  };
}

/** The same stream without colours; `columns` may change while the command runs. */
function without<Stream extends TextStream>(stream: Stream): Stream {
  return Object.create(stream, { colors: { value: false } }) as Stream;
}
