// Runs the compiled `libretto` as a user would, in an environment without the tester's own settings. A command or a
// server shares a process with others; OWN_PROCESSES=1 gives each its own.

import { execa } from 'execa';

import { demandCompiled } from '../setup/compiled.ts';
import {
  cheapPasswords,
  runInPooledProcess,
  startInPooledProcess,
  type Command,
  type StartedCommand,
} from './command-pool.ts';
import { assertNoSecrets } from './leaks.ts';

export const binary = new URL('../../lib/cli/main.js', import.meta.url).pathname;

export interface CliOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd: string;
  /** true: `stderr` keeps the line that names the data folder, which almost every command prints first */
  readonly heading?: boolean;
  /** added to PATH and a HOME that does not exist */
  readonly environment?: Readonly<Record<string, string>>;
  /** a command that runs the program given by its last arguments, such as `nice` */
  readonly through?: readonly string[];
  /** whether it runs as a user without any right in the folders of the tests */
  readonly asOther?: boolean;
  /** whether it runs in a process of its own, instead of a shared one */
  readonly alone?: boolean;
  /** true: with `alone`, where a stored hash of a password comes from elsewhere */
  readonly realPasswords?: boolean;
  /** the command's standard input; default: empty */
  readonly input?: string;
}

/** A PATH without `libretto`, as in a clone that nobody installed. */
export const pathWithoutLibretto = process.env['PATH'] ?? '/usr/bin:/bin';

export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const installed = new URL('../setup/bin', import.meta.url).pathname;
  return { PATH: `${installed}:${pathWithoutLibretto}`, HOME: '/proc/nonexistent', ...more };
}

/** Only root may act as another user; everyone else is denied by the mode of a folder. */
const nobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];

const timeoutMs = 150_000;
const allAlone = process.env['OWN_PROCESSES'] === '1';
const preloadOf = ({ realPasswords = false }: CliOptions): readonly string[] => (realPasswords ? [] : cheapPasswords);

/** Variables that Node and the libraries read at their start. */
const readAtStart = /^(?:NODE_|LD_|UV_|SSL_|LC_|TERM|(?:TZ|CI|LANG|NO_COLOR|FORCE_COLOR)$)/;

/** undefined: it needs a process of its own. */
function pooled(
  args: readonly string[],
  { cwd, environment = {}, alone = allAlone, input = '', asOther = false, through }: CliOptions,
): Command | undefined {
  demandCompiled();
  // a server with workers forks its own program
  const isAlone = alone || through !== undefined || args.includes('--workers');
  if (isAlone || Object.keys(environment).some((name) => readAtStart.test(name))) return;
  const common = cleanEnvironment();
  return { program: binary, args, cwd, common, environment, input, through: asOther ? nobody : [] };
}

/** The line that names the data folder, or the remote registry. */
export const heading = /^(?:(?:New d|D)ata folder|Registry): .*(?:\n|$)/m;

/** A command that makes the folder names it at its end. */
const withoutHeading = (stderr: string): string => stderr.replace(heading, '').replace(/\n$/, '');

/**
 * Never throws for an exit code; -1 when a signal ended it. `stderr` is without the line that names the data folder,
 * unless `heading` is asked for. Throws for a JSON document without a matching schema.
 */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliOutcome> {
  const outcome = await runUnchecked(args, options);
  if (args.includes('--json') && outcome.stdout !== '') {
    const { assertDescribed } = await import('../../release/documents/command-schemas.ts');
    assertDescribed(args, JSON.parse(outcome.stdout));
  }
  return options.heading === true ? outcome : { ...outcome, stderr: withoutHeading(outcome.stderr) };
}

async function runUnchecked(args: readonly string[], options: CliOptions): Promise<CliOutcome> {
  const command = pooled(args, options);
  if (command !== undefined) return runInPooledProcess(command, timeoutMs);
  const { cwd, environment, input = '', asOther = false } = options;
  const through = [...(asOther ? nobody : []), ...(options.through ?? [])];
  const [program, ...all] = [...through, process.execPath, ...preloadOf(options), binary, ...args] as [
    string,
    ...string[],
  ];
  const { exitCode, stdout, stderr } = await execa(program, all, {
    cwd,
    env: cleanEnvironment(environment),
    extendEnv: false,
    reject: false,
    ...(input === '' ? { stdin: 'ignore' } : { input }),
    timeout: timeoutMs,
  });
  return { exitCode: exitCode ?? -1, stdout, stderr };
}

