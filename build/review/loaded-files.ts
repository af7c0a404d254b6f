// Which files of a package its composer.json loads: below the folders of autoload, and the commands of `bin`. Tests and
// documentation are told apart from them. Pure.

import { isJsonObject, type JsonObject } from '../contract/json.ts';
import { plainPath, textsOf } from './capabilities.ts';

const notPlain = new Set(['', '.']);

/** `composer`: undefined: it cannot be read, so everything counts as loaded. */
export function loadedFiles(composer: JsonObject | undefined): (path: string) => boolean {
  if (composer === undefined) return () => true;
  const { autoload, bin } = composer;
  const roots = isJsonObject(autoload)
    ? ['psr-4', 'psr-0', 'classmap', 'files'].flatMap((way) => {
        const named = autoload[way];
        return isJsonObject(named) ? Object.values(named).flatMap(textsOf) : textsOf(named);
      })
    : [];
  const starts = [...roots, ...textsOf(bin), ...textsOf(composer['include-path'])].map(
    (root) => plainPath(root).split('*', 1)[0]?.replace(/\/+$/, '') ?? '',
  );
  if (starts.some((start) => notPlain.has(start))) return () => true;
  const known = new Set(starts);
  const lengths = [...new Set(starts.map(({ length }) => length))]; // a hostile composer.json names thousands
  return (path) => lengths.some((length) => known.has(path.slice(0, length)));
}
