// The order of an archive's entries: by the bytes of their paths in UTF-8, on every machine and in every locale.

/** Sorts a copy. JavaScript compares UTF-16 units, which differs from UTF-8 only for surrogates. */
export function sortedByPath<File extends { readonly path: string }>(files: readonly File[]): File[] {
  if (!files.some(({ path }) => /[\ud800-\udfff]/.test(path)))
    return files.toSorted((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0));
  return files
    .map((file) => ({ file, bytes: Buffer.from(file.path) }))
    .toSorted((left, right) => Buffer.compare(left.bytes, right.bytes))
    .map(({ file }) => file);
}
