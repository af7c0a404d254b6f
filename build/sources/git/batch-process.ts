// One `git cat-file --batch` child: lines in, answers out in the same order. Says how it ended; who asked what is
// object-reader.ts's matter.

import { spawn, type ChildProcess } from 'node:child_process';

import { createBatchParser, type BatchHeader } from './batch-parser.ts';
import { safeOptions } from './git-environment.ts';
import { GitFailure, startFailure } from '../git-failure.ts';
import { killGroup } from './kill-group.ts';

export interface BatchProcess {
  /** object ids, each with its line feed */
  readonly write: (lines: string) => void;
  /** Resolves when the child is gone. */
  readonly end: () => Promise<void>;
  /** Stops it in the middle of an answer; its owner hears of it no more. */
  readonly abandon: () => void;
}

export interface BatchOwner {
  readonly wanted: (header: BatchHeader) => boolean;
  /** The next object. `bytes` is undefined where it was not wanted. */
  readonly object: (header: BatchHeader, bytes: Buffer | undefined) => void;
  /**
   * There is no such object, as far as the answer says; `reason` completes "it …". `complaint`: what git has said on
   * the side until it is called.
   */
  readonly absent: (reason: string, complaint: () => string) => void;
  /** The child ended by itself; `opened` tells whether it could open the repository at all. */
  readonly ended: (opened: boolean, complaint: string) => void;
  /** The child cannot be used. */
  readonly failed: (failure: GitFailure) => void;
  /** whether an answer is due */
  readonly waits: () => boolean;
}

export interface BatchOptions {
  readonly environment: Record<string, string>;
  /** git may be silent this long while an answer is due */
  readonly timeoutMs: number;
}

/** An id no object has. Its answer, the first of all, shows that the repository could be opened. */
const probe = `${'0'.repeat(40)}\n`;

const endGraceMs = 1000;

const neverStarted: BatchProcess = { write: () => undefined, end: () => Promise.resolve(), abandon: () => undefined };

/** Where no more files may be opened, Node gives a child without streams, whatever its type says. */
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
  // heard from the first moment on: a child that could not be started says so a moment later
  child.once('error', (error) => owner.failed(startFailure(error)));
  if (!hasStreams(child)) return neverStarted;
  let opened = false;
  let complaint = '';
  let abandoned = false;
  const timer = setTimeout(() => {
    if (abandoned || !owner.waits()) return;
    owner.failed(new GitFailure(`git gave no answer for ${Math.round(options.timeoutMs / 1000)} s and was stopped.`));
    killGroup(child);
  }, options.timeoutMs).unref();
  const parser = createBatchParser({
    wanted: owner.wanted,
    object: owner.object,
    absent: (reason) => {
      if (opened)
        owner.absent(
          reason === 'missing' ? 'is missing from the repository' : `is ${reason}, says git`,
          () => complaint,
        );
      opened = true;
    },
  });
  child.stdout.on('data', (chunk: Buffer) => {
    if (abandoned) return;
    timer.refresh();
    parser.push(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-16_384);
  });
  child.stdin.on('error', () => undefined); // EPIPE: the child is gone, and 'close' says why
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.once('close', () => {
    clearTimeout(timer);
    if (!abandoned) owner.ended(opened, complaint);
  });
  child.stdin.write(probe);
  return {
    write(lines) {
      timer.refresh();
      child.stdin.write(lines);
    },
    abandon() {
      abandoned = true;
      clearTimeout(timer);
      killGroup(child);
    },
    async end() {
      if (child.pid === undefined) return;
      child.stdin.end();
      const late = setTimeout(() => killGroup(child), endGraceMs);
      await closed.finally(() => clearTimeout(late));
    },
  };
}
