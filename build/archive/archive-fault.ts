// What is wrong with a ZIP of ours, as far as reading its directory and its composer.json tells. The only file that imports adm-zip.

import AdmZip from 'adm-zip';
import { isJsonObject } from '../contract/json.ts';

/**
 * A sentence, or undefined where all is well: it opens, has one top folder, and holds a composer.json. Its name is not compared: all versions of
 * a repository are published under the name its default branch has now (VcsRepository.php:438).
 */
export function archiveFault(path: string): string | undefined {
  try {
    const zip = new AdmZip(path);
    const tops = new Set(zip.getEntries().map((entry) => entry.entryName.split('/')[0]));
    if (tops.size !== 1) return `The archive has ${tops.size} top folders instead of one.`;
    const manifest = zip.getEntry(`${[...tops][0] ?? ''}/composer.json`);
    if (manifest === null) return 'The archive holds no composer.json.';
    const json: unknown = JSON.parse(zip.readAsText(manifest, 'utf8'));
    return isJsonObject(json) ? undefined : "The archive's composer.json is not a JSON object.";
  } catch (error) {
    return `The archive cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  }
}
