// Lists the addresses of a version's archive in the order in which Composer would try them (Package.php:678-708,
// ComposerMirror.php). Pure.

import { createHash } from 'node:crypto';
import type { PackageName } from '../../../build/contract/name.ts';
import type { OfferedDist } from '../versions/offered-version.ts';
import type { DistMirror } from '../upstream/upstream-root.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';

export interface Wanted {
  readonly name: PackageName;
  readonly version: string;
  readonly normalized: string;
  readonly dist: OfferedDist;
}

/**
 * Among several preferred mirrors the last listed one comes first. A path is below the upstream's own origin. Composer
 * would take it as a file of the client; no file of this host is ever read for it.
 */
export function distCandidates(wanted: Wanted, mirrors: readonly DistMirror[], origin: string): readonly URL[] {
  const filled = (preferred: boolean): string[] =>
    mirrors.filter((mirror) => mirror.preferred === preferred).map(({ template }) => fill(template, wanted));
  const { url } = wanted.dist;
  const own = url.startsWith('/') && !url.startsWith('//') ? `${origin}${url}` : url;
  const candidates = [...filled(true).toReversed(), fill(own, wanted), ...filled(false)].filter((candidate) =>
    /^https?:\/\//i.test(candidate),
  );
  return [...new Set(candidates)].flatMap((candidate) => parseUrl(candidate) ?? []).slice(0, maxCandidates);
}

const maxCandidates = 5;

function fill(template: string, { name, version, normalized, dist: { reference } }: Wanted): string {
  const shown = (text: string): string => text.replaceAll('#', '%23').replaceAll('?', '%3F');
  return template
    .replaceAll('%package%', name)
    .replaceAll('%version%', normalized.includes('/') ? md5(normalized) : shown(normalized))
    .replaceAll('%prettyVersion%', shown(version))
    .replaceAll(
      '%reference%',
      reference === '' || /^(?:[a-f0-9]+|%reference%)$/.test(reference) ? reference : md5(reference),
    )
    .replaceAll('%type%', 'zip');
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
