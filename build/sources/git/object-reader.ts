// Reads objects of one repository through one long-lived `git cat-file --batch`, with many requests in flight. Answers
// come in the order of the requests. An object that makes git die (a corrupt one) is reported broken, and git is
// restarted for the rest. A caller declines an object that is too large once its size is known, so that no read waits
// for a caller.

import { createHash } from 'node:crypto';

import type { BatchHeader } from './batch-parser.ts';
import { startBatch, type BatchOptions, type BatchProcess } from './batch-process.ts';
import { GitFailure, explainGit, scrubGitOutput } from '../git-failure.ts';

export type ObjectAnswer =
  | { readonly outcome: 'found'; readonly type: string; readonly bytes: Buffer }
  | { readonly outcome: 'declined'; readonly type: string; readonly size: number }
  /** missing, corrupt, or its bytes do not have the id; `reason` completes "it …" */
  | { readonly outcome: 'broken'; readonly reason: string }
  /** git has ended; every later request gets the same result */
  | { readonly outcome: 'failed'; readonly failure: GitFailure };

type AcceptObject = (header: BatchHeader) => boolean;

interface Request {
  readonly oid: string;
  readonly wanted: AcceptObject;
  readonly answer: (answer: ObjectAnswer) => void;
}

/** Requests written before their answers are read: hides the pipe's latency, and fits into the pipe itself. */
const window = 256;

/** After this many crashes of git, give up. */
const maxRestarts = 50;

/** Declined bytes arrive all the same. Above this number, starting git again is faster than skipping them. */
const maxPassedBytes = 64 * 1024 * 1024;

/**
 * An idle repository stops its process, since a build may have thousands of repositories. The next request starts a new
 * process. A process that gave many objects stays a millisecond longer for each, since the listeners drop what they made
 * of these objects.
 */
const [leastIdleMs, mostIdleMs] = [250, 4000];

export class ObjectReader {
  readonly #options: BatchOptions;
  #waiting: Request[] = [];
  #sent: Request[] = [];
  #process: BatchProcess | undefined;
  #restarts = 0;
  #failure: GitFailure | undefined;
  #scheduled = false;
  #idle: NodeJS.Timeout | undefined;
  #answered = 0;
  readonly #idleListeners: (() => void)[] = [];

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  /** Calls `listener` whenever the reader has been idle for a while. */
  whenIdle(listener: () => void): void {
    this.#idleListeners.push(listener);
  }

  /** Never rejects. `wanted` decides by type and size, before any byte is stored. */
  read(oid: string, wanted: AcceptObject): Promise<ObjectAnswer> {
    const failure = this.#failure;
    if (failure !== undefined) return Promise.resolve({ outcome: 'failed', failure });
    return new Promise((answer) => {
      this.#waiting.push({ oid, wanted, answer });
      this.#schedule();
    });
  }

