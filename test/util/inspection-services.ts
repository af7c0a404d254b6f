// What pages show of the published versions, composed as in `serve`, over a data folder of a test. The builder is the
// compiled program in a process of its own.

import { loadConfig } from '../../cli/config/config.ts';
import { composeInspection } from '../../cli/inspection/inspection.ts';
import type { Inspection } from '../../proxy/inspection/inspection.ts';
import type { Services } from '../../proxy/manage/routes.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { builderOf } from './builder.ts';
import { contentsWorker } from './package-services.ts';

/** `data`: the data folder, absolute. */
export async function inspectionServices(
  { published, catalogue }: Pick<Services, 'published' | 'catalogue'>,
  state: StateStore,
  data: string,
): Promise<Inspection> {
  const config = await loadConfig({ flags: { data }, environment: {}, workingDirectory: '/' });
  const runner = builderOf(data);
  const context = { environment: {}, workingDirectory: '/', now: () => new Date() };
  return composeInspection(config, context, {
    published,
    catalogue,
    state,
    runner,
    doctor: runner,
    onUnseen: () => undefined,
    worker: contentsWorker,
  });
}
