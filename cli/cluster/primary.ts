// `serve` with several workers, as people and signals meet it: one process that starts the workers, sees to it that
// they run, and serves nothing itself but their metrics.

import { formatOrigin, type Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { sharedCountersUrl } from '../state/open-state.ts';
import { printLines } from '../io/output.ts';
import { openRequestLog } from '../core/request-log-target.ts';
import { stopSignal } from '../io/stop-signal.ts';
import { UsageError } from '../io/usage-error.ts';
import { assertWholeState } from '../state/verify-state.ts';
import { createWorkerPool, type WorkerPool, type Ended } from './worker-pool.ts';
import { createWorkerPoolMetrics } from './worker-metrics.ts';

/** What draining takes at most, and then the end of a build that is under way. */
const longestStopMs = 18_000;

/** Resolves with the exit code. Throws UsageError and StateError. */
export async function serveAsPrimary(config: Config, context: Context): Promise<number> {
  refuseUncounted(config);
  await assertWholeState(config);
  const { stderr, onSignal, onCrash, exitNow, now } = context;
  const log = openRequestLog(config, context, config.log.value, true);
  const metrics = createWorkerPoolMetrics(config, context, (err) =>
    log.logger.error({ err }, 'metrics could not be read'),
  );
  const onEnded = (ended: Ended): void => {
    const { number, restartMs, ...how } = ended;
    log.logger.warn({ worker: number, ...how, restart_ms: restartMs }, 'a worker ended and is started again');
    printLines(stderr, [describeEnd(ended)]);
  };
  const crew = createWorkerPool({
    size: config.workers.value,
    monotonicMs: () => performance.now(),
    onEnded,
    onGone: metrics.keep,
  });
  const killAll = (code: number): never => {
    crew.kill();
    return exitNow(code);
  };
  const onHangUp = (): void => {
    void log.reopen();
    crew.tellAll({ say: 'hang up' });
  };
  const stopped = stopSignal(
    { onSignal, onCrash, exitNow: killAll, stderr, now },
    {
      onHangUp,
      onCrash: (err) => log.logger.fatal({ err }, 'this process is broken, and ends once its workers have finished'),
    },
  );
  try {
    return await serveUntil(stopped, crew, await metrics.listen(crew));
  } finally {
    await metrics.close();
    await log.close();
  }
}

async function serveUntil(
  stopped: Promise<number>,
  crew: WorkerPool,
  metrics: { readonly host: string; readonly port: number } | undefined,
): Promise<number> {
  const started = await Promise.race([crew.start(), stopped.then((exitCode) => ({ exitCode }))]);
  if ('address' in started) crew.tellLeader({ say: 'announce', metrics });
  const exitCode = 'address' in started ? await stopped : started.exitCode;
  const inOrder = await crew.stop(longestStopMs);
  return exitCode === 0 && !inOrder ? 1 : exitCode;
}

/** A limit that holds for each worker by itself is no limit. */
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
