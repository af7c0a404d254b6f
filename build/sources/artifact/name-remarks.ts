// Names in an artifact that its maker should know of, although they hurt no unpacker of Composer. An artifact is
// published unchanged.

import { isCredential } from '../../archive/rules/credentials.ts';

const notOnWindows = /[<>:"|?*]|(?:^|\/)(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:[. ][^/]*)?(?:\/|$)/i;
const remarks: readonly (readonly [isMeant: (path: string) => boolean, remark: string])[] = [
  [
    isCredential,
    'which by its name may be a credential. An artifact is published unchanged: if the file is a credential, pack the ' +
      'archive again without it.',
  ],
  [(path) => /(?:^|\/)\.git(?:\/|$)/i.test(path), 'where git runs hooks and settings. Pack the archive without it.'],
  [(path) => notOnWindows.test(path), 'which is no name of a file on Windows. Rename it.'],
  [
    (path) => /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(path),
    'which is shown in another order than it is written. Rename it.',
  ],
];

/** The first path of each kind stands for all. `root`: the folder of the package, with its slash. */
export function remarksOnNames(paths: readonly string[], root: string): readonly string[] {
  return remarks.flatMap(([isMeant, remark]) => {
    const [first, ...others] = paths.filter((path) => isMeant(path.slice(root.length)));
    if (first === undefined) return [];
    const shown = first.replaceAll(
      /[^ -~]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    return [`${shown}${others.length === 0 ? '' : ` and ${others.length} more`}, ${remark}`];
  });
}
