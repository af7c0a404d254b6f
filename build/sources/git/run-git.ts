// One git command from start to end, with a wall-clock limit on the whole process group. For everything but object reading.

import { execa } from 'execa';
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
/** of its complaints, the last ones */
const maxComplaintBytes = 16 * 1024;

/** Runs `git …` and gives its exit code and standard output. Throws GitFailure. */
export async function runGit(command: GitCommand): Promise<{ readonly exitCode: number; readonly output: Buffer }> {
  const [program, operands] = command.memoryBytes === undefined ? (['git', [...safeOptions, ...command.operands]] as const) : limitedGit(command.memoryBytes, command.operands);
  const child = execa(program, operands, { env: command.environment, extendEnv: false, cwd: '/', stdin: 'ignore', detached: true, reject: false, encoding: 'buffer', buffer: { stdout: true, stderr: false }, maxBuffer: maxOutputBytes, stripFinalNewline: false });
  let complaint = '';
  let stopped: string | undefined;
  const stop = (reason: string): void => {
    stopped ??= reason;
    killGroup(child);
  };
  const timer = setTimeout(() => stop(`git took longer than ${Math.round(command.timeoutMs / 1000)} s and was stopped.`), command.timeoutMs);
  const watching = startWatch(command.watch, stop);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-maxComplaintBytes);
  });
  try {
    const result = await child;
    // execa has ended the process that said too much; what it started ends with the pipes between them
    if (result.isMaxBuffer) throw new GitFailure('git sent more than could be a list of refs.');
    if (stopped !== undefined) throw new GitFailure(stopped);
    const { exitCode } = result;
    if (exitCode === undefined && result.cause !== undefined && result.signal === undefined) throw startFailure(result.cause);
    if (exitCode === notFoundCode && command.memoryBytes !== undefined) throw gitNotFound();
    if (exitCode === undefined || !(command.accepted ?? [0]).includes(exitCode)) throw new GitFailure(explainGit(complaint));
    return { exitCode, output: Buffer.from(result.stdout) };
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
