// Looks at a file or folder that a person named. The messages of a refusal are for that person.

import { accessSync, constants, statSync, type Stats } from 'node:fs';

import { BuildRefused } from '../../contract/refusals.ts';
import { ownUserName } from '../process/own-user.ts';

/** undefined: nothing has this path. Throws BuildRefused for a path that this user may not read, or that cannot be. */
export function statNamed(path: string): Stats | undefined {
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return undefined;
    accessSync(path, facts.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK);
    return facts;
  } catch (error) {
    const refusal = refusalOf(error, path);
    throw refusal === undefined ? error : new BuildRefused(refusal, { cause: error });
  }
}

function refusalOf(error: unknown, path: string): string | undefined {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EACCES':
    case 'EPERM':
      return (
        `The user ${ownUserName()} may not read ${path}. Move it to a folder that this user may read, or give the user ` +
        'rights to it and to the folders above it.'
      );
    case 'ELOOP':
      return `${path} cannot be read: its symbolic links form a circle. Correct the links, or name another path.`;
    case 'ENAMETOOLONG':
      return `${path} cannot be read: the path is too long for this system. Name a shorter path.`;
    default:
      return undefined;
  }
}
