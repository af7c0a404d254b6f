// Configuration → the object store that has the tree, to work on it or to read it.

import { homedir } from 'node:os';
import { parseStoreAddress } from '../../build/store/address.ts';
import type { TreeChange } from '../../build/store/change-tree.ts';
import type { OpenableStore } from '../../build/store/object-store.ts';
import type { RequestLimits } from '../../build/store/requests.ts';
import type { OriginConnection } from '../../proxy/origin/origin-files.ts';
import type { Config } from '../config/config.ts';
import type { OutputAddress } from '../config/output-settings.ts';
import type { Context } from '../io/context.ts';

/** What a connection to a store takes from the process. */
export type StoreContext = Pick<Context, 'environment' | 'now'> & Partial<Pick<Context, 'actor'>>;

/** undefined: the data folder has the tree. A server, and a person behind it, wait as long for the store as clients do. */
export function outputStore(
  { output: { value } }: Pick<Config, 'output'>,
  context: StoreContext,
  limits?: RequestLimits,
): OpenableStore | undefined {
  if (value === undefined) return undefined;
  const options = storeOptions(value, context);
  const isWaitedFor = context.actor?.startsWith('cli:') === false;
  return {
    open: async () => {
      const { createS3Store, serverLimits } = await import('../../build/store/s3-store.ts'); // only for an object store
      return createS3Store({ ...options, limits: limits ?? (isWaitedFor ? serverLimits : undefined) });
    },
  };
}

/** For a server that reads the tree there. */
export async function connectToStore(
  value: OutputAddress,
  context: StoreContext,
  cacheBytes: number,
): Promise<OriginConnection> {
  const { createS3Readers } = await import('../../build/store/s3-store.ts');
  const { createStoredRequests } = await import('../../proxy/origin/stored-requests.ts');
  const options = storeOptions(value, context);
  const { name } = options.address;
  const requests = createStoredRequests({ name, ...createS3Readers(options), limitBytes: cacheBytes / 8 });
  return { requests, archiveRequests: requests };
}

/** The address of the objects, without credentials. */
export function storeUrl(value: OutputAddress, { environment }: Pick<StoreContext, 'environment'>): string {
  const { base, prefix } = parseStoreAddress(value.text, { ...value, environment });
  return `${base}${prefix}`.replace(/\/$/, '');
}

function storeOptions(value: OutputAddress, { environment, now }: StoreContext) {
  const home = environment['HOME'] ?? homedir();
  const address = parseStoreAddress(value.text, { ...value, environment });
  return { address, environment, home, now: () => now().getTime(), random: Math.random };
}

/** How long a command waits for a build that has the working copy. */
const waitMs = 60_000;

/** Makes the data folder equal to what the store has. Without a registry there, the folder stays as it is. */
export async function refreshOutput(
  config: Config,
  context: StoreContext,
  { limits, ...waiting }: Pick<TreeChange, 'stop' | 'progress'> & { readonly limits?: RequestLimits | undefined } = {},
): Promise<void> {
  const output = outputStore(config, context, limits);
  if (output === undefined) return;
  const { refreshTree } = await import('../../build/store/change-tree.ts'); // only for an object store
  await refreshTree(config.data.value, { now: context.now, waitMs, output, ...waiting });
}
