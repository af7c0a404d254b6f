// All parts of the process that a command may use. Only main.ts makes a context of the real process.

import type { Environment } from './environment.ts';
import type { OptionsOf } from './invocation.ts';
import type { CommandStreams } from './streams.ts';

export interface InputStream extends AsyncIterable<Buffer | string> {
  readonly isTTY?: boolean;
  /** of a terminal: true passes on each key unprocessed, and echoes none */
  readonly setRawMode?: (on: boolean) => unknown;
}

/** The process before a command is known. */
export type ProcessContext = Omit<Context, 'summary' | 'remarks' | 'steps' | 'progress'>;

export interface Context extends CommandStreams {
  readonly environment: Environment;
  /** absolute */
  readonly workingDirectory: string;
  readonly stdin: InputStream;
  /** the command that started this program, for lines to paste: `libretto`, or `node lib/cli/main.js` */
  readonly invocation: string;
  /** a command for the same registry, to paste; `words` are those after `libretto` */
  readonly commandLine: (words: string) => string;
  /** addresses of this machine that other machines reach, IPv4 first */
  readonly networkAddresses: () => readonly string[];
  readonly now: () => Date;
  readonly randomBytes: (count: number) => Uint8Array;
  /**
   * the actor in the audit log: `cli:<user of the operating system>`. In a process that the server started: the person
   * who asked for it.
   */
  readonly actor: `${'cli' | 'user' | 'token' | 'system'}:${string}`;
  /** Gets, before the command runs, the options that advised commands repeat. */
  readonly onCommand: (registryOptions: OptionsOf) => void;
  /** Calls back on every such signal, in place of its default action, until the returned function is called. */
  readonly onSignal: (signal: NodeJS.Signals, callback: () => void) => () => void;
  /** Calls back after an uncaught error was reported. The process then has a few seconds until it ends with 1. */
  readonly onCrash: (callback: (error: unknown) => void) => void;
  /** Calls back when the other end of standard input closes. Keeps the process alive until then. */
  readonly onInputEnd: (callback: () => void) => void;
  /** Ends the process immediately, without waiting for running work. */
  readonly exitNow: (code: number) => never;
}
