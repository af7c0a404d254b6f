// An admitted ZIP or tar as a release. The release holds no open file. A later read returns the admitted bytes, or an
// error.

import { createHash } from 'node:crypto';
import { openZipMembers } from '../../archive/zip-members.ts';
import { defaultZipLimits } from '../../archive/zip-admission/zip-limits.ts';
import type { JsonObject } from '../../contract/json.ts';
import { isDevVersion } from '../../contract/version.ts';
import { checkComposerJson } from '../../record/check-composer-json.ts';
import { maxComposerJsonBytes, parseComposerJson, type NoteRepeated } from '../../record/parse-composer-json.ts';
import { createPause } from '../../files/pause.ts';
import { changedWhileRead, readUnchanged } from '../../files/read-file.ts';
import { archiveReference, readyArchive } from '../../archive/zip-admission/ready-archive.ts';
import { readTexts } from '../../archive/zip-admission/zip-texts.ts';
import type { Release } from '../release.ts';
import type { ArtifactFacts } from './artifact-memory.ts';

/** `path` is absolute. `zip`: the path of its ZIP, which is the file itself unless that is a tar */
export function artifactRelease(path: string, known: ArtifactFacts, zip: () => Promise<string>): Release {
  const { name, version, normalized, sha256, time } = known;
  return {
    name,
    version,
    normalized,
    dev: isDevVersion(normalized),
    reference: archiveReference(sha256),
    time,
    defaultBranch: false,
    where: path,
    composerJson: async (noteRepeated) => readComposerJson(await zip(), path, known, noteRepeated),
    content: {
      copyTo: async (target) => readyArchive(await zip(), sha256).copyTo(target),
      texts: async () => readTexts(await zip()),
    },
  };
}

/** Throws QuarantineError UNREADABLE_FILE if the ZIP is no longer the one that was admitted. */
async function readComposerJson(
  zip: string,
  path: string,
  { composerPath, composerHash }: ArtifactFacts,
  noteRepeated?: NoteRepeated,
): Promise<JsonObject> {
  const archive = await readUnchanged(zip, { maxBytes: defaultZipLimits.archiveBytes }, createPause());
  const bytes = memberOf(archive, composerPath);
  if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== composerHash)
    throw changedWhileRead(path);
  const json = parseComposerJson(bytes, `${composerPath} in ${path}`, noteRepeated);
  checkComposerJson(json);
  return json;
}

/** undefined for an unreadable member: the archive was admitted, so the file must have changed since. */
function memberOf(archive: Buffer, path: string): Buffer | undefined {
  try {
    return openZipMembers(archive).read(path, maxComposerJsonBytes);
  } catch {
    // adm-zip throws plain errors and strings for a damaged archive, and which one does not matter here
    return undefined;
  }
}
