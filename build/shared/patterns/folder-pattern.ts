// The patterns of folders that are packages of one repository: `packages/*`, or `.` for the root.

/** A path inside the repository, whose segments may have wildcards. */
export const folderPatternGrammar = String.raw`^(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\\\u0000-\u001f\u007f]*[^\\/\s\u0000-\u001f\u007f]/?$`;

const grammar = new RegExp(folderPatternGrammar);

export function isFolderPattern(text: string): boolean {
  return grammar.test(text);
}
