// Lists, in sentences for the person who purged, the places outside the registry that may still have a purged version.
// Pure.

import type { PurgeResult } from './version-purger.ts';

/** `isPlanned`: the purge has not started. */
export function remainsOf(
  { name, reason, since, files, sources, contents }: PurgeResult,
  isPlanned = false,
): readonly string[] {
  const isMirrored = contents.some(({ state }) => state === 'mirrored');
  return [
    ...(reason === 'secret' ? ['Revoke the secret first: everyone who downloaded the version has it.'] : []),
    `Clients keep it in Composer's cache (~/.cache/composer/files/${name}, until \`composer clear-cache\`) and ` +
      `in vendor/${name}, as do images and build caches of CI.`,
    `Backups taken before ${isPlanned ? 'the purge' : since} hold it. Restore them with --purged, so that it ` +
      'stays purged.',
    ...sources.map(
      (source) =>
        `The source ${source} may still have it, and so may clones and forks. Remove it there: a git tag and ` +
        'its commits, a folder, a ZIP.',
    ),
    ...(sources.some((source) => source.includes('://')) ? copiesOfRemotes(isPlanned) : []),
    ...(isMirrored
      ? ['The upstream registry may still offer it; this registry neither lists nor fetches it any more.']
      : []),
    ...(files.length === 0
      ? []
      : [
          'Where public/ was copied to (an origin, a CDN, a static host), copy the tree again, then delete ' +
            `there and purge from its caches: ${files.join(', ')}`,
        ]),
  ];
}

function copiesOfRemotes(isPlanned: boolean): readonly string[] {
  return [
    `Copies of these repositories in build/git ${isPlanned ? 'go too' : 'were removed'}, except one that is ` +
      'being fetched into. The next build or sync clones what the remotes have then.',
    'Purge the version once more after the remote is cleaned: a build or sync in between fetches it into ' +
      'build/git again.',
  ];
}
