// The content of a metapackage, which has no files: an archive with only its composer.json, so that every version has
// the same proof.

import { digestOf } from '../../shared/text/digest-of.ts';
import type { Content } from '../../archive/content.ts';
import { archiveReference } from '../../archive/zip-admission/ready-archive.ts';
import type { JsonObject } from '../../contract/json.ts';
import { entryTimeOf } from '../directory/content-digest.ts';

/** `sha256`: of the composer.json. */
export function metapackageContent(json: JsonObject): { readonly sha256: string; readonly content: Content } {
  const bytes = Buffer.from(`${JSON.stringify(json, undefined, 4)}\n`);
  const sha256 = digestOf(bytes);
  const files = [{ path: 'composer.json', mode: 'file', identity: `sha256:${sha256}` }] as const;
  return {
    sha256,
    content: {
      list: () => Promise.resolve({ files, withheld: [] }),
      read: async function* () {
        yield bytes;
      },
      entryTime: entryTimeOf(archiveReference(sha256)),
    },
  };
}
