// Configuration → the object store that has the tree.

import { homedir } from 'node:os';
import { parseStoreAddress } from '../../build/store/address.ts';
import type { OpenableStore } from '../../build/store/object-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';

/** undefined: the data folder has the tree. */
export function outputStore(
  { output: { value } }: Pick<Config, 'output'>,
  { environment, now }: Pick<Context, 'environment' | 'now'>,
): OpenableStore | undefined {
  if (value === undefined) return undefined;
  const address = parseStoreAddress(value.text, { ...value, environment });
  return {
    open: async () => {
      const { createS3Store } = await import('../../build/store/s3-store.ts'); // only for an object store
      const home = environment['HOME'] ?? homedir();
      return createS3Store({ address, environment, home, now: () => now().getTime(), random: Math.random });
    },
  };
}

/** How long a command waits for a build that has the working copy. */
const waitMs = 60_000;

/** Makes the data folder equal to what the store has. Without a registry there, the folder stays as it is. */
export async function refreshOutput(config: Config, context: Pick<Context, 'environment' | 'now'>): Promise<void> {
  const output = outputStore(config, context);
  if (output === undefined) return;
  const { refreshTree } = await import('../../build/store/change-tree.ts'); // only for an object store
  await refreshTree(config.data.value, { now: context.now, waitMs, output });
}
