// The damage and losses that a build finds in announcement, manifest and packages.json. Each sentence tells people
// which part the build repaired, or which part it cannot prove.

import { publicationPath, rootDocumentPath } from '../contract/paths.ts';
import { purgedPath } from '../contract/purged.ts';
import { withheldPath } from '../contract/withheld.ts';
import type { Output } from '../output/output.ts';
import { manifestPath } from './manifest.ts';

export interface SoundParts {
  /** the tree had been published whole */
  readonly wasWhole: boolean;
  readonly manifest: boolean;
  readonly publication: boolean;
  /** packages.json, its time included */
  readonly root: boolean;
  readonly rootText: boolean;
}

/** One sentence or more for each damage. */
export async function describeDamage(output: Output, sound: SoundParts): Promise<readonly string[]> {
  return [
    ...(sound.wasWhole ? lostParts(sound) : []),
    ...(sound.publication || sound.manifest ? [] : await unprovenLists(output, sound.wasWhole)),
  ];
}

function lostParts(sound: SoundParts): readonly string[] {
  const lost = (what: string): string =>
    `${what} was missing or damaged. The build compared everything with the published tree and rebuilt it.`;
  return [
    ...(sound.manifest ? [] : [lost(`build/${manifestPath}`)]),
    ...(sound.publication ? [] : [lost(`index/${publicationPath}`)]),
    ...(sound.root || !sound.publication ? [] : [sound.rootText ? otherTime : lost(`public/${rootDocumentPath}`)]),
  ];
}

/**
 * Warns about a published tree without announcement and manifest, which alone name every row of both lists. An existing
 * list has a checksum, so only a missing one is uncertain.
 */
async function unprovenLists(output: Output, wasWhole: boolean): Promise<readonly string[]> {
  const paths = [purgedPath, withheldPath];
  const there = await Promise.all(paths.map(async (path) => (await output.facts('index', path)) !== undefined));
  const missing = paths.filter((_, at) => there[at] !== true).map((path) => `index/${path}`);
  const isPublished = wasWhole || (await output.list('index', '')).length > 0;
  if (missing.length === 0 || !isPublished) return [];
  return [
    `WARNING: index/${publicationPath} and build/${manifestPath} were both missing or damaged, and ` +
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing. So nothing proves that no version was ` +
      'purged or withdrawn by hand: the build may have published one again. Compare with the newest backup or ' +
      '`libretto config export`: `libretto package purged --recover FILE` takes its tombstones, and ' +
      '`libretto package withdraw` withdraws a version again. `libretto audit list` names purges and withdrawals.',
  ];
}

const otherTime =
  `Only the time of public/${rootDocumentPath} differs from its publication, as after a copy without times: ` +
  '`cp -a` keeps them. Everything was compared with what is published, ' +
  'and the file got a later time than any that clients may have seen.';
