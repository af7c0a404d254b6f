// Runs commands of the compiled program in shared processes (command-worker.mjs), because a process for each command
// would take most of the time of these tests. Simultaneous commands have a process each.

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { CliOutcome } from './run-cli.ts';

const driver = new URL('command-worker.mjs', import.meta.url).pathname;
/** by the program that starts each process */
const idle = new Map<string, ChildProcess[]>();

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** the variables of every command in this process */
  readonly common: Readonly<Record<string, string>>;
  /** LIBRETTO_* variables */
  readonly environment: Readonly<Record<string, string>>;
  /** the content of standard input */
  readonly input: string;
  /** a program that runs the process, such as `setpriv`, with its arguments */
  readonly through: readonly string[];
}

type Answer = (CliOutcome & { readonly reusable: boolean }) | { readonly failure: string };

/** Rejects where the command does not end in time, or its process ends without an answer. */
export async function runInPooledProcess(command: Command, timeoutMs: number): Promise<CliOutcome> {
  const waiting = idle.get(command.through.join(' ')) ?? [];
  idle.set(command.through.join(' '), waiting);
  const child = waiting.pop() ?? start(command);
  child.ref();
  child.channel?.ref();
  const answer = await answerOf(child, command, timeoutMs);
  if ('failure' in answer) throw new Error(`libretto ${command.args.join(' ')}: ${answer.failure}`);
  const { reusable, exitCode, stdout, stderr } = answer;
  if (reusable) release(child, waiting);
  else child.kill('SIGKILL');
  return { exitCode, stdout: withoutLastBreak(stdout), stderr: withoutLastBreak(stderr) };
}

function start({ program, common, through }: Command): ChildProcess {
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
  // with less garbage collection, as in the processes of vitest.config.ts
  const [execPath = process.execPath, ...before] = through.length === 0 ? [] : [...through, process.execPath];
  const execArgv = [...before, '--initial-old-space-size=256'];
  return fork(driver, [program], { env: common, execPath, execArgv, stdio: [...stdio] });
}

async function answerOf(child: ChildProcess, command: Command, timeoutMs: number): Promise<Answer> {
  const over = new AbortController();
  const stop = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  try {
    const answered = once(child, 'message', over).then(([answer]) => answer as Answer);
    const ended = once(child, 'exit', over).then(([code, signal]) => ({
      failure: `the process ended with ${String(signal ?? code)}`,
    }));
    const { args, cwd, environment, input } = command;
    child.send({ args, cwd, environment, ...(input === '' ? {} : { input }) });
    return await Promise.race([answered, ended]);
  } finally {
    clearTimeout(stop);
    over.abort();
  }
}

/** The output in the form of execa. */
const withoutLastBreak = (text: string): string => text.replace(/\n$/, '');

/** An idle process does not keep the test's process alive, and ends with it. */
function release(child: ChildProcess, waiting: ChildProcess[]): void {
  child.unref();
  child.channel?.unref();
  waiting.push(child);
}
