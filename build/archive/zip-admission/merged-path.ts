// The names that some file system merges.

/**
 * Equal for paths that some client's file system holds for the same. Windows drops dots and blanks at the end of a
 * name, except that two dots stay the parent folder.
 */
export function mergedPath(path: string): string {
  return path.normalize('NFC').toLowerCase().split('/').map(withoutTail).join('/');
}

function withoutTail(segment: string): string {
  if (segment.startsWith('..') && /^[. ]*$/.test(segment)) return '..';
  let end = segment.length;
  while (end > 1 && (segment[end - 1] === '.' || segment[end - 1] === ' ')) end -= 1;
  return segment.slice(0, end);
}
