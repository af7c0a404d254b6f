// The workers of a primary: starts them, restarts a worker that ends, sends each worker the number of workers, and
// stops them. The primary serves no request: it hands its connections to the workers in turn, so that each worker has
// an equal share of persistent connections.

import cluster, { type Worker } from 'node:cluster';
import type { Family } from '../../proxy/core/observe/metrics-text.ts';
import type { ListenAddress } from '../config/setting-values.ts';
import type { FromPrimary, FromWorker } from './messages.ts';

/** A worker that lived longer failed for a new reason, so its successor does not wait for earlier failures. */
const healthyMs = 60_000;
const firstMs = 100;
const longestMs = 30_000;

interface Restart {
  /** short-lived workers in a row, this one included */
  readonly failures: number;
  readonly delayMs: number;
}

/** `failures`: before this one; `livedMs`: the time for which this worker served, 0 if it never did. */
export function nextRestart(failures: number, livedMs: number): Restart {
  const count = livedMs >= healthyMs ? 1 : failures + 1;
  return { failures: count, delayMs: Math.min(longestMs, firstMs * 2 ** Math.min(count - 1, 30)) };
}

/** A worker that ended by itself. */
export interface Ended {
  readonly number: number;
  readonly pid: number;
  readonly code: number | null;
  readonly signal: string | null;
  readonly restartMs: number;
}

export interface WorkerMetrics {
  readonly name: string;
  readonly families: readonly Family[];
}

export interface WorkerPoolOptions {
  readonly size: number;
  /** milliseconds of a monotonic clock */
  readonly monotonicMs: () => number;
  readonly onEnded: (ended: Ended) => void;
  /** Gets the last known metrics of a worker that ended. */
  readonly onGone: (last: readonly Family[]) => void;
}

/** The place of one worker, which a new process takes after a restart. */
interface Slot {
  readonly number: number;
  worker: Worker | undefined;
  servingSinceMs: number | undefined;
  failures: number;
  timer: NodeJS.Timeout | undefined;
  /** the last known metrics of the current worker */
  metrics: readonly Family[];
}

type ReceiveMetrics = (families: readonly Family[]) => void;

