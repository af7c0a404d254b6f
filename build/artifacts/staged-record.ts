// What the composer.json of a staged ZIP says, for those who decide about it. The ZIP was admitted when it came, and is
// read once.

import { admitZip } from '../archive/zip-admission/admit-zip.ts';
import type { JsonObject } from '../contract/json.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import { parseComposerJson } from '../record/parse-composer-json.ts';
import { composerJsonIn } from '../sources/artifact/examine-archive.ts';

/** So many are kept. */
const mostKept = 200;

/** `path`: absolute, and names the content. undefined: the ZIP is lost or damaged. */
export function stagedRecords(): (path: string) => Promise<JsonObject | undefined> {
  const known = new Map<string, Promise<JsonObject | undefined>>();
  return (path) => {
    const found = known.get(path) ?? readComposerJson(path);
    if (known.size >= mostKept) known.clear();
    known.set(path, found);
    found.catch(() => known.delete(path)); // such as a disk that fails for a moment
    return found;
  };
}

async function readComposerJson(path: string): Promise<JsonObject | undefined> {
  try {
    return parseComposerJson(composerJsonIn(await admitZip(path)), 'composer.json in the archive');
  } catch (error) {
    if (error instanceof QuarantineError) return undefined;
    throw error;
  }
}
