// The layout of the output tree. Only this file builds paths of the tree.
//
//   packages.json
//   p2/<vendor>/<package>.json            p2/<vendor>/<package>~dev.json
//   dist/<vendor>/<package>/<version>.zip a released version, or the newest content of a dev version
//   dist/<vendor>/<package>/<version>@<reference>.zip   one content of a dev version, never overwritten
//   index/<vendor>/<package>.json         next to public/, never served: see serving-index.ts
//
// All of these are relative, with forward slashes. A version label may contain slashes (dev-feature/x) and odd
// characters. `parseDistLabel` accepts the labels that make a safe path; all other functions take its branded result.

import type { Branded } from './brand.ts';
import type { Reference } from './digest.ts';
import type { PackageName } from './name.ts';
import { parseRelativePath } from './relative-path.ts';

/** A version label that is safe as a path below a package's dist folder. */
export type DistLabel = Branded<string, 'DistLabel'>;

/** A path below `public/`. */
export type PublicPath = Branded<string, 'PublicPath'>;

export const rootDocumentPath = 'packages.json' as PublicPath;

/** Longest version label, in UTF-8 bytes: leaves room for `@<64 hex>.zip` in a 255-byte file name. */
export const maxLabelBytes = 128;

/** The label, or the reason why it cannot be a path. */
export function parseDistLabel(version: string): { readonly label: DistLabel } | { readonly refusal: string } {
  if (version === '') return { refusal: 'it is empty' };
  if (Buffer.byteLength(version) > maxLabelBytes) return { refusal: `it is longer than ${maxLabelBytes} bytes` };
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
  if (/[\u0000-\u001f\u007f\\]/.test(version)) return { refusal: 'it contains a control character or a backslash' };
  if (!version.isWellFormed()) return { refusal: 'it is not valid Unicode' };
  const below = parseRelativePath(version);
  if ('refusal' in below) return below;
  if (/\.zip\//i.test(version)) return { refusal: 'a path segment of it ends in .zip' };
  if (/@[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(version))
    return { refusal: "it ends like the file of another version's content (@<reference>)" };
  return { label: version as DistLabel };
}

export function providerPath(name: PackageName, kind: 'stable' | 'dev'): PublicPath {
  return `p2/${name}${kind === 'dev' ? '~dev' : ''}.json` as PublicPath;
}

export function distPath(name: PackageName, label: DistLabel): PublicPath {
  return `dist/${name}/${label}.zip` as PublicPath;
}

/** The permanent path of one content of a mutable version. */
export function pinnedDistPath(name: PackageName, label: DistLabel, reference: Reference): PublicPath {
  return `dist/${name}/${label}@${reference}.zip` as PublicPath;
}

/** Below `index/`. */
export function indexPath(name: PackageName): string {
  return `${name}.json`;
}

/** Below `index/`: no package has this path, since no vendor starts with an underscore. */
export const publicationPath = '_publication.json';
