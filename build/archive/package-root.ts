// Finds the folder of a ZIP that Composer takes as the package: the only folder at the top, or the top itself.

/**
 * `''` if composer.json is at the top; otherwise the only top folder with its slash, or `''`. Composer unpacks by the
 * same rule (ArchiveDownloader.php:160, which ignores .DS_Store).
 */
export function packageRoot(paths: readonly string[]): string {
  if (paths.includes('composer.json')) return '';
  const tops = new Set(paths.filter((path) => path !== '.DS_Store').map((path) => path.split('/', 1)[0] ?? ''));
  const [top] = tops;
  return tops.size === 1 && top !== undefined && !paths.includes(top) ? `${top}/` : '';
}
