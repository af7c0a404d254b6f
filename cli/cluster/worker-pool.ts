// The workers of a primary: starts them, starts again what ends, tells each how many they are, and lets them end. It
// serves nothing itself: the connections it accepts it hands to them in turn, so that those that stay open are spread
// evenly.

import cluster, { type Worker } from 'node:cluster';

import type { Family } from '../../proxy/observe/metrics-text.ts';
import type { ListenAddress } from '../config/setting-values.ts';
import type { FromPrimary, FromWorker } from './messages.ts';
import { nextFall } from './restart-delay.ts';

/** A worker that ended without being asked to. */
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

export interface WorkerPool {
  /**
   * Resolves with the address once the first serves, and then starts the others. undefined: it ended before, with this
   * exit code.
   */
  readonly start: () => Promise<{ readonly address: ListenAddress } | { readonly exitCode: number }>;
  /** What each that serves says of itself; of whoever is late, what it said the time before. */
  readonly metrics: () => Promise<readonly WorkerMetrics[]>;
  /** To the one that does what is done once. */
  readonly tellLeader: (message: FromPrimary) => void;
  readonly tellAll: (message: FromPrimary) => void;
  /** Asks all to finish and end; kills who has not after `longestMs`. True: all of them ended in order. */
  readonly stop: (longestMs: number) => Promise<boolean>;
  readonly kill: () => void;
}

export interface WorkerPoolOptions {
  readonly size: number;
  /** milliseconds of a clock that nobody sets */
  readonly monotonicMs: () => number;
  readonly onEnded: (ended: Ended) => void;
  /** Its metrics as it last said them. */
  readonly onGone: (last: readonly Family[]) => void;
}

interface Place {
  readonly number: number;
  worker: Worker | undefined;
  servingSinceMs: number | undefined;
  failures: number;
  timer: NodeJS.Timeout | undefined;
  last: readonly Family[];
}

const metricsTimeoutMs = 2000;

export function createWorkerPool({ size, monotonicMs, onEnded, onGone }: WorkerPoolOptions): WorkerPool {
  const places: Place[] = Array.from({ length: size }, (_, at) => ({
    number: at + 1,
    worker: undefined,
    servingSinceMs: undefined,
    failures: 0,
    timer: undefined,
    last: [],
  }));
  const questions = new Map<number, (families: readonly Family[]) => void>();
  let asked = 0;
  let started = false;
  let stopping = false;
  let firstServes: ((at: ListenAddress) => void) | undefined;
  let firstEnds: ((exitCode: number) => void) | undefined;

  const tellCrew = (): void =>
    tellAll({ say: 'crew', running: places.filter(({ servingSinceMs }) => servingSinceMs !== undefined).length });
  const tellAll = (message: FromPrimary): void => {
    for (const { worker } of places) tell(worker, message);
  };
  const serves = (place: Place, at: ListenAddress): void => {
    place.servingSinceMs = monotonicMs();
    started = true;
    tellCrew();
    if (place.number === 1) firstServes?.(at);
  };
  const hear = (place: Place, message: FromWorker): void => {
    if (message.say === 'hello')
      tell(place.worker, stopping ? { say: 'stop' } : { say: 'start', order: { size, leads: place.number === 1 } });
    else if (message.say === 'serving') serves(place, { host: message.host, port: message.port });
    else {
      place.last = message.families;
      questions.get(message.question)?.(message.families);
    }
  };
  const ended = (place: Place, { process: { pid = 0 } }: Worker, code: number | null, signal: string | null): void => {
    const livedMs = place.servingSinceMs === undefined ? 0 : monotonicMs() - place.servingSinceMs;
    onGone(place.last);
    Object.assign(place, { worker: undefined, servingSinceMs: undefined, last: [] });
    if (stopping) return;
    if (!started) {
      firstEnds?.(code ?? 1);
      return;
    }
    const { failures, delayMs } = nextFall(place.failures, livedMs);
    place.failures = failures;
    place.timer = setTimeout(() => launch(place), delayMs);
    onEnded({ number: place.number, pid, code, signal, restartMs: delayMs });
    tellCrew();
  };
  const launch = (place: Place): void => {
    const worker = cluster.fork();
    place.worker = worker;
    worker.on('message', (message: FromWorker) => hear(place, message));
    worker.on('error', () => undefined); // it is gone: `exit` says so
    worker.once('exit', (code: number | null, signal: string | null) => ended(place, worker, code, signal));
  };
  return {
    start: () =>
      new Promise((resolve) => {
        firstEnds = (exitCode) => resolve({ exitCode });
        firstServes = (at) => {
          for (const place of places.slice(1)) launch(place);
          firstServes = undefined;
          resolve({ address: at });
        };
        for (const place of places.slice(0, 1)) launch(place);
      }),
    metrics: async () => {
      const answers = await Promise.all(places.map((place) => askMetrics(place, questions, (asked += 1))));
      return answers.flat();
    },
    tellLeader: (message) => tell(places[0]?.worker, message),
    tellAll,
    stop: async (longestMs) => {
      stopping = true;
      for (const { timer } of places) clearTimeout(timer);
      const endings = places.flatMap(({ worker }) => (worker === undefined ? [] : [ending(worker, longestMs)]));
      tellAll({ say: 'stop' });
      return (await Promise.all(endings)).every(Boolean);
    },
    kill: () => {
      stopping = true;
      for (const { worker } of places) worker?.process.kill('SIGKILL');
    },
  };
}

/** Nothing where it is gone or about to be. */
function tell(worker: Worker | undefined, message: FromPrimary): void {
  if (worker?.isConnected() === true) worker.send(message, () => undefined);
}

function askMetrics(
  { number, worker, servingSinceMs, last }: Place,
  questions: Map<number, (families: readonly Family[]) => void>,
  question: number,
): Promise<readonly WorkerMetrics[]> {
  if (servingSinceMs === undefined) return Promise.resolve([]);
  return new Promise((resolve) => {
    const finish = (families: readonly Family[]): void => {
      clearTimeout(late);
      questions.delete(question);
      resolve([{ name: `worker ${number}`, families }]);
    };
    const late = setTimeout(() => finish(last), metricsTimeoutMs);
    questions.set(question, finish);
    tell(worker, { say: 'metrics', question });
  });
}

/** True once it has ended of itself; false once it had to be killed, or had failed. */
function ending(worker: Worker, longestMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => worker.process.kill('SIGKILL'), longestMs);
    worker.once('exit', (code: number | null) => {
      clearTimeout(cut);
      resolve(code === 0);
    });
  });
}
