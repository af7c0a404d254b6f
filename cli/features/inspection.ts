// What the pages show of the registry, and that otherwise only commands know: history, reasons, comparisons. The modules
// are loaded at the first use.

import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import type { Inspection } from '../../proxy/inspection/inspection.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { OpenFeature } from './served-feature.ts';

export function open({ config, context, tree }: ServingCore): OpenFeature {
  const opened = new SingleFlight<Inspection>({ keeps: 'fulfilled' });
  const inspection = (): Promise<Inspection> =>
    opened.run('', async () => {
      const { composeInspection } = await import('../inspection/inspection.ts');
      return composeInspection(config, context, { published: tree.published });
    });
  return { offers: { inspection } };
}
