// A package folder as a release. The release holds no open file. A later read returns the bytes of the scan, or an
// error.

import { join } from 'node:path';
import { isDevVersion } from '../../contract/version.ts';
import type { ContentListing } from '../../archive/content.ts';
import type { Release } from '../release.ts';
import { rereadComposerJson } from './composer-json.ts';
import { entryTimeOf } from './content-digest.ts';
import type { CachedContents } from './cached-contents.ts';
import { readContent, type ContentPlace } from './read-content.ts';
import { readTexts } from './read-texts.ts';
import type { KnownRelease } from './scan-memory.ts';

export interface PackageReleaseOptions extends ContentPlace {
  readonly known: KnownRelease;
  /** The files behind `known.reference`. Throws QuarantineError. */
  readonly list: () => Promise<ContentListing>;
  readonly kept: CachedContents;
}

export function packageRelease({ known, list, kept, ...place }: PackageReleaseOptions): Release {
  return {
    name: known.name,
    version: known.version,
    normalized: known.normalized,
    dev: isDevVersion(known.normalized),
    reference: known.reference,
    time: known.time,
    defaultBranch: false,
    where: join(place.folder, 'composer.json'),
    composerJson: (noteRepeated) => rereadComposerJson(place.folder, known.composerHash, place.pause, noteRepeated),
    content: {
      list,
      texts: () => readTexts(place),
      deflated: kept.take,
      read: (files) => readContent(place, files),
      entryTime: entryTimeOf(known.reference),
    },
  };
}
