// `libretto serve`: serves until a signal. Messages for people go to standard error, since standard output may be the
// request log.

import { announcement } from '../../serve/announcement.ts';
import { printFirstSteps } from '../../serve/first-steps.ts';
import type { Config } from '../../config/config.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { printLines } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';
import { refuseTakenAddress } from '../../serve/refuse-taken-address.ts';
import { stopSignal } from '../../io/stop-signal.ts';
import { placeOf } from '../../state/state-place.ts';
import { assertWholeState } from '../../state/verify-state.ts';

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { remarks } = context;
  const { config, announceNew } = await makeOrReadDataFolder(context, flags, 'all', { serves: true });
  if (config.workers.value > 1) return serveWithWorkers(config, context, announceNew);
  await refuseTakenAddress(config);
  const { log } = config;
  // a separate process reads the state while this one loads the modules of the server
  const [, { openService }] = await Promise.all([assertWholeState(config), loadServer(config)]);
  const service = await openService(config, context, log.value);
  announceNew();
  const stopped = stopSignal(context, { onHangUp: service.hangUp, onCrash: service.logCrash });
  printLines(
    remarks,
    announcement({ ...service, tree: await service.tree(), mirrors: await service.mirrors(), now: context.now() }),
  );
  if (log.value.to === 'file') printLines(remarks, [`Requests are logged to ${log.value.path}.`]);
  await printFirstSteps(context, service);
  const exitCode = await stopped;
  await service.close();
  return exitCode;
}

/** The primary process and its workers run this same command. Each loads its own module alone: the primary stays small. */
async function serveWithWorkers(config: Config, context: Context, onStarted: () => void): Promise<number> {
  const { default: cluster } = await import('node:cluster');
  if (cluster.isWorker) return (await import('../../cluster/worker.ts')).serveAsWorker(config, context);
  await refuseTakenAddress(config);
  return (await import('../../cluster/primary.ts')).serveAsPrimary(config, context, onStarted);
}

/** Loads the service, and in parallel the store of the state and the enabled features. */
async function loadServer(config: Config): Promise<typeof import('../../serve/service.ts')> {
  const [service] = await Promise.all([
    import('../../serve/service.ts'),
    placeOf(config).load(),
    import('../../features/feature-list.ts').then(({ loadFeatures }) => loadFeatures(config.features.value)),
  ]);
  return service;
}
