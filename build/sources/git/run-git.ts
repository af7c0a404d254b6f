// One git command from start to end, with a wall-clock limit on the whole process group. For everything but object reading.

import { spawn } from 'node:child_process';

import { safeOptions } from './git-environment.ts';
import { GitFailure, explainGit, startFailure } from './git-failure.ts';
import { killGroup } from './kill-group.ts';

export interface GitCommand {
  readonly operands: readonly string[];
  readonly environment: Record<string, string>;
  readonly timeoutMs: number;
  /** exit codes that are no failure; default only 0 */
  readonly accepted?: readonly number[];
}

/** More than any list of refs needs; a far side that sends more is cut off. */
const maxOutputBytes = 64 * 1024 * 1024;

/** Runs `git …` and gives its exit code and standard output. Throws GitFailure. */
export async function runGit(command: GitCommand): Promise<{ readonly exitCode: number; readonly output: Buffer }> {
  const child = spawn('git', [...safeOptions, ...command.operands], { env: command.environment, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const output: Buffer[] = [];
  let bytes = 0;
  let complaint = '';
  let stopped: string | undefined;
  const stop = (reason: string): void => {
    stopped ??= reason;
    killGroup(child);
  };
  const timer = setTimeout(() => stop(`git took longer than ${Math.round(command.timeoutMs / 1000)} s and was stopped.`), command.timeoutMs);
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
    if (!(command.accepted ?? [0]).includes(exitCode)) throw new GitFailure(explainGit(complaint));
    return { exitCode, output: Buffer.concat(output) };
  } finally {
    clearTimeout(timer);
  }
}
