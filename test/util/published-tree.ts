// Reads an output tree as its readers do, into plain data to compare. The data has the bytes of every document, and
// the digest of every archive that a document names.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesBelow } from './files-below.ts';

/**
 * path below public/ → SHA-256 of its bytes without `published-time`: packages.json, every p2 document, and the
 * archives that they name.
 */
export function publishedTree(data: string): Record<string, string> {
  const files = allFiles(join(data, 'public'));
  const named = namedArchives(data, files);
  return Object.fromEntries(
    files
      .filter((path) => !path.startsWith('dist/') || named.has(path))
      .map((path) => [path, digest(join(data, 'public', path))]),
  );
}

/** path below public/ → SHA-256 without `published-time`, for every file */
export function wholeTree(data: string): Record<string, string> {
  return Object.fromEntries(allFiles(join(data, 'public')).map((path) => [path, digest(join(data, 'public', path))]));
}

export type PublishedVersions = Readonly<Record<string, { readonly reference: string; readonly shasum?: string }>>;

/** `name@version` → its dist, of every p2 document. */
export function publishedVersions(data: string): PublishedVersions {
  return Object.fromEntries(publishedRecords(data).map(({ name, version, dist }) => [`${name}@${version}`, dist]));
}

/** Every record of every p2 document. */
export function publishedRecords(data: string): readonly Required<VersionRow>[] {
  const files = existsSync(join(data, 'public')) ? allFiles(join(data, 'public')) : [];
  return recordsOf(data, files).flatMap(({ dist, description = '', require = {}, ...row }) =>
    dist === undefined ? [] : [{ ...row, description, require, dist }],
  );
}

interface VersionRow {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly require?: Readonly<Record<string, string>>;
  /** dev versions carry no checksum unless `distShasum` is `always` */
  readonly dist?: { readonly reference: string; readonly shasum?: string };
}

function recordsOf(data: string, files: readonly string[]): VersionRow[] {
  return files
    .filter((path) => path.startsWith('p2/'))
    .flatMap((path) =>
      Object.values(
        (
          JSON.parse(readFileSync(join(data, 'public', path), 'utf8')) as {
            packages: Record<string, Record<string, VersionRow>>;
          }
        ).packages,
      ).flatMap((versions) => Object.values(versions)),
    );
}

/** The plain archive of every version, and the pinned archive of each dev version. */
function namedArchives(data: string, files: readonly string[]): ReadonlySet<string> {
  return new Set(
    recordsOf(data, files).flatMap(({ name, version, dist }) =>
      dist === undefined ? [] : [`dist/${name}/${version}.zip`, `dist/${name}/${version}@${dist.reference}.zip`],
    ),
  );
}

/** Sorted, relative, forward slashes. */
export function allFiles(folder: string): string[] {
  return filesBelow(folder)
    .map((path) => relative(folder, path))
    .sort();
}

/**
 * Removes `published-time`, the only field that depends on the clock: a build from nothing publishes everything at its
 * own time (DECISIONS.md).
 */
function digest(file: string): string {
  const bytes = readFileSync(file);
  const timeless = file.endsWith('.json') ? bytes.toString('utf8').replaceAll(/,"published-time":"[^"]*"/g, '') : bytes;
  return createHash('sha256').update(timeless).digest('hex');
}
