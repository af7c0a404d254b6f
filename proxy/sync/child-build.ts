// Runs a builder command in a separate process and process group, so that it ends together with all its descendants
// (git, ssh).

import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { BuildRun, BuildRunner } from './build-runner.ts';

export interface ChildBuildOptions {
  /** the program before its commands: `[node, main.js]` */
  readonly program: readonly [string, ...string[]];
  /** the command's whole environment */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** flags behind every command: the data folder and the configuration file */
  readonly flags: readonly string[];
  /** the time between the request to end and the kill; default 8 s, which is more than a build needs to end in order */
  readonly graceMs?: number;
}

/** the limit of the report; a build of many thousands of versions stays far below */
const mostReportBytes = 64 * 1024 * 1024;
const mostMessageCharacters = 16 * 1024;

export function createChildBuild(options: ChildBuildOptions): BuildRunner {
  return { run: (args, signal) => run(options, args, signal) };
}

async function run(
  { program: [command, ...leading], environment, workingDirectory, flags, graceMs = 8000 }: ChildBuildOptions,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<BuildRun> {
  const { execa } = await import('execa'); // a server that starts no build does not load its 190 KB
  if (signal?.aborted === true)
    return {
      exitCode: -1,
      report: undefined,
      messages: 'It was not started: the server is stopping, or its client has disconnected.',
    };
  const child = execa(command, [...leading, ...args, ...flags, '--json'], {
    cwd: workingDirectory,
    env: { ...environment },
    extendEnv: false,
    detached: true,
    reject: false,
    stdin: 'pipe', // never written: its end informs the command of the end of this process
    buffer: { stdout: true, stderr: false },
    maxBuffer: mostReportBytes,
  });
  let messages = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    messages = (messages + text).slice(-mostMessageCharacters);
  });
  const unwatch = killOn(child, signal, graceMs);
  try {
    const { exitCode, stdout, cause } = await child;
    if (exitCode === undefined && child.pid === undefined)
      messages = `The builder could not be started: ${cause instanceof Error ? cause.message : 'no reason was given'}`;
    return { exitCode: exitCode ?? -1, report: parseReport(stdout), messages: scrub(messages) };
  } finally {
    unwatch();
    signalGroup(child, 'SIGKILL'); // ends remaining descendants
  }
}

interface Child {
  readonly pid?: number | undefined;
}

/** SIGTERM to the group when `signal` fires; SIGKILL to the rest a while later. */
function killOn(child: Child, signal: AbortSignal | undefined, graceMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    signalGroup(child, 'SIGTERM');
    timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
  };
  signal?.addEventListener('abort', stop, { once: true });
  return () => {
    signal?.removeEventListener('abort', stop);
    clearTimeout(timer);
  };
}

function signalGroup({ pid }: Child, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: the whole group has ended; EPERM: another user's process has the id by now
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error;
  }
}

function parseReport(stdout: unknown): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(String(stdout));
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined; // the process ended without output, or exceeded the output limit
  }
}

/** Cleans messages of other programs: no user part or query in URLs, and no control characters except line ends. */
export function scrub(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex -- control characters are exactly what is taken out
      .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f]+/g, ' ')
      .replaceAll(/(:\/\/)[^/\s]*@/g, '$1')
      .replaceAll(/(:\/\/[^\s?'"]*\?)[^\s'"]*/g, '$1***')
      .trim()
  );
}
