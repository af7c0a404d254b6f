// The folder of a path with slashes, as text: inside a package, an archive or a git tree.

/** `a/b` of `a/b/c`; '' for a path without a slash. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
