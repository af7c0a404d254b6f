// A registry in which one version contains a secret, in its metadata, its README and its archive. Tests search for the
// secret after a purge.

import AdmZip from 'adm-zip';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { below, type Tree } from './package-tree.ts';
import { allFiles } from './published-tree.ts';
import { whoLibrary } from './who-library.ts';

export const leakedSecret = 'hunter2-in-the-clear';

/** A package folder that contains `who` in every text field. */
export function packageContaining(folder: string, version: string | undefined, who: string): Tree {
  return below(folder, {
    ...whoLibrary('acme/hello', version, { description: `says ${who}` }, who),
    'README.md': `# ${who}\n`,
  });
}

/**
 * Every file below a folder that contains the secret, also compressed in a ZIP. A running server renames files that it
 * has written; where one is gone, all are listed again, because the list may lack its new name.
 */
export function filesWithSecret(folder: string, secret = leakedSecret): string[] {
  for (;;) {
    try {
      return allFiles(folder).filter((file) => holds(readFileSync(join(folder, file)), secret));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT' && existsSync(folder))) throw error;
    }
  }
}

const holds = (bytes: Buffer, secret: string): boolean =>
  bytes.includes(secret) ||
  (bytes.subarray(0, 2).toString() === 'PK' &&
    new AdmZip(bytes).getEntries().some((entry) => entry.getData().includes(secret)));
