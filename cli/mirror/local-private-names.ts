// Which names are private by the data folder of this host. A host that shares its state with others may have nothing yet, since its copy of the tree is still to
// come: until then it knows of no name that it is not private.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { RegistryError } from '../../build/contract/errors.ts';
import { publicationPath } from '../../build/contract/paths.ts';
import { createPrivateNames, type ReadPrivateNames } from '../../proxy/mirror/private-names.ts';
import type { Config } from '../config.ts';

/** Throws RegistryError as long as that is not known. */
export function localPrivateNames({ data, state }: Pick<Config, 'data' | 'state'>): ReadPrivateNames {
  const names = createPrivateNames(data.value);
  let isKnown = state.value === undefined;
  return () => {
    isKnown ||= existsSync(join(data.value, 'index', publicationPath));
    if (isKnown) return names;
    throw new RegistryError('UPSTREAM_UNAVAILABLE', { message: `Nothing was published in ${data.value} yet, and its state is shared with other hosts: which names are private is not known here, and no other registry is asked, until a first copy of the tree has arrived.` });
  };
}
