// Runs one git command, with a time limit on its process group. object-reader.ts reads objects; all other commands run
// here.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { safeOptions } from './git-environment.ts';
import { GitFailure, GitStopped, explainGit, gitNotFound, startFailure } from '../git-failure.ts';

export interface GitCommand {
  readonly operands: readonly string[];
  readonly environment: Record<string, string>;
  readonly timeoutMs: number;
  /** the setting of `timeoutMs`, for the message */
  readonly timeoutSetting?: string;
  /** exit codes of success; default: 0 */
  readonly accepted?: readonly number[];
  /** git fails above this amount of memory */
  readonly memoryBytes?: number;
  /** aborts git and all its child processes */
  readonly stop?: AbortSignal | undefined;
  /** a build runs the command for hundreds of repositories; execa needs three times as long to start one */
  readonly frequent?: boolean;
  /** `mustStop` is called at this interval; true stops git */
  readonly watch?: { readonly everyMs: number; readonly mustStop: () => Promise<boolean> };
}

/** No list of refs is longer. A remote that sends more is stopped. */
const maxOutputBytes = 64 * 1024 * 1024;
/** the last part of standard error */
const maxComplaintBytes = 16 * 1024;

const stoppedWithBuild = 'git was stopped, since the build was.';

export interface GitResult {
  readonly exitCode: number;
  readonly output: Buffer;
  /** the end of standard error */
  readonly complaint: string;
}

/** Runs `git …`. Throws GitFailure. */
export async function runGit(command: GitCommand): Promise<GitResult> {
  if (command.stop?.aborted === true) throw new GitStopped(stoppedWithBuild);
  const { child, ended } = await start(command);
  let stopped: string | undefined;
  const stop = (reason: string): void => {
    if (stopped !== undefined) return;
    stopped = reason;
    killGroup(child);
  };
  const limits = startLimits(command, stop);
  const collected = collectOutput(child, stop);
  try {
    const end = await ended;
    if (stopped !== undefined) throw new GitStopped(stopped);
    const complaint = collected.complaint();
    return { exitCode: checkedExitCode(end, command, complaint), output: collected.output(), complaint };
  } finally {
    limits.end();
  }
}

function start({ operands, memoryBytes, frequent, environment }: GitCommand): Promise<Started> {
  const [program, all] =
    memoryBytes === undefined ? (['git', [...safeOptions, ...operands]] as const) : limitedGit(memoryBytes, operands);
  return (frequent === true ? startFrequent : startWithExeca)(program, all, environment);
}

/** Stops git at the time limit, with the build, or when `watch` requires it. */
function startLimits(
  { timeoutMs, timeoutSetting, stop: signal, watch }: GitCommand,
  stop: (reason: string) => void,
): { readonly end: () => void } {
  const advice = timeoutSetting === undefined ? '' : ` If it is only slow, give it more with ${timeoutSetting}.`;
  const timer = setTimeout(
    () => stop(`git took longer than ${Math.round(timeoutMs / 1000)} s and was stopped.${advice}`),
    timeoutMs,
  );
  const onAbort = (): void => stop(stoppedWithBuild);
  signal?.addEventListener('abort', onAbort, { once: true });
  const watching = startWatch(watch, stop);
  return {
    end: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      watching.end();
    },
  };
}

function collectOutput(
  { stdout, stderr }: Started['child'],
  stop: (reason: string) => void,
): { readonly output: () => Buffer; readonly complaint: () => string } {
  const output: Buffer[] = [];
  let outputBytes = 0;
  let complaint = '';
  stdout?.on('data', (chunk: Buffer) => {
    outputBytes += chunk.length;
    if (outputBytes > maxOutputBytes) stop('git sent more than could be a list of refs.');
    else output.push(chunk);
  });
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-maxComplaintBytes);
  });
  return { output: () => Buffer.concat(output), complaint: () => complaint };
}

