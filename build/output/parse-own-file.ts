// Reads what a file of ours says. Damage is no error here: what a damaged file said is found elsewhere, or the build
// stops where it is missed. A file of a newer version is one: this version must not write over what it does not know.

import { NewerFormat } from '../contract/newer-format.ts';
import { BuildRefused } from '../contract/refusals.ts';

/**
 * undefined where the file is damaged. `path`: below the data folder. Throws BuildRefused, with NewerFormat as its
 * cause, for a file of a newer version.
 */
export function parseOwnFile<Parsed>(path: string, parse: () => Parsed): Parsed | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof NewerFormat)
      throw new BuildRefused(`${path}: ${error.message}; nothing was changed.`, { cause: error });
    return undefined;
  }
}
