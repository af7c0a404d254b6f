// The catalogue of the setting `site` beside a server. A failure goes to the log and to standard error, and the server
// serves.

import type { ServingCore } from '../core/serving-core.ts';
import { composeBuilder } from '../compose/builder.ts';
import { printWarnings } from '../io/output.ts';

/** Returns its end. One process of a server writes; an origin's catalogue is written where its tree is built. */
export async function updateConfiguredSite({
  config,
  context,
  log,
  isLeader,
}: ServingCore): Promise<() => Promise<void>> {
  const folder = config.site.value;
  if (folder === undefined || !isLeader || config.origin.value !== undefined) return () => Promise.resolve();
  const { watchSite } = await import('../site/watch-site.ts');
  return watchSite({
    dataDirectory: config.data.value,
    folder,
    runner: composeBuilder(config, context),
    monotonicMs: () => performance.now(),
    onWritten: (site) => log.logger.info({ site }, 'the catalogue shows the present publication'),
    onFailure: (message) => {
      log.logger.error(
        { err: new Error(message) },
        'the catalogue is not up to date; the server tries again each minute',
      );
      printWarnings(context.stderr, [
        `The catalogue in ${folder} is not up to date, and the server tries again each minute: ${message}`,
      ]);
    },
  });
}
