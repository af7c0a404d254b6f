// Runs commands of the compiled program in shared processes (command-worker.mjs), because the start of Node and of the
// program takes longer than most commands, and most of the time of a server that a test starts. A process runs one
// command at a time; simultaneous commands and servers have a process each.

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { CliOutcome } from './run-cli.ts';

const driver = new URL('command-worker.mjs', import.meta.url).pathname;
/** Flags of node, also for a process of its own: servers and commands of a test check the same passwords. */
export const cheapPasswords: readonly string[] =
  process.env['SERIES'] === 'all' ? [] : [`--import=${new URL('cheap-passwords.mjs', import.meta.url).pathname}`];

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** the variables of every command in this process */
  readonly common: Readonly<Record<string, string>>;
  /** the variables of this command */
  readonly environment: Readonly<Record<string, string>>;
  /** the content of standard input */
  readonly input: string;
  /** a program that runs the process, such as `setpriv`, with its arguments */
  readonly through: readonly string[];
}

type StreamName = 'stdout' | 'stderr';
/** Receives what a process writes. */
type Listener = (stream: StreamName, text: string) => void;

interface PooledProcess {
  readonly child: ChildProcess;
  /** its place while it is idle */
  readonly idle: PooledProcess[];
  listener: Listener;
  /** resolves after its end, when all its output was read */
  readonly closed: Promise<unknown>;
}

type Answer =
  | (CliOutcome & { readonly reusable: boolean })
  | { readonly failure: string }
  /** the process ended; null: by a signal */
  | { readonly exit: number | null; readonly signal: string | null };

/** Idle processes, by the program that starts each. */
const pools = new Map<string, PooledProcess[]>();

/** Rejects where the command does not end in time, or its process ends without an answer. */
export async function runInPooledProcess(command: Command, timeoutMs: number): Promise<CliOutcome> {
  const worker = take(command);
  const stop = setTimeout(() => worker.child.kill('SIGKILL'), timeoutMs);
  const answer = await answerOf(worker.child, command, 'collected').finally(() => clearTimeout(stop));
  const name = `libretto ${command.args.join(' ')}`;
  if ('exit' in answer) throw new Error(`${name}: the process ended with ${String(answer.signal ?? answer.exit)}`);
  if ('failure' in answer) throw new Error(`${name}: ${answer.failure}`);
  release(worker, answer.reusable);
  const { exitCode, stdout, stderr } = answer;
  return { exitCode, stdout: withoutLastBreak(stdout), stderr: withoutLastBreak(stderr) };
}

export interface StartedCommand {
  readonly pid: number;
  /** Has no effect after the end. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** the exit code; -1 when a signal ended it */
  readonly ended: Promise<number>;
}

/** Starts a command that keeps running, such as `serve`. */
export function startInPooledProcess(command: Command, listener: Listener): StartedCommand {
  const worker = take(command);
  const { child } = worker;
  let isOver = false;
  const written = untilWritten(worker, listener);
  const end = async (): Promise<number> => {
    const answer = await answerOf(child, command, 'own');
    if ('exit' in answer) await worker.closed;
    else if (!('failure' in answer)) await written;
    isOver = true;
    if ('failure' in answer) throw new Error(`libretto ${command.args.join(' ')}: ${answer.failure}`);
    if ('exit' in answer) return answer.exit ?? -1;
    release(worker, answer.reusable);
    return answer.exitCode;
  };
  return { pid: child.pid ?? 0, signal: (signal) => void (isOver || child.kill(signal)), ended: end() };
}

/** The driver writes it to both streams after the command; it is no part of the output. */
const endMark = '\0ended\n';

/** Passes the output on; resolves after the mark on both streams. */
function untilWritten(worker: PooledProcess, listener: Listener): Promise<void> {
  const held = { stdout: '', stderr: '' };
  return new Promise((resolve) => {
    worker.listener = (stream, text) => {
      const all = held[stream] + text;
      const at = all.indexOf(endMark[0] ?? '');
      held[stream] = at === -1 ? '' : all.slice(at);
      const shown = at === -1 ? all : all.slice(0, at);
      if (shown !== '') listener(stream, shown);
      if (Object.values(held).every((rest) => rest === endMark)) resolve();
    };
  });
}

function take(command: Command): PooledProcess {
  const key = command.through.join(' ');
  const idle = pools.get(key) ?? [];
  pools.set(key, idle);
  const worker = idle.pop() ?? start(command, idle);
  holdOpen(worker, 'ref');
  return worker;
}

const nothing: Listener = (stream, text) => void (stream === 'stderr' && process.stderr.write(text));

function start({ program, common, through }: Command, idle: PooledProcess[]): PooledProcess {
  // with less garbage collection, as in the processes of vitest.config.ts
  const [execPath = process.execPath, ...before] = through.length === 0 ? [] : [...through, process.execPath];
  const execArgv = [...before, '--initial-old-space-size=256', ...cheapPasswords];
  const child = fork(driver, [program], { env: common, execPath, execArgv, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const worker: PooledProcess = { child, idle, listener: nothing, closed };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => worker.listener(name, text));
  child.once('exit', () => {
    if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
  });
  return worker;
}

/** `streams`: whether the answer contains the output, or the command writes to the streams of its process. */
async function answerOf(child: ChildProcess, command: Command, streams: 'collected' | 'own'): Promise<Answer> {
  const over = new AbortController();
  try {
    const answered = once(child, 'message', over).then(([answer]) => answer as Answer);
    const ended = once(child, 'exit', over).then(([exit, signal]) => ({ exit, signal }) as Answer);
    const { args, cwd, environment, input } = command;
    child.send({ args, cwd, environment, streams, ...(input === '' ? {} : { input }) });
    return await Promise.race([answered, ended]);
  } finally {
    over.abort();
  }
}

/** The output in the form of execa. */
const withoutLastBreak = (text: string): string => text.replace(/\n$/, '');

function release(worker: PooledProcess, reusable: boolean): void {
  worker.listener = nothing;
  holdOpen(worker, 'unref');
  if (reusable) worker.idle.push(worker);
  else worker.child.kill('SIGKILL');
}

/** An idle process does not keep the test's process alive, and ends with it. */
function holdOpen({ child }: PooledProcess, way: 'ref' | 'unref'): void {
  child[way]();
  child.channel?.[way]();
  for (const stream of [child.stdout, child.stderr])
    (stream as { ref?: () => void; unref?: () => void } | null)?.[way]?.();
}