function checkedExitCode(
  { exitCode, unstarted }: Awaited<Started['ended']>,
  { memoryBytes, accepted = [0] }: GitCommand,
  complaint: string,
): number {
  if (unstarted !== undefined) throw startFailure(unstarted);
  if (exitCode === notFoundCode && memoryBytes !== undefined) throw gitNotFound();
  if (exitCode === undefined || !accepted.includes(exitCode)) throw new GitFailure(explainGit(complaint));
  return exitCode;
}

interface Started {
  /** has no streams at the limit of open files */
  readonly child: {
    readonly pid?: number | undefined;
    readonly once: (event: 'close', listener: () => void) => unknown;
    readonly stdout: Readable | undefined;
    readonly stderr: Readable | undefined;
  };
  /** `exitCode` is undefined after a signal; `unstarted` is the error of a failed start. Never rejects. */
  readonly ended: Promise<{ readonly exitCode: number | undefined; readonly unstarted?: unknown }>;
}

async function startWithExeca(
  program: string,
  operands: readonly string[],
  env: Record<string, string>,
): Promise<Started> {
  const { execa } = await import('execa');
  const child = execa(program, operands, {
    env,
    extendEnv: false,
    cwd: '/',
    stdin: 'ignore',
    detached: true,
    reject: false,
    encoding: 'buffer',
    buffer: false,
  });
  return {
    child,
    ended: child.then(({ exitCode, cause, signal }) => ({
      exitCode,
      ...(exitCode === undefined && signal === undefined ? { unstarted: cause } : {}),
    })),
  };
}

async function startFrequent(
  program: string,
  operands: readonly string[],
  env: Record<string, string>,
): Promise<Started> {
  const child = spawn(program, operands, { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = once(child, 'close').then(
    ([exitCode]: (number | null)[]) => ({ exitCode: exitCode ?? undefined }),
    (unstarted: unknown) => ({ exitCode: undefined, unstarted }),
  );
  return { child, ended };
}

/** Runs one check at a time. */
function startWatch(watch: GitCommand['watch'], stop: (reason: string) => void): { readonly end: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const lookLater = (): void => {
    if (watch === undefined || ended) return;
    timer = setTimeout(() => {
      watch.mustStop().then(
        (mustStop) => (mustStop ? stop('git was stopped.') : lookLater()),
        (error: unknown) => stop(`git was stopped: ${error instanceof Error ? error.message : String(error)}`),
      );
    }, watch.everyMs);
  };
  lookLater();
  return {
    end: () => {
      ended = true;
      clearTimeout(timer);
    },
  };
}

/** Writable memory of a git process, and of each one it starts. Linux heeds it; elsewhere the time limit has to do. */
export const listingBytes = 1024 ** 3;
export const fetchingBytes = 2 * 1024 ** 3;
/** a file of the largest size, and its converted form */
export const archivingBytes = 4 * 1024 ** 3;

/**
 * The command to spawn for `git …`, for operations in which a remote server decides how much data git receives. An
 * endless list of refs would otherwise fill the memory of the machine in less than a minute, long before any time limit.
 * The kernel enforces the limit: a shell sets it and then becomes git. Without git, the command ends with code 127.
 */
export function limitedGit(
  memoryBytes: number,
  operands: readonly string[],
): readonly [command: string, operands: string[]] {
  const script = 'ulimit -d "$1" 2>/dev/null; shift; exec git "$@"';
  return ['/bin/sh', ['-c', script, 'sh', String(Math.floor(memoryBytes / 1024)), ...safeOptions, ...operands]];
}

export const notFoundCode = 127;

const graceMs = 2000;

/** The common part of the child types of node:child_process and execa. */
interface Child {
  readonly pid?: number | undefined;
  readonly once: (event: 'close', listener: () => void) => unknown;
}

/**
 * Ends a child that was spawned `detached`, with all its descendants (ssh, index-pack, a remote helper): SIGTERM to the group, so that git removes its lock files; two seconds later SIGKILL to the rest.
 */
export function killGroup(child: Child): void {
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
  child.once('close', () => clearTimeout(timer));
}

function signalGroup(child: Child, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH: the whole group has ended already
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
