// One git command from start to end, with a wall-clock limit on the whole process group. For everything but object reading.

import { spawn } from 'node:child_process';

import { safeOptions } from './git-environment.ts';
import { GitFailure, explainGit, gitNotFound, startFailure } from './git-failure.ts';
import { killGroup } from './kill-group.ts';
import { limitedGit, notFoundCode } from './limited-git.ts';

export interface GitCommand {
  readonly operands: readonly string[];
  readonly environment: Record<string, string>;
  readonly timeoutMs: number;
  /** exit codes that are no failure; default only 0 */
  readonly accepted?: readonly number[];
  /** more memory than this, and git fails (limited-git.ts) */
  readonly memoryBytes?: number;
  /** asked every so often; true: git is stopped */
  readonly watch?: { readonly everyMs: number; readonly mustStop: () => Promise<boolean> };
}

/** More than any list of refs needs; a far side that sends more is cut off. */
const maxOutputBytes = 64 * 1024 * 1024;

/** Runs `git …` and gives its exit code and standard output. Throws GitFailure. */
export async function runGit(command: GitCommand): Promise<{ readonly exitCode: number; readonly output: Buffer }> {
  const [program, operands] = command.memoryBytes === undefined ? (['git', [...safeOptions, ...command.operands]] as const) : limitedGit(command.memoryBytes, command.operands);
  const child = spawn(program, operands, { env: command.environment, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const output: Buffer[] = [];
  let bytes = 0;
  let complaint = '';
  let stopped: string | undefined;
  const stop = (reason: string): void => {
    stopped ??= reason;
    killGroup(child);
  };
  const timer = setTimeout(() => stop(`git took longer than ${Math.round(command.timeoutMs / 1000)} s and was stopped.`), command.timeoutMs);
  const watching = startWatch(command.watch, stop);
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxOutputBytes) stop('git sent more than could be a list of refs.');
    else output.push(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-16_384);
  });
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(startFailure(error)));
      child.once('close', (code) => resolve(code ?? -1));
    });
    if (stopped !== undefined) throw new GitFailure(stopped);
    if (exitCode === notFoundCode && command.memoryBytes !== undefined) throw gitNotFound();
    if (!(command.accepted ?? [0]).includes(exitCode)) throw new GitFailure(explainGit(complaint));
    return { exitCode, output: Buffer.concat(output) };
  } finally {
    clearTimeout(timer);
    watching.end();
  }
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
