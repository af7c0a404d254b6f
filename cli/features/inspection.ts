// What pages show of the registry, and that otherwise only commands know: history, reasons, differences, health. The
// modules are loaded at the first use.

import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { composeBuilder } from '../compose/builder.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { ComposedInspection } from '../inspection/inspection.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';

export function open({ config, context, store: state, log }: ServingCore, { packages }: FeatureOffers): OpenFeature {
  if (packages === undefined) throw new Error('the inspection is opened behind packages');
  const { published, catalogue } = packages;
  const opened = new SingleFlight<ComposedInspection>({ keeps: 'fulfilled' });
  const inspection = (): Promise<ComposedInspection> =>
    opened.run('', async () => {
      const [{ composeInspection }, { serverEnvironment }] = await Promise.all([
        import('../inspection/inspection.ts'),
        import('../inspection/server-environment.ts'),
      ]);
      const environment = serverEnvironment(config, context.environment);
      return composeInspection(config, context, {
        published,
        catalogue,
        state,
        runner: composeBuilder(config, context),
        doctor: composeBuilder(config, { ...context, environment }),
        onUnseen: (err) => log.logger.warn({ err }, 'a file of an archive is not shown'),
      });
    });
  return {
    offers: { inspection },
    close: async () => {
      await (await opened.get(''))?.close();
    },
  };
}
