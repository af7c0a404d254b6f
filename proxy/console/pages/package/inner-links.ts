// Links and pictures of a README or CHANGELOG to files of its own archive: they lead to the pages about files.

import { placeFiles, waitingPaths } from '../../../packages/text-links.ts';
import { hrefTo, rootFrom } from '../../components/place.tsx';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { packagePath, type OpenPackage, type PackagePageServices } from './open-package.ts';

/** `page`: the one that shows the text, such as `changelog`; empty for the overview. */
export function placeInside(
  { inspection }: Pick<PackagePageServices, 'inspection'>,
  { name, latest: { entry } }: Pick<OpenPackage, 'name' | 'latest'>,
  request: Pick<SignedInRequest, 'caller' | 'isGone'>,
  page = '',
): (html: string) => Promise<string> {
  const place = { root: rootFrom(packagePath(name, page)), isCatalogue: false, assets: '' };
  return async (html) => {
    const paths = waitingPaths(html);
    if (paths.length === 0) return html;
    const known = new Set(await (await inspection()).contents(request).known(entry, paths));
    return placeFiles(html, (path, isPicture) =>
      known.has(path)
        ? hrefTo(place, packagePath(name, isPicture ? 'raw' : 'files', { version: entry.version, path }))
        : undefined,
    );
  };
}
