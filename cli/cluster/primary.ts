// The primary of a `serve` with several workers: handles signals, keeps the workers running, and serves only metrics.

import type { Log } from '../../proxy/core/observe/log.ts';
import { formatOrigin, type Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { sharedCountersUrl } from '../state/open-state.ts';
import { printLines } from '../io/output.ts';
import { openRequestLog } from '../core/request-log-target.ts';
import { stopSignal } from '../io/stop-signal.ts';
import { UsageError } from '../io/usage-error.ts';
import { assertWholeState } from '../state/verify-state.ts';
import { WorkerPool, type Ended } from './worker-pool.ts';
import { createWorkerPoolMetrics } from './worker-metrics.ts';

/** The longest time to finish requests in progress, and then to end a build in progress. */
const longestStopMs = 18_000;

/** Resolves with the exit code. `onStarted`: called once a worker serves. Throws UsageError and StateError. */
export async function serveAsPrimary(config: Config, context: Context, onStarted: () => void): Promise<number> {
  refuseUncounted(config);
  await assertWholeState(config);
  const log = openRequestLog(config, context, config.log.value, true);
  const metrics = createWorkerPoolMetrics(config, context, (err) =>
    log.logger.error({ err }, 'metrics could not be read'),
  );
  const workers = new WorkerPool({
    size: config.workers.value,
    monotonicMs: () => performance.now(),
    onEnded: (ended) => reportEnd(ended, log, context),
    onGone: metrics.addEnded,
  });
  try {
    return await serveUntil(stopOf(workers, log, context), workers, await metrics.listen(workers), onStarted);
  } finally {
    await metrics.close();
    await log.close();
  }
}

/** Resolves with the exit code on a signal, or after a crash. */
function stopOf(workers: WorkerPool, log: Log, { stderr, onSignal, onCrash, exitNow, now }: Context): Promise<number> {
  const killAll = (code: number): never => {
    workers.kill();
    return exitNow(code);
  };
  return stopSignal(
    { onSignal, onCrash, exitNow: killAll, stderr, now },
    {
      onHangUp: () => {
        void log.reopen();
        workers.sendToAll({ type: 'hang up' });
      },
      onCrash: (err) => log.logger.fatal({ err }, 'this process is broken, and ends once its workers have finished'),
    },
  );
}

function reportEnd(ended: Ended, { logger }: Log, { stderr }: Context): void {
  const { number, restartMs, ...how } = ended;
  logger.warn({ worker: number, ...how, restart_ms: restartMs }, 'a worker ended and is started again');
  printLines(stderr, [describeEnd(ended)]);
}

async function serveUntil(
  stopped: Promise<number>,
  workers: WorkerPool,
  metrics: { readonly host: string; readonly port: number } | undefined,
  onStarted: () => void,
): Promise<number> {
  const started = await Promise.race([workers.start(), stopped.then((exitCode) => ({ exitCode }))]);
  if ('address' in started) {
    onStarted();
    workers.sendToLeader({ type: 'announce', metrics });
  }
  const exitCode = 'address' in started ? await stopped : started.exitCode;
  const inOrder = await workers.stop(longestStopMs);
  return exitCode === 0 && !inOrder ? 1 : exitCode;
}

/** Without shared counters, each worker would give every token the complete limit. */
function refuseUncounted(config: Config): void {
  if (sharedCountersUrl(config) !== undefined) return;
  const { value, origin } = config.workers;
  throw new UsageError(
    `${value} workers (${formatOrigin(origin)}) need a shared Redis. Otherwise each worker counts requests for ` +
      `itself, and a token gets ${value} times its limit. Name a Redis with --redis URL (or --state URL), or ` +
      'serve with one worker.',
  );
}

function describeEnd({ number, pid, code, signal, restartMs }: Ended): string {
  const how = signal === null ? `ended with exit code ${code ?? 'unknown'}` : `was ended by ${signal}`;
  return `Worker ${number} (process ${pid}) ${how}. It is started again in ${restartMs / 1000} seconds.`;
}
