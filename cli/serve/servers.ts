// The server, and a server of its own for each feature with its own address: the same program with the same limits,
// which answers the requests of that feature alone. Together they open, renew their certificate, and close.

import { featuresAlone } from '../../proxy/core/protocol/route.ts';
import { createProxy, type Proxy, type ProxyOptions } from '../../proxy/core/server.ts';
import type { Configured } from '../config/config.ts';
import type { ListenAddress } from '../config/setting-values.ts';
import type { FeatureListen, OpenFeature } from '../features/served-feature.ts';
import { listenRefusal } from './listen-refusal.ts';

export interface Servers extends Pick<Proxy, 'connections' | 'renewCertificate' | 'close'> {
  /** Throws UsageError for an address that cannot be used. */
  readonly listen: () => Promise<ListeningServers>;
}

export interface ListeningServers {
  readonly main: ListenAddress;
  /** of a feature with an address of its own, by `FeatureListen.name` */
  readonly own: ReadonlyMap<string, ListenAddress>;
}

interface OwnServer {
  readonly listen: FeatureListen;
  readonly proxy: Proxy;
}

/** `options`: without the features. */
export async function createServers(
  options: Omit<ProxyOptions, 'features' | 'host' | 'port'>,
  listen: Configured<ListenAddress>,
  features: readonly OpenFeature[],
): Promise<Servers> {
  const main = await createProxy({
    ...options,
    ...listen.value,
    features: features.flatMap(
      ({ listen: own, answers, answersThere }) => (own === undefined ? answers : answersThere) ?? [],
    ),
  });
  const own = await Promise.all(features.flatMap((feature) => createOwn(options, feature)));
  const all = [main, ...own.map(({ proxy }) => proxy)];
  return {
    listen: async () => ({
      main: await opened(main, listen),
      own: new Map(
        await Promise.all(
          own.map(async ({ proxy, listen: at }) => [at.name, await opened(proxy, at, at.flag)] as const),
        ),
      ),
    }),
    connections: () => all.reduce((sum, { connections }) => sum + connections(), 0),
    renewCertificate: (certificate) => {
      for (const { renewCertificate } of all) renewCertificate(certificate);
    },
    close: async () => {
      await Promise.all(all.map(({ close }) => close()));
    },
  };
}

function createOwn(
  options: Omit<ProxyOptions, 'features' | 'host' | 'port'>,
  { listen, answers }: OpenFeature,
): Promise<OwnServer>[] {
  if (listen === undefined || answers === undefined) return [];
  const made = createProxy({ ...options, ...listen.value, features: [answers], routeOf: featuresAlone });
  return [made.then((proxy) => ({ listen, proxy }))];
}

async function opened(proxy: Proxy, listen: Configured<ListenAddress>, flag?: string): Promise<ListenAddress> {
  return proxy.listen().catch((error: unknown) => {
    throw listenRefusal(error, listen, flag);
  });
}
