// Prints a data folder as text: each file with its mode and its content or digest, and the rows of the state instead of
// the bytes of LMDB's file.

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { isOfRealClock, sha256, stableBytes, stableText, withoutStamps } from './stable.ts';

/** Files that name a process or a time of the real clock, or are empty, so that their content is not recorded. */
const contentless = /^(?:state\/(?:lock\.mdb|turn|serve\.lock)|build\/lock)$/;

export interface FileFacts {
  readonly path: string;
  readonly facts: string;
  readonly content: string;
}

/** Sorted by path. `contents`: whether files below `path` are recorded with their content. */
export async function describeFolder(folder: string, root: string): Promise<readonly FileFacts[]> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return Promise.all(paths.map((path) => describeEntry(folder, path, root)));
}

async function describeEntry(folder: string, path: string, root: string): Promise<FileFacts> {
  const full = join(folder, path);
  const stat = lstatSync(full);
  const mode = (stat.mode & 0o777).toString(8);
  if (stat.isDirectory()) return { path: `${path}/`, facts: mode, content: '' };
  if (stat.isSymbolicLink()) return { path, facts: `link to ${stableText(readlinkSync(full), root)}`, content: '' };
  if (contentless.test(path)) return { path, facts: mode, content: '' };
  const content =
    path === 'state/data.mdb'
      ? await stateRows(join(folder, 'state'))
      : stableBytes(withoutStamps(path, readFileSync(full)), root);
  return { path, facts: `${mode} sha256 ${sha256(stableText(content, root))}${dateOf(stat.mtimeMs)}`, content };
}

function dateOf(mtimeMs: number): string {
  return isOfRealClock(mtimeMs) ? '' : ` dated ${new Date(mtimeMs).toISOString()}`;
}

async function stateRows(directory: string): Promise<string> {
  const db = open<unknown, string>({
    path: directory,
    noSubdir: false,
    readOnly: true,
    encoding: 'json',
    useVersions: true,
  });
  try {
    return Array.from(
      db.getRange({ start: '!', versions: true }),
      ({ key, value, version }) => `${key} @${version}\n${JSON.stringify(value, null, 1)}`,
    ).join('\n');
  } finally {
    await db.close();
  }
}

/** One line a file. */
export function listingOf(files: readonly FileFacts[]): string {
  return files.map(({ path, facts }) => `${path} ${facts}`).join('\n');
}

/** The changes of one step, one line a file. */
export function changesBetween(before: readonly FileFacts[], after: readonly FileFacts[]): string {
  const [was, is] = [before, after].map((files) => new Map(files.map(({ path, facts }) => [path, facts])));
  const paths = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].toSorted();
  const lines = paths
    .filter((path) => was?.get(path) !== is?.get(path))
    .map((path) =>
      is?.has(path) !== true ? `- ${path}` : `${was?.has(path) === true ? '~' : '+'} ${path} ${is.get(path)}`,
    );
  return lines.length === 0 ? '(no file changed)' : lines.join('\n');
}

/** Every text file, completely. */
export function contentsOf(files: readonly FileFacts[]): string {
  return files
    .filter(({ content }) => content !== '')
    .map(({ path, content }) => `=== ${path}, ${content}`)
    .join('\n');
}
