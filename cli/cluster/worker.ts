// One worker of several: serves as a server of its own would, as its primary tells it. What is done once for all of
// them the one that leads does.

import cluster from 'node:cluster';

import { announcement, setupLines } from '../serve/announcement.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { printLines } from '../io/output.ts';
import { openService, type Service } from '../serve/service.ts';
import type { ListenAddress } from '../config/setting-values.ts';
import type { FromPrimary, FromWorker, WorkerOrder } from './messages.ts';

/** Resolves with the exit code. */
export async function serveAsWorker(config: Config, context: Context): Promise<number> {
  const link = openLink(context);
  const order = await Promise.race([link.order, link.stopped.then(() => undefined)]);
  if (order === undefined) return link.stopped;
  const { size, leads } = order;
  const service = await openService(config, context, config.log.value, {
    leads,
    crew: { size, running: link.running },
  });
  link.attend(service, (metrics) => void announce(context, service, { size, metrics }).catch(service.logError));
  link.tell({ say: 'serving', host: service.host, port: service.port });
  const exitCode = await link.stopped;
  await service.close();
  return exitCode;
}

async function announce(
  { stderr, now }: Context,
  service: Service,
  { size, metrics }: { readonly size: number; readonly metrics: ListenAddress | undefined },
): Promise<void> {
  const { config } = service;
  printLines(
    stderr,
    announcement({ ...service, metrics, tree: await service.tree(), mirrors: await service.mirrors(), now: now() }),
  );
  printLines(stderr, [`${size} workers serve.`]);
  if (config.log.value.to === 'file') printLines(stderr, [`Requests are logged to ${config.log.value.path}.`]);
  printLines(stderr, setupLines(await service.offerSetup()));
}

interface Link {
  readonly order: Promise<WorkerOrder>;
  /** how many serve, this one included */
  readonly running: () => number;
  /** with the exit code, once the primary says so, or is gone, or a signal came, or something broke */
  readonly stopped: Promise<number>;
  /** From now on what the primary asks is answered. */
  readonly attend: (service: Service, announceWith: (metrics: ListenAddress | undefined) => void) => void;
  readonly tell: (message: FromWorker) => void;
}

function openLink({ onSignal, onCrash }: Context): Link {
  const { worker } = cluster;
  if (worker === undefined) throw new Error('this process is no worker');
  // a primary that was killed ends its workers no more at once than a signal does: they finish what is under way
  worker.exitedAfterDisconnect = true;
  let running = 0;
  let service: Service | undefined;
  let announceWith: ((metrics: ListenAddress | undefined) => void) | undefined;
  const tell = (message: FromWorker): void => void (worker.isConnected() && worker.send(message, () => undefined));
  let stop: (exitCode: number) => void = () => undefined;
  const stopped = new Promise<number>((resolve) => (stop = resolve));
  let start: (order: WorkerOrder) => void = () => undefined;
  const order = new Promise<WorkerOrder>((resolve) => (start = resolve));
  const reopen = (): void => service?.hangUp();
  const hear = (message: FromPrimary): void => {
    if (message.say === 'start') start(message.order);
    else if (message.say === 'crew') running = message.running;
    else if (message.say === 'announce') announceWith?.(message.metrics);
    else if (message.say === 'metrics')
      void service
        ?.metricFamilies()
        .then((families) => tell({ say: 'metrics', question: message.question, families }), service.logError);
    else if (message.say === 'hang up') reopen();
    else stop(0);
  };
  worker.on('message', hear);
  worker.on('disconnect', () => stop(0));
  worker.on('error', () => undefined); // what could not be said to a primary that is gone
  // Ctrl+C and a service manager reach all processes; a second time is the primary's to answer
  for (const signal of ['SIGINT', 'SIGTERM'] as const) onSignal(signal, () => stop(0));
  onSignal('SIGHUP', reopen);
  onCrash((error) => {
    service?.logCrash(error);
    stop(1);
  });
  tell({ say: 'hello' });
  return {
    order,
    running: () => running,
    stopped,
    attend: (opened, announcing) => {
      service = opened;
      announceWith = announcing;
    },
    tell,
  };
}
