// What is private, from the serving index: it has a file for each package that is published or ever was, until `prune`, and has it before any document names
// the package. Looked up on disk each time, so that a vendor is private from the moment on at which it gets its first package.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { indexPath } from '../../build/contract/paths.ts';
import type { PrivateNames } from './precedence.ts';

export function createPrivateNames(dataDirectory: string): PrivateNames {
  const index = join(dataDirectory, 'index');
  const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
  return {
    has: (name) => exists(join(index, indexPath(name))),
    hasVendor: (vendor) => exists(join(index, vendor)),
  };
}
