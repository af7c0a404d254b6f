// The dist that a composer.json of a repository names itself. Composer installs it in place of the files of the commit
// (VcsRepository.php, preProcess; ArrayLoader.php).

import { basename } from 'node:path';
import { isJsonObject, type JsonObject } from '../../contract/json.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { isSet } from '../../record/php-array.ts';
import { readDist, type InlineDist } from '../package/inline-record.ts';

/**
 * The dist in a composer.json; undefined: the version has the files of its commit. `repository`: its path or URL, if
 * known. `content`: the version and its commit; without a shasum, other ones may have other bytes at the same URL. Throws
 * QuarantineError INVALID_DIST where Composer fails, and where it would install another repository's files.
 */
export function namedDist(
  { dist, source }: JsonObject,
  repository: string | undefined,
  content: string,
): InlineDist | undefined {
  if (isSet(source) && !(isJsonObject(source) && [source['type'], source['url'], source['reference']].every(isSet)))
    throw new QuarantineError(
      'INVALID_DIST',
      'Composer refuses the "source" in its composer.json: it is no object with type, url and reference. Remove it; ' +
        'the address of the sources belongs to "support".',
    );
  if (isSet(dist)) {
    const parsed = readDist(dist);
    if (parsed.remote && parsed.shasum !== undefined) return parsed;
    if (parsed.remote) return { ...parsed, reference: `${parsed.reference} ${content}` };
    throw new QuarantineError('INVALID_DIST', `The dist in its composer.json is the path ${parsed.url}, and no URL.`);
  }
  if (!isJsonObject(source) || repository === undefined) return undefined;
  if (nameOf(String(source['url'])) === nameOf(repository)) return undefined;
  throw new QuarantineError(
    'INVALID_DIST',
    'The "source" in its composer.json is another repository. List that repository as a source of type git.',
  );
}

/** `lib` of `git@host:acme/lib.git`, and of the folder of a clone. */
function nameOf(repository: string): string {
  return basename(repository.replace(/\/?\.git\/?$/, '').replace(/^.*:/, '')).toLowerCase();
}