  /** Rejects all requests without an answer. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const running = this.#process;
    if (this.#failure === undefined) this.#fail(new GitFailure('The repository was closed.'));
    await running?.end();
  }

  /** Sends all requests of this turn in one write; the rest follows whenever half of the window is free. */
  #schedule(): void {
    if (this.#scheduled || this.#sent.length > window / 2) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#pump();
    });
  }

  #pump(): void {
    const batch = this.#waiting.splice(0, window - this.#sent.length);
    if (batch.length === 0) return;
    this.#sent.push(...batch);
    this.#process ??= this.#start();
    this.#process.write(batch.map((request) => `${request.oid}\n`).join(''));
  }

  #start(): BatchProcess {
    return startBatch(this.#options, {
      wanted: (header) => this.#isWanted(header),
      object: (header, bytes) =>
        this.#settle(
          bytes === undefined ? { outcome: 'declined', ...header } : verified(this.#sent[0]?.oid ?? '', header, bytes),
        ),
      absent: (reason, complaint) => this.#settleAbsent(reason, complaint),
      ended: (opened, complaint) => this.#ended(opened, complaint),
      failed: (failure) => this.#fail(failure),
      waits: () => this.#sent.length > 0,
    });
  }

  #isWanted(header: BatchHeader): boolean {
    const wanted = this.#sent[0]?.wanted(header) ?? false;
    if (!wanted && header.size > maxPassedBytes) this.#leave(header);
    return wanted;
  }

  /** Answers a declined request, and continues with another git process. */
  #leave(header: BatchHeader): void {
    const left = this.#process;
    this.#process = undefined;
    left?.abandon();
    this.#sent.shift()?.answer({ outcome: 'declined', ...header });
    this.#waiting = [...this.#sent, ...this.#waiting];
    this.#sent = [];
    this.#schedule();
  }

  /** undefined: it is answered later. */
  #settle(answer: ObjectAnswer | undefined): void {
    const request = this.#sent.shift();
    this.#answered += 1;
    if (answer !== undefined) request?.answer(answer);
    if (this.#sent.length === 0) this.#rest();
    this.#schedule();
  }

  /** git writes its complaint before the answer, and the complaint is read in the same turn of the event loop. */
  #settleAbsent(reason: string, complaint: () => string): void {
    const [request] = this.#sent;
    this.#settle(undefined);
    setImmediate(() =>
      request?.answer({ outcome: 'broken', reason: describeCorruption(complaint(), request.oid) ?? reason }),
    );
  }

  #rest(): void {
    clearTimeout(this.#idle);
    const idleMs = Math.min(mostIdleMs, leastIdleMs + this.#answered);
    this.#idle = setTimeout(() => this.#giveBack(), idleMs).unref();
  }

  #giveBack(): void {
    if (this.#sent.length > 0 || this.#waiting.length > 0) return;
    const idle = this.#process;
    this.#process = undefined;
    idle?.abandon();
    for (const listener of this.#idleListeners) listener();
  }

  /** Handles a git process that ended unexpectedly: the object of the pending answer is the cause. */
  #ended(opened: boolean, complaint: string): void {
    this.#process = undefined;
    if (this.#failure !== undefined) return;
    if (!opened) return this.#fail(new GitFailure(explainGit(complaint)));
    const culprit = this.#sent.shift();
    culprit?.answer({
      outcome: 'broken',
      reason:
        describeCorruption(complaint, culprit.oid) ?? `cannot be read: ${explainGit(complaint).replace(/\.$/, '')}`,
    });
    this.#restarts += 1;
    if (this.#restarts > maxRestarts)
      return this.#fail(
        new GitFailure(`More than ${maxRestarts} objects of the repository are broken: run \`git fsck\` there.`),
      );
    this.#waiting = [...this.#sent, ...this.#waiting];
    this.#sent = [];
    return this.#pump();
  }

  #fail(failure: GitFailure): void {
    this.#failure = failure;
    const unanswered = [...this.#sent, ...this.#waiting];
    this.#sent = [];
    this.#waiting = [];
    for (const request of unanswered) request.answer({ outcome: 'failed', failure });
  }
}

/** The bytes must have the requested id: a reference never leads to other bytes. */
function verified(oid: string, header: BatchHeader, bytes: Buffer): ObjectAnswer {
  const hash = createHash(oid.length === 64 ? 'sha256' : 'sha1');
  const actual = hash.update(`${header.type} ${header.size}\0`).update(bytes).digest('hex');
  return actual === oid
    ? { outcome: 'found', type: header.type, bytes }
    : { outcome: 'broken', reason: 'is corrupt: its bytes do not have its id' };
}

/**
 * git's complaint about one object, as the continuation of "it …". `git cat-file` returns `missing` for an unreadable
 * object too, and only the complaint distinguishes them.
 */
function describeCorruption(complaint: string, oid: string): string | undefined {
  const names = [oid, `${oid.slice(0, 2)}/${oid.slice(2)}`];
  const line = complaint.split('\n').findLast((each) => names.some((name) => each.includes(name)));
  if (line === undefined) return undefined;
  const reason = scrubGitOutput(line).replace(/^(?:fatal|error): /, '');
  return `is corrupt, says git: ${reason.slice(0, 300)}`;
}
