// What is private, from the serving index: it has a file for each package that is published or ever was, until `prune`, and has it before any document names
// the package. Looked up on disk each time, so that a vendor is private from the moment on at which it gets its first package.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { splitPackageName, type PackageName } from '../../build/contract/name.ts';
import { indexPath } from '../../build/contract/paths.ts';
import type { Eventually } from '../eventually.ts';
import type { PrivateNames } from './precedence.ts';

/** What is private now. Rejects, or throws, where that is not known: then no name may be asked of an upstream, nor answered from one (I9). */
export type ReadPrivateNames = () => Eventually<PrivateNames>;

/** Those of a data folder. */
export function createPrivateNames(dataDirectory: string): PrivateNames {
  const index = join(dataDirectory, 'index');
  const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
  return {
    has: (name) => exists(join(index, indexPath(name))),
    hasVendor: (vendor) => exists(join(index, vendor)),
  };
}

/** Exactly these. */
export function privateNamesOf(list: Iterable<PackageName>): PrivateNames {
  const names = new Set(list);
  const vendors = new Set([...names].map((name) => splitPackageName(name).vendor));
  return { has: (name) => names.has(name), hasVendor: (vendor) => vendors.has(vendor) };
}

/** What is private by either of them. */
export function eitherOf(one: PrivateNames, other: PrivateNames): PrivateNames {
  return { has: (name) => one.has(name) || other.has(name), hasVendor: (vendor) => one.hasVendor(vendor) || other.hasVendor(vendor) };
}
