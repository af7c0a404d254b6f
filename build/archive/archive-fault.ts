// What is wrong with a published ZIP, as far as reading its directory and its composer.json tells.

import { isJsonObject } from '../contract/json.ts';
import { maxComposerJsonBytes } from '../record/parse-composer-json.ts';
import { packageRoot } from './package-root.ts';
import { openZipMembers } from './zip-members.ts';

/**
 * A sentence, or undefined where all is well: it opens, holds files, and where it has a composer.json, that is a JSON
 * object. An archive that somebody else packed may be flat, and one that an inline record describes needs no
 * composer.json. Its name is not compared: all versions of a repository are published under the name its default branch
 * has now (VcsRepository.php:438).
 */
export function archiveFault(path: string): string | undefined {
  try {
    const zip = openZipMembers(path);
    if (zip.paths.length === 0) return 'The archive holds no file.';
    const manifest = zip.read(`${packageRoot(zip.paths)}composer.json`, maxComposerJsonBytes);
    if (manifest === undefined) return undefined;
    const json: unknown = JSON.parse(manifest.toString('utf8'));
    return isJsonObject(json) ? undefined : "The archive's composer.json is not a JSON object.";
  } catch (error) {
    return `The archive cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  }
}
