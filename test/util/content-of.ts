// Reads the files of a release whose archive the builder makes.

import type { Content } from '../../build/archive/content.ts';
import type { Release } from '../../build/sources/release.ts';

export function contentOf(release: Release | undefined): Content {
  if (release === undefined || !('list' in release.content)) throw new Error('this release has no files of its own');
  return release.content;
}