/** Runs a command with its standard output to a file, which must exist. */
export async function runCliInto(
  path: string,
  args: readonly string[],
  { cwd, environment = {} }: CliOptions,
): Promise<CliOutcome> {
  demandCompiled();
  const options = {
    cwd,
    env: cleanEnvironment(environment),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: timeoutMs,
  } as const;
  const { exitCode, stderr } = await execa('sh', ['-c', 'exec "$0" "$@" > "$OUT"', process.execPath, binary, ...args], {
    ...options,
    env: { ...options.env, OUT: path },
  });
  return { exitCode: exitCode ?? -1, stdout: '', stderr: withoutHeading(stderr) };
}

export interface RunningCli {
  readonly pid: number;
  readonly output: () => { readonly stdout: string; readonly stderr: string };
  /** Resolves with the match once either stream contains it; rejects when the program ends before. */
  readonly shows: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<CliOutcome>;
}

/** The one secret that `serve` prints. */
const setupLine = /^ {2}(?:curl \S+\/api\/auth\/setup .*|\S+\/ui\/setup\?code=\w+)$/m;

/** The lines of a log without those of the audit log's head, which appear by time and not by request. */
export function logLines(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['audit_head'] === undefined);
}

/** Starts commands that keep running: `serve` and `start`. */
export function startCli(args: readonly string[], options: CliOptions): RunningCli {
  const output = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  const hear = (name: keyof typeof output, text: string): void => {
    output[name] += text;
    for (const listener of listeners) listener();
  };
  const command = pooled(args, options);
  const started = command === undefined ? startAlone(args, options, hear) : startInPooledProcess(command, hear);
  const ended = started.ended.then((exitCode) => {
    if (args[0] === 'serve')
      assertNoSecrets(Object.values(output).join('\n').replace(setupLine, ''), 'what serve said');
    return { exitCode, ...output };
  });
  return {
    pid: started.pid,
    output: () => ({ ...output }),
    signal: started.signal,
    ended,
    shows: (pattern) => untilShown(pattern, output, listeners, ended),
  };
}

function startAlone(
  args: readonly string[],
  options: CliOptions,
  hear: (name: 'stdout' | 'stderr', text: string) => void,
): StartedCommand {
  const { cwd, environment = {}, through = [] } = options;
  const [program, ...all] = [...through, process.execPath, ...preloadOf(options), binary, ...args] as [
    string,
    ...string[],
  ];
  const child = execa(program, all, {
    cwd,
    env: cleanEnvironment(environment),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    buffer: false,
    // a server on a busy machine needs longer than five seconds to end
    forceKillAfterDelay: false,
  });
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => hear(name, text));
  return {
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    ended: child.then(({ exitCode }) => exitCode ?? -1),
  };
}

/**
 * Starts a server, and waits for its address. Starts it again after exit code 75, as a service manager does: on a busy
 * machine a Redis may not answer in time.
 */
export async function startServing(
  args: readonly string[],
  options: CliOptions,
): Promise<{ readonly server: RunningCli; readonly url: string }> {
  for (let tries = 1; ; tries += 1) {
    const server = startCli(args, options);
    try {
      const [url] = await server.shows(/https?:\/\/127\.0\.0\.1:\d+/);
      return { server, url };
    } catch (error) {
      if ((await server.ended).exitCode !== 75 || tries === 10) throw error;
    }
  }
}

/** `listeners`: called for each new output. */
function untilShown(
  pattern: RegExp,
  output: Pick<CliOutcome, 'stdout' | 'stderr'>,
  listeners: Set<() => void>,
  ended: Promise<CliOutcome>,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const found = pattern.exec(output.stderr) ?? pattern.exec(output.stdout);
      if (found === null) return;
      listeners.delete(look);
      resolve(found);
    };
    listeners.add(look);
    look();
    void ended.then(({ exitCode, stdout, stderr }) =>
      reject(new Error(`it ended with ${exitCode} before it showed ${String(pattern)}:\n${stderr}${stdout}`)),
    );
  });
}