const metricsTimeoutMs = 2000;

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #slots: readonly Slot[];
  readonly #questions = new Map<number, ReceiveMetrics>();
  #lastQuestion = 0;
  #isStarted = false;
  #isStopping = false;
  #onFirstServing: ((at: ListenAddress) => void) | undefined;
  #onFirstEnded: ((exitCode: number) => void) | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.size }, (_, at) => ({
      number: at + 1,
      worker: undefined,
      servingSinceMs: undefined,
      failures: 0,
      timer: undefined,
      metrics: [],
    }));
  }

  /**
   * Starts the first worker, and the others once the first worker serves. Resolves with the address, or with the exit
   * code of a first worker that ended before.
   */
  start(): Promise<{ readonly address: ListenAddress } | { readonly exitCode: number }> {
    return new Promise((resolve) => {
      this.#onFirstEnded = (exitCode) => resolve({ exitCode });
      this.#onFirstServing = (address) => {
        for (const slot of this.#slots.slice(1)) this.#launch(slot);
        this.#onFirstServing = undefined;
        resolve({ address });
      };
      for (const slot of this.#slots.slice(0, 1)) this.#launch(slot);
    });
  }

  /** The metrics of each serving worker. After a timeout, the last known metrics replace a late answer. */
  async metrics(): Promise<readonly WorkerMetrics[]> {
    const answers = await Promise.all(
      this.#slots.map((slot) => requestMetrics(slot, this.#questions, (this.#lastQuestion += 1))),
    );
    return answers.flat();
  }

  /** Sends `message` to the worker that does the tasks of the complete server. */
  sendToLeader(message: FromPrimary): void {
    send(this.#slots[0]?.worker, message);
  }

  sendToAll(message: FromPrimary): void {
    for (const { worker } of this.#slots) send(worker, message);
  }

  /**
   * Asks all workers to finish and end, and kills the rest after `longestMs`. True: all workers ended by themselves.
   */
  async stop(longestMs: number): Promise<boolean> {
    this.#isStopping = true;
    for (const { timer } of this.#slots) clearTimeout(timer);
    const endings = this.#slots.flatMap(({ worker }) => (worker === undefined ? [] : [waitForEnd(worker, longestMs)]));
    this.sendToAll({ type: 'stop' });
    return (await Promise.all(endings)).every(Boolean);
  }

  kill(): void {
    this.#isStopping = true;
    for (const { worker } of this.#slots) worker?.process.kill('SIGKILL');
  }

  #launch(slot: Slot): void {
    // a worker leaves messages about the command line to the primary
    cluster.setupPrimary({ args: [...process.argv.slice(2), '--child'] });
    const worker = cluster.fork();
    slot.worker = worker;
    worker.on('message', (message: FromWorker) => this.#receive(slot, message));
    worker.on('error', () => undefined); // the worker has ended, and `exit` reports its end
    worker.once('exit', (code: number | null, signal: string | null) => this.#handleEnd(slot, worker, code, signal));
  }

  #receive(slot: Slot, message: FromWorker): void {
    if (message.type === 'hello') {
      const order = { size: this.#options.size, isLeader: slot.number === 1 };
      send(slot.worker, this.#isStopping ? { type: 'stop' } : { type: 'start', order });
    } else if (message.type === 'serving') {
      slot.servingSinceMs = this.#options.monotonicMs();
      this.#isStarted = true;
      this.#sendWorkerCount();
      if (slot.number === 1) this.#onFirstServing?.({ host: message.host, port: message.port });
    } else {
      slot.metrics = message.families;
      this.#questions.get(message.question)?.(message.families);
    }
  }

  #handleEnd(slot: Slot, { process: { pid = 0 } }: Worker, code: number | null, signal: string | null): void {
    const { monotonicMs, onGone, onEnded } = this.#options;
    const livedMs = slot.servingSinceMs === undefined ? 0 : monotonicMs() - slot.servingSinceMs;
    onGone(slot.metrics);
    Object.assign(slot, { worker: undefined, servingSinceMs: undefined, metrics: [] });
    if (this.#isStopping) return;
    if (!this.#isStarted) {
      this.#onFirstEnded?.(code ?? 1);
      return;
    }
    const { failures, delayMs } = nextRestart(slot.failures, livedMs);
    slot.failures = failures;
    slot.timer = setTimeout(() => this.#launch(slot), delayMs);
    onEnded({ number: slot.number, pid, code, signal, restartMs: delayMs });
    this.#sendWorkerCount();
  }

  #sendWorkerCount(): void {
    const serving = this.#slots.filter(({ servingSinceMs }) => servingSinceMs !== undefined);
    this.sendToAll({ type: 'workers', running: serving.length });
  }
}

/** Sends nothing to a worker that has ended or is about to. */
function send(worker: Worker | undefined, message: FromPrimary): void {
  if (worker?.isConnected() === true) worker.send(message, () => undefined);
}

function requestMetrics(
  { number, worker, servingSinceMs, metrics }: Slot,
  questions: Map<number, ReceiveMetrics>,
  question: number,
): Promise<readonly WorkerMetrics[]> {
  if (servingSinceMs === undefined) return Promise.resolve([]);
  return new Promise((resolve) => {
    const finish = (families: readonly Family[]): void => {
      clearTimeout(timeout);
      questions.delete(question);
      resolve([{ name: `worker ${number}`, families }]);
    };
    const timeout = setTimeout(() => finish(metrics), metricsTimeoutMs);
    questions.set(question, finish);
    send(worker, { type: 'metrics', question });
  });
}

/** True: the worker ended with exit code 0. False: the worker failed, or was killed after `longestMs`. */
function waitForEnd(worker: Worker, longestMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => worker.process.kill('SIGKILL'), longestMs);
    worker.once('exit', (code: number | null) => {
      clearTimeout(timeout);
      resolve(code === 0);
    });
  });
}
