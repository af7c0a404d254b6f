// One `git cat-file --batch` child: takes object ids, one a line, and reports the objects in the same order. The owner
// (object-reader.ts) knows which request each answer belongs to.

import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';

import { BatchParser, type BatchHeader } from './batch-parser.ts';
import { safeOptions } from './git-environment.ts';
import { GitFailure, startFailure } from '../git-failure.ts';
import { killGroup } from './run-git.ts';

export interface BatchProcess {
  /** object ids, each with its line feed */
  readonly write: (lines: string) => void;
  /** Resolves after the end of the child. */
  readonly end: () => Promise<void>;
  /** Stops the child immediately. The owner gets no further events. */
  readonly abandon: () => void;
}

export interface BatchOwner {
  readonly wanted: (header: BatchHeader) => boolean;
  /** The next object. `bytes` is undefined for an unwanted object. */
  readonly object: (header: BatchHeader, bytes: Buffer | undefined) => void;
  /**
   * git has no such object; `reason` completes "it …". `complaint` gives the output of git on standard error at the
   * time of the call.
   */
  readonly absent: (reason: string, complaint: () => string) => void;
  /** The child ended by itself. `opened`: git could open the repository. */
  readonly ended: (opened: boolean, complaint: string) => void;
  /** The child cannot be used. */
  readonly failed: (failure: GitFailure) => void;
  /** true while a request has no answer */
  readonly waits: () => boolean;
}

export interface BatchOptions {
  readonly environment: Record<string, string>;
  /** the longest pause of git while a request has no answer */
  readonly timeoutMs: number;
}

/** The id of no object. Its response comes first, and proves that git could open the repository. */
const probe = `${'0'.repeat(40)}\n`;

const endGraceMs = 1000;

const neverStarted: BatchProcess = { write: () => undefined, end: () => Promise.resolve(), abandon: () => undefined };

/** At the limit of open files, Node returns a child without streams, although the type has them. */
function hasStreams({ stdin, stdout, stderr }: Partial<Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr'>>): boolean {
  return stdin !== undefined && stdout !== undefined && stderr !== undefined;
}

export function startBatch(options: BatchOptions, owner: BatchOwner): BatchProcess {
  const child = spawn('git', [...safeOptions, 'cat-file', '--batch'], {
    env: options.environment,
    cwd: '/',
    stdio: 'pipe',
    detached: true,
  });
  // Node reports a failed start in the next tick, so the listener must be added in this one.
  child.once('error', (error) => owner.failed(startFailure(error)));
  return hasStreams(child) ? new RunningBatch(child, options.timeoutMs, owner) : neverStarted;
}

class RunningBatch implements BatchProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #owner: BatchOwner;
  readonly #replyTimeout: NodeJS.Timeout;
  readonly #closed: Promise<unknown>;
  #opened = false;
  #complaint = '';
  #abandoned = false;

  constructor(child: ChildProcessWithoutNullStreams, timeoutMs: number, owner: BatchOwner) {
    this.#child = child;
    this.#owner = owner;
    this.#replyTimeout = setTimeout(() => this.#stopSilent(timeoutMs), timeoutMs).unref();
    this.#closed = new Promise((resolve) => child.once('close', resolve));
    child.once('close', () => this.#reportEnd());
    child.stdin.on('error', () => undefined); // EPIPE: the child has ended, and 'close' has the reason
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-16_384);
    });
    const parser = new BatchParser({
      wanted: owner.wanted,
      object: owner.object,
      absent: (reason) => this.#reportAbsent(reason),
    });
    child.stdout.on('data', (chunk: Buffer) => {
      if (this.#abandoned) return;
      this.#replyTimeout.refresh();
      parser.push(chunk);
    });
    child.stdin.write(probe);
  }

  write(lines: string): void {
    this.#replyTimeout.refresh();
    this.#child.stdin.write(lines);
  }

  abandon(): void {
    this.#abandoned = true;
    clearTimeout(this.#replyTimeout);
    killGroup(this.#child);
  }

  async end(): Promise<void> {
    if (this.#child.pid === undefined) return;
    this.#child.stdin.end();
    const late = setTimeout(() => killGroup(this.#child), endGraceMs);
    await this.#closed.finally(() => clearTimeout(late));
  }

  #reportAbsent(reason: string): void {
    if (this.#opened)
      this.#owner.absent(
        reason === 'missing' ? 'is missing from the repository' : `is ${reason}, says git`,
        () => this.#complaint,
      );
    this.#opened = true;
  }

  #reportEnd(): void {
    clearTimeout(this.#replyTimeout);
    if (!this.#abandoned) this.#owner.ended(this.#opened, this.#complaint);
  }

  #stopSilent(timeoutMs: number): void {
    if (this.#abandoned || !this.#owner.waits()) return;
    this.#owner.failed(new GitFailure(`git gave no answer for ${Math.round(timeoutMs / 1000)} s and was stopped.`));
    killGroup(this.#child);
  }
}
