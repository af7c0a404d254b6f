// Whether a recovery finds any record of withdrawals. The list, announcement, manifest, history and state may all be
// lost; a build then publishes withdrawn versions again.

import { publicationPath } from '../contract/paths.ts';
import { parsePublication } from '../contract/publication.ts';
import { withheldPath, type WithheldVersion } from '../contract/withheld.ts';
import { readManifest } from '../memory/manifest.ts';
import { unprovenLists } from '../memory/tree-damage.ts';
import { readAnnounced } from '../memory/tree-memory.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';

/**
 * True if the list of withdrawn versions is lost and nothing proves that it was empty. `recorded`: the withdrawals in
 * the state. Ask before the recovery, which writes a new announcement.
 */
export async function hasUnprovenWithdrawals(output: Output, recorded: readonly WithheldVersion[]): Promise<boolean> {
  if (recorded.length > 0 || (await readManifest(output)) !== undefined) return false;
  const text = await output.read('index', publicationPath);
  const path = `index/${publicationPath}`;
  if (text !== undefined && parseOwnFile(path, () => parsePublication(text)) !== undefined) return false;
  return (await unprovenLists(output, await readAnnounced(output), true)).includes(withheldPath);
}
