// One worker of several: serves requests like a single server, on the order of its primary. One worker, the leader,
// does the tasks of the complete server.

import cluster, { type Worker } from 'node:cluster';
import { setTimeout } from 'node:timers/promises';

import { announcement } from '../serve/announcement.ts';
import { printFirstSteps } from '../serve/first-steps.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { printLines } from '../io/output.ts';
import { openService, type Service } from '../serve/service.ts';
import type { ListenAddress } from '../config/setting-values.ts';
import type { FromPrimary, FromWorker, WorkerOrder } from './messages.ts';

/** The time in which a stopping worker may finish opening, and then close in order. */
const openingGraceMs = 2000;

/** Resolves with the exit code. */
export async function serveAsWorker(config: Config, context: Context): Promise<number> {
  const link = openLink(context);
  const order = await Promise.race([link.order, link.stopped.then(() => undefined)]);
  if (order === undefined) return link.stopped;
  const { size, isLeader } = order;
  const opening = openService(config, context, config.log.value, {
    isLeader,
    workerStatus: { size, running: link.running },
  });
  // a worker listens through its primary: without the primary, the worker never opens
  const abandoned = link.stopped.then(() => setTimeout(openingGraceMs, undefined));
  const service = await Promise.race([opening, abandoned]);
  if (service === undefined) return link.stopped;
  link.attend(service, (metrics) => void announce(context, service, { size, metrics }).catch(service.logError));
  link.send({ type: 'serving', host: service.host, port: service.port });
  const exitCode = await link.stopped;
  await service.close();
  return exitCode;
}

async function announce(
  context: Context,
  service: Service,
  { size, metrics }: { readonly size: number; readonly metrics: ListenAddress | undefined },
): Promise<void> {
  const { config } = service;
  const { remarks, now } = context;
  printLines(
    remarks,
    announcement({ ...service, metrics, tree: await service.tree(), mirrors: await service.mirrors(), now: now() }),
  );
  printLines(remarks, [`${size} workers serve.`]);
  if (config.log.value.to === 'file') printLines(remarks, [`Requests are logged to ${config.log.value.path}.`]);
  await printFirstSteps(context, service);
}

interface Link {
  readonly order: Promise<WorkerOrder>;
  /** the number of workers that serve, with this one */
  readonly running: () => number;
  /** resolves with the exit code: on the primary's order or end, on a signal, or after a crash */
  readonly stopped: Promise<number>;
  /** Answers the messages of the primary with `service` from now on. */
  readonly attend: (service: Service, announceWith: (metrics: ListenAddress | undefined) => void) => void;
  readonly send: (message: FromWorker) => void;
}

/** Resolves with the first value that `settle` gets. */
function deferred<Value>(): { readonly promise: Promise<Value>; readonly settle: (value: Value) => void } {
  let settle: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => (settle = resolve));
  return { promise, settle };
}

function openLink({ onSignal, onCrash }: Context): Link {
  const worker = ownWorker();
  const send = (message: FromWorker): void => void (worker.isConnected() && worker.send(message, () => undefined));
  const stopped = deferred<number>();
  const order = deferred<WorkerOrder>();
  let running = 0;
  let service: Service | undefined;
  let announceWith: ((metrics: ListenAddress | undefined) => void) | undefined;
  const reopen = (): void => service?.hangUp();
  worker.on('message', (message: FromPrimary) => {
    if (message.type === 'start') order.settle(message.order);
    else if (message.type === 'workers') running = message.running;
    else if (message.type === 'announce') announceWith?.(message.metrics);
    else if (message.type === 'metrics') sendMetrics(service, message.question, send);
    else if (message.type === 'hang up') reopen();
    else stopped.settle(0);
  });
  worker.on('disconnect', () => stopped.settle(0));
  if (!worker.isConnected()) stopped.settle(0);
  worker.on('error', () => undefined); // a message to a primary that has ended
  // Ctrl+C and a service manager signal all processes; the primary handles the second signal.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) onSignal(signal, () => stopped.settle(0));
  onSignal('SIGHUP', reopen);
  onCrash((error) => {
    service?.logCrash(error);
    stopped.settle(1);
  });
  send({ type: 'hello' });
  return {
    order: order.promise,
    running: () => running,
    stopped: stopped.promise,
    attend: (opened, announcing) => {
      service = opened;
      announceWith = announcing;
    },
    send,
  };
}

function ownWorker(): Worker {
  const { worker } = cluster;
  if (worker === undefined) throw new Error('this process is no worker');
  // After the primary is killed, its workers finish the requests in progress, as after a signal.
  worker.exitedAfterDisconnect = true;
  return worker;
}

function sendMetrics(service: Service | undefined, question: number, send: Link['send']): void {
  void service?.metricFamilies().then((families) => send({ type: 'metrics', question, families }), service.logError);
}
