// All parts of the process that a command may use. Only main.ts makes a context of the real process.

import type { AnswerStream, TextStream } from './answer-stream.ts';
import type { Environment } from './environment.ts';

export interface InputStream extends AsyncIterable<Buffer | string> {
  readonly isTTY?: boolean;
  /** of a terminal: whether it hands over each key as it is, and shows none */
  readonly setRawMode?: (on: boolean) => unknown;
}

export interface Context {
  readonly environment: Environment;
  /** absolute */
  readonly workingDirectory: string;
  readonly stdin: InputStream;
  readonly stdout: AnswerStream;
  readonly stderr: TextStream;
  /** how this program was started, for lines a person can paste: `libretto`, or `node lib/cli/main.js` */
  readonly invocation: string;
  readonly now: () => Date;
  readonly randomBytes: (count: number) => Uint8Array;
  /** who acts, in the audit log: `cli:<user of the operating system>` */
  readonly actor: `cli:${string}`;
  /** Calls back on every such signal, which does nothing else any more. */
  readonly onSignal: (signal: NodeJS.Signals, callback: () => void) => void;
  /**
   * Calls back when something was thrown that nobody caught, after that was told. The process then has a few seconds to
   * end, with 1.
   */
  readonly onCrash: (callback: (error: unknown) => void) => void;
  /** Calls back when whoever holds the other end of standard input is gone. Keeps the process alive until then. */
  readonly onInputEnd: (callback: () => void) => void;
  /** Ends the process now, whatever is under way. */
  readonly exitNow: (code: number) => never;
}
