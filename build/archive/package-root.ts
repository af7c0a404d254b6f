// Finds the folder of a ZIP that Composer takes as the package: the only folder at the top, or the top itself.

/**
 * `''` if composer.json is at the top; otherwise the only top folder with its slash, or `''`. Composer unpacks by the
 * same rule (ArchiveDownloader.php:160, which ignores a file or folder .DS_Store). A folder's path ends in a slash.
 * `read` makes names equal that count as one.
 */
export function packageRoot(paths: readonly string[], read = (name: string): string => name): string {
  if (paths.includes('composer.json')) return '';
  const tops = new Set(paths.map((path) => read(path.split('/', 1)[0] ?? '')));
  tops.delete(read('.DS_Store'));
  const [top] = tops;
  return tops.size === 1 && top !== undefined && !paths.includes(top) ? `${top}/` : '';
}
