// The metrics of a server: their module is loaded only if the configuration has an address for them.

import type { ServingCore } from '../core/serving-core.ts';
import type { OpenFeatures } from '../features/feature-list.ts';
import { noMetrics, type Metrics } from './metrics.ts';
import type { Servers } from './servers.ts';

export async function composeMetrics(
  { config, context, workerStatus }: ServingCore,
  { open }: OpenFeatures,
): Promise<Metrics> {
  if (config.metrics.value === undefined) return noMetrics;
  const { openMetrics } = await import('./compose-metrics.ts');
  return openMetrics(config, config.metrics.value, context, {
    workerStatus,
    routes: open.flatMap(({ answers }) => answers?.kinds ?? []),
  });
}

export function listenForMetrics(
  { log, tree, policy, counters, stateAway }: ServingCore,
  { open }: OpenFeatures,
  metrics: Metrics,
  { connections }: Servers,
): ReturnType<Metrics['listen']> {
  return metrics.listen({
    connections,
    tree,
    features: () => [policy, ...open].flatMap(({ families }) => families?.() ?? []),
    degraded: counters.degraded,
    stateAway,
    onError: (err) => log.logger.error({ err }, 'metrics could not be read'),
  });
}
