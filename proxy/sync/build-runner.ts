// The port to the builder, which runs in a process of its own (decision 18): a build can neither block nor crash the server.

import type { JsonObject } from '../../build/contract/json.ts';

export interface BuildRun {
  readonly exitCode: number;
  /** what the command printed as JSON; undefined where it ended before it could */
  readonly report: JsonObject | undefined;
  /** the end of what it said for people, without secrets */
  readonly messages: string;
}

export interface BuildRunner {
  /** `args`: a command of the command line, without --data and --json, which are added. `signal` ends it. Never rejects for what the command did. */
  readonly run: (args: readonly string[], signal?: AbortSignal) => Promise<BuildRun>;
}
