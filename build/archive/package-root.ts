// Finds the folder of a ZIP that Composer takes as the package: the only folder at the top, or the top itself.

/**
 * `''` where composer.json is at the top, else the only top folder with its slash, else `''`: as Composer unpacks it
 * (ArchiveDownloader.php:160, which leaves .DS_Store out of account).
 */
export function packageRoot(paths: readonly string[]): string {
  if (paths.includes('composer.json')) return '';
  const tops = new Set(paths.filter((path) => path !== '.DS_Store').map((path) => path.split('/', 1)[0] ?? ''));
  const [top] = tops;
  return tops.size === 1 && top !== undefined && !paths.includes(top) ? `${top}/` : '';
}
