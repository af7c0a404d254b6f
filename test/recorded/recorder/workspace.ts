// A folder in which the compiled program runs independently of this machine: fixed clock, random bytes, user, host and
// ports (process/fixed-process.mjs). Commands run in one process (../util/command-worker.mjs), servers in a process
// each. The folder imports no source file, so that no renaming changes it.

import { fork, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const at = (path: string): string => new URL(`../${path}`, import.meta.url).pathname;
const program = at('../../lib/cli/main.js');
const preload = at('process/fixed-process.mjs');

/** A path of the same length on any machine, because `Content-Length` is recorded. */
const rootLength = 64;
/**
 * Earlier than the date of any file that a run writes, so that the program always treats a file's age alike. Recordings
 * last days of this clock, never months.
 */
const clockStart = Date.UTC(2024, 1, 3, 4, 5, 6);

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface StartOptions {
  /** the text at the end of its standard error */
  readonly says?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Workspace extends AsyncDisposable {
  readonly root: string;
  readonly at: (...parts: readonly string[]) => string;
  /** Moves the clock of every process. */
  readonly pass: (seconds: number) => void;
  readonly nowMs: () => number;
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Outcome>;
  /** Runs a command that must succeed, and returns its --json output. One second passes. */
  readonly json: <Document>(...args: readonly string[]) => Promise<Document>;
  /** Starts a command that keeps running, such as `serve`, and resolves once it has printed its start messages. */
  readonly start: (args: readonly string[], options?: StartOptions) => Promise<Running>;
  /** The real address of a virtual port. */
  readonly portOf: (port: number) => number;
  /** Puts a server of the test on this virtual port. */
  readonly offerPort: (port: number, real: number) => void;
}

export interface Running {
  /** its standard error so far */
  readonly said: () => string;
  /** sends SIGTERM, and returns its whole output */
  readonly stop: () => Promise<Outcome>;
  /** its whole output, once it ends by itself */
  readonly ended: Promise<Outcome>;
}

/** `passwords`: the cost of their hashes; `real` where a stored hash is recorded, or comes from elsewhere. */
export function openWorkspace(passwords: 'cheap' | 'real' = 'cheap'): Workspace {
  const base = join(realpathSync(tmpdir()), 'recorded-');
  const root = `${base}${randomBytes(rootLength).toString('hex')}`.slice(0, rootLength);
  if (base.length > rootLength - 12)
    throw new Error(`The temporary folder ${tmpdir()} has too long a path; set TMPDIR to a shorter one.`);
  for (const folder of ['', 'bin', 'ports', 'tmp', 'work']) mkdirSync(join(root, folder), { recursive: true });
  // `libretto doctor` asks Composer for its version
  writeFileSync(join(root, 'bin', 'composer'), '#!/bin/sh\necho "Composer version 2.8.1 2026-01-01 00:00:00"\n', {
    mode: 0o755,
  });
  // messages name the program as installed
  writeFileSync(join(root, 'bin', 'libretto'), `#!/bin/sh\nexec node ${program} "$@"\n`, { mode: 0o755 });
  const clock = join(root, 'clock');
  let nowMs = clockStart;
  const setClock = (): void => {
    writeFileSync(`${clock}.new`, String(nowMs));
    renameSync(`${clock}.new`, clock);
  };
  setClock();
  const environment = {
    PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? '/usr/bin:/bin'}`,
    HOME: '/nonexistent',
    TMPDIR: join(root, 'tmp'),
    TZ: process.env['TZ'] ?? 'UTC',
    LC_ALL: process.env['LC_ALL'] ?? 'C',
    RECORDED_ROOT: root,
    RECORDED_CLOCK: clock,
    RECORDED_PORTS: join(root, 'ports'),
    NODE_OPTIONS: [preload, ...(passwords === 'cheap' ? [at('../util/cheap-passwords.mjs')] : [])]
      .map((path) => `--import=${path}`)
      .join(' '),
  };
  const cwd = join(root, 'work');
  const portOf = (port: number): number => Number(readFileSync(join(root, 'ports', String(port)), 'utf8'));
  const driver = openDriver(environment);
  const pass = (seconds: number): void => {
    nowMs += seconds * 1000;
    setClock();
  };
  return {
    root,
    at: (...parts) => join(cwd, ...parts),
    pass,
    nowMs: () => nowMs,
    run: async (args, { input, environment: own = {} } = {}) => driver.run({ args, cwd, input, environment: own }),
    json: async <Document>(...args: readonly string[]) => {
      pass(1);
      const { exitCode, stdout, stderr } = await driver.run({
        args: [...args, '--json'],
        cwd,
        input: undefined,
        environment: {},
      });
      if (exitCode !== 0) throw new Error(`libretto ${args.join(' ')} ended with ${exitCode}: ${stderr}`);
      return JSON.parse(stdout) as Document;
    },
    start: async (args, { says = 'Serving ', environment: own = {} } = {}) => {
      const child = spawn(process.execPath, [program, ...args], {
        cwd,
        env: { ...environment, ...own },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const output = collectOutput(child);
      const ended = once(child, 'close').then(([exitCode]) => ({ exitCode: Number(exitCode ?? -1), ...output() }));
      while (!output().stderr.includes(says)) {
        if (child.exitCode !== null)
          throw new Error(`${args.join(' ')} ended before it said "${says}": ${output().stderr}`);
        await sleep(5);
      }
      return {
        said: () => output().stderr,
        stop: () => {
          child.kill('SIGTERM');
          return ended;
        },
        ended,
      };
    },
    portOf,
    offerPort: (port, real) => writeFileSync(join(root, 'ports', String(port)), String(real)),
    [Symbol.asyncDispose]: async () => {
      await driver.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function collectOutput(child: ChildProcess): () => { readonly stdout: string; readonly stderr: string } {
  const parts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (part: Buffer) => parts[name].push(part));
  return () => ({ stdout: Buffer.concat(parts.stdout).toString(), stderr: Buffer.concat(parts.stderr).toString() });
}

interface Driver {
  readonly run: (message: {
    readonly args: readonly string[];
    readonly cwd: string;
    readonly input: string | undefined;
    readonly environment: object;
  }) => Promise<Outcome>;
  readonly close: () => Promise<void>;
}

/** The first command starts it. */
function openDriver(environment: NodeJS.ProcessEnv): Driver {
  let child: ChildProcess | undefined;
  return {
    run: async (message) => {
      child ??= fork(at('../util/command-worker.mjs'), [program], {
        env: environment,
        // with less garbage collection, as in the processes of vitest.config.ts
        execArgv: ['--initial-old-space-size=256'],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const answered = once(child, 'message');
      child.send({ ...message, script: '/usr/bin/libretto' });
      const [outcome] = (await answered) as [Outcome | { readonly failure: string }];
      if ('failure' in outcome) throw new Error(`libretto ${message.args.join(' ')}: ${outcome.failure}`);
      return outcome;
    },
    close: async () => {
      if (child === undefined) return;
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}
