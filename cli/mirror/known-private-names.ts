// Finds the private names as the server knows them. Commands that query other registries, or explain which registry a
// name belongs to, use these names without a server.

import { RegistryError } from '../../build/contract/errors.ts';
import { createPrivateNames, type ReadPrivateNames } from '../../proxy/tree/private-names.ts';
import type { Config } from '../config/config.ts';
import { markedOrigin } from './origin-mark.ts';

export interface KnownPrivateNames {
  /** Rejects, or throws, with RegistryError where an origin does not say, or nobody said that there is one. */
  readonly read: ReadPrivateNames;
  readonly close: () => void;
}

/** Of the data folder, and of the origin where the tree is at one. */
export async function openPrivateNames(config: Config): Promise<KnownPrivateNames> {
  if (config.origin.value === undefined) {
    const local = createPrivateNames(config.data.value);
    const read = () => {
      assertNoOrigin(config);
      return local();
    };
    return { read, close: () => undefined };
  }
  const { openServedTree } = await import('../tree/served-tree.ts');
  const { privateNames, close } = await openServedTree(config, { notice: () => undefined, onNewer: () => undefined });
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

/** What is private is then said elsewhere, and not by the data folder. */
function assertNoOrigin(config: Config): void {
  const url = markedOrigin(config);
  if (url !== undefined)
    throw new RegistryError('UPSTREAM_UNAVAILABLE', {
      message:
        `The server of ${config.data.value} serves a tree at ${url}, which contains the list of private names. ` +
        'Set the address here too, in LIBRETTO_ORIGIN or libretto.json.',
    });
}
