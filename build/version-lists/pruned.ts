// The releases of a package that `prune` removed, as builds go by them.

import type { PackageName } from '../contract/name.ts';
import { parsePruned, prunedPath, type PrunedRelease } from '../contract/pruned.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import { BuildRefused } from '../contract/refusals.ts';

/** Throws BuildRefused if the list is damaged: without it a release could come back with other bytes. */
export async function readPruned(output: Pick<Output, 'read'>, name: PackageName): Promise<readonly PrunedRelease[]> {
  const path = prunedPath(name);
  const text = await output.read('index', path);
  const rows = text === undefined ? [] : parseOwnFile(`index/${path}`, () => parsePruned(text));
  if (rows !== undefined) return rows;
  throw new BuildRefused(
    `index/${path} is damaged: it lists the checksums of the pruned releases of ${name}. Restore it from a ` +
      `backup. Or remove it, if these releases may come back with other bytes.`,
  );
}
