// The first start of a registry tries its addresses before it makes the data folder and the state: a port in use leaves
// no registry. The state cannot come after the server listens, because the server answers requests from it.

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

import { formatOrigin, type Config } from '../config/config.ts';
import type { ListenAddress } from '../config/setting-values.ts';
import { classifyFolder } from '../data-folder/data-folder-traces.ts';
import { UsageError } from '../io/usage-error.ts';
import { formatAddress } from '../text/address.ts';
import { listenRefusal } from './listen-refusal.ts';

/**
 * Rejects with UsageError if the server of a new data folder cannot listen. A server of an existing registry learns it
 * when it listens.
 */
export async function refuseTakenAddress({
  data,
  listen,
  metrics,
  consoleListen,
}: Pick<Config, 'data' | 'listen' | 'metrics' | 'consoleListen'>): Promise<void> {
  refuseSameAddress(listen, [
    [metrics, '--metrics'],
    [consoleListen, '--console-listen'],
  ]);
  if (classifyFolder(data.value) === 'registry') return;
  const servers: Server[] = [];
  try {
    servers.push(await listenOn(listen.value).catch((error: unknown) => Promise.reject(listenRefusal(error, listen))));
    for (const [{ value, origin }, flag] of [
      [metrics, '--metrics'],
      [consoleListen, '--console-listen'],
    ] as const)
      if (value !== undefined)
        servers.push(
          await listenOn(value).catch((error: unknown) =>
            Promise.reject(listenRefusal(error, { value, origin }, flag)),
          ),
        );
  } finally {
    await Promise.all(servers.map(closed));
  }
}

/** Port 0 is another port for each. Throws UsageError. */
function refuseSameAddress(
  listen: Config['listen'],
  others: readonly (readonly [Config['metrics'] | Config['consoleListen'], string])[],
): void {
  const taken = new Map([[shownAddress(listen.value), `the packages (${formatOrigin(listen.origin)})`]]);
  for (const [{ value, origin }, flag] of others) {
    if (value === undefined || value.port === 0) continue;
    const address = shownAddress(value);
    const other = taken.get(address);
    if (other !== undefined)
      throw new UsageError(
        `${address} is the address of ${other} and of ${formatOrigin(origin)}: both need an address of their own. ` +
          `Choose another port with ${flag}.`,
      );
    taken.set(address, formatOrigin(origin));
  }
}

const shownAddress = ({ host, port }: ListenAddress): string => formatAddress(host, port);

/** Rejects with Node's error (EADDRINUSE, EACCES…). */
async function listenOn({ host, port }: ListenAddress): Promise<Server> {
  const server = createServer().listen({ host, port });
  await once(server, 'listening');
  return server;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
