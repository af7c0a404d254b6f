// Finds the private names as the server knows them. Commands that query other registries, or explain which registry a
// name belongs to, use these names without a server.

import { RegistryError } from '../../build/contract/errors.ts';
import { createPrivateNames, type ReadPrivateNames } from '../../proxy/core/tree/private-names.ts';
import type { Config } from '../config/config.ts';
import type { StoreContext } from '../data-folder/output-store.ts';
import { markedOrigin } from './origin-mark.ts';

export interface PrivateNamesReader {
  /** Rejects, or throws, with RegistryError if the origin's list is unavailable, or the origin is not configured. */
  readonly read: ReadPrivateNames;
  readonly close: () => void;
}

/** The private names of the data folder, or of the origin if the tree is at one. */
export async function openPrivateNames(config: Config, context: StoreContext): Promise<PrivateNamesReader> {
  if (config.origin.value === undefined) {
    const local = createPrivateNames(config.data.value);
    const read = () => {
      assertNoOrigin(config);
      return local();
    };
    return { read, close: () => undefined };
  }
  const { openServedTree } = await import('../tree/served-tree.ts');
  const { privateNames, close } = await openServedTree(config, context);
  const read = async () => {
    try {
      return await privateNames();
    } catch (error) {
      throw new RegistryError('UPSTREAM_UNAVAILABLE', {
        message:
          'The list of private names is at the origin, and cannot be read: ' +
          `${error instanceof Error ? error.message : String(error)}.`,
      });
    }
  };
  return { read, close };
}

/** With an origin, the list of private names is there, and not in the data folder. */
function assertNoOrigin(config: Config): void {
  const url = markedOrigin(config);
  if (url !== undefined)
    throw new RegistryError('UPSTREAM_UNAVAILABLE', {
      message:
        `The server of ${config.data.value} serves a tree at ${url}, which contains the list of private names. ` +
        'Set the address here too, in LIBRETTO_ORIGIN or libretto.json.',
    });
}
