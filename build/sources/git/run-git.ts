// One git command from start to end, with a wall-clock limit on the whole process group. For everything but object
// reading.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

import { safeOptions } from './git-environment.ts';
import { GitFailure, GitStopped, explainGit, gitNotFound, startFailure } from '../git-failure.ts';
import { killGroup } from './kill-group.ts';
import { limitedGit, notFoundCode } from './limited-git.ts';

export interface GitCommand {
  readonly operands: readonly string[];
  readonly environment: Record<string, string>;
  readonly timeoutMs: number;
  /** the setting that says how long, for the message */
  readonly timeoutSetting?: string;
  /** exit codes that are no failure; default only 0 */
  readonly accepted?: readonly number[];
  /** more memory than this, and git fails (limited-git.ts) */
  readonly memoryBytes?: number;
  /** once it is aborted, git is stopped with all that it started */
  readonly stop?: AbortSignal | undefined;
  /**
   * a build asks this of hundreds of repositories: started without execa, which takes three times as long for one that
   * has nothing to do
   */
  readonly frequent?: boolean;
  /** asked every so often; true: git is stopped */
  readonly watch?: { readonly everyMs: number; readonly mustStop: () => Promise<boolean> };
}

/** More than any list of refs needs; a far side that sends more is cut off. */
const maxOutputBytes = 64 * 1024 * 1024;
/** of its complaints, the last ones */
const maxComplaintBytes = 16 * 1024;

const stoppedWithBuild = 'git was stopped, since the build was.';

/** Runs `git …` and gives its exit code and standard output. Throws GitFailure. */
export async function runGit(command: GitCommand): Promise<{ readonly exitCode: number; readonly output: Buffer }> {
  if (command.stop?.aborted === true) throw new GitStopped(stoppedWithBuild);
  const [program, operands] =
    command.memoryBytes === undefined
      ? (['git', [...safeOptions, ...command.operands]] as const)
      : limitedGit(command.memoryBytes, command.operands);
  const { child, ended } = await (command.frequent === true ? startFrequent : startWithExeca)(
    program,
    operands,
    command.environment,
  );
  const output: Buffer[] = [];
  let outputBytes = 0;
  let complaint = '';
  let stopped: string | undefined;
  const stop = (reason: string): void => {
    if (stopped !== undefined) return;
    stopped = reason;
    killGroup(child);
  };
  const timer = setTimeout(
    () =>
      stop(
        `git took longer than ${Math.round(command.timeoutMs / 1000)} s and was ` +
          `stopped.${command.timeoutSetting === undefined ? '' : ` If it is only slow, give it more with ${command.timeoutSetting}.`}`,
      ),
    command.timeoutMs,
  );
  const onAbort = (): void => stop(stoppedWithBuild);
  command.stop?.addEventListener('abort', onAbort, { once: true });
  const watching = startWatch(command.watch, stop);
  child.stdout?.on('data', (chunk: Buffer) => {
    outputBytes += chunk.length;
    if (outputBytes > maxOutputBytes) stop('git sent more than could be a list of refs.');
    else output.push(chunk);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-maxComplaintBytes);
  });
  try {
    const { exitCode, unstarted } = await ended;
    if (stopped !== undefined) throw new GitStopped(stopped);
    if (unstarted !== undefined) throw startFailure(unstarted);
    if (exitCode === notFoundCode && command.memoryBytes !== undefined) throw gitNotFound();
    if (exitCode === undefined || !(command.accepted ?? [0]).includes(exitCode))
      throw new GitFailure(explainGit(complaint));
    return { exitCode, output: Buffer.concat(output) };
  } finally {
    clearTimeout(timer);
    command.stop?.removeEventListener('abort', onAbort);
    watching.end();
  }
}

interface Started {
  /** without streams where there were no more file descriptors for them */
  readonly child: {
    readonly pid?: number | undefined;
    readonly once: (event: 'close', listener: () => void) => unknown;
    readonly stdout: Readable | undefined;
    readonly stderr: Readable | undefined;
  };
  /** `exitCode` is undefined after a signal; `unstarted` says why there was no process at all. Never rejects. */
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

/** One look at a time. */
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
