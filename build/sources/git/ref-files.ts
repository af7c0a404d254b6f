// Reads a local repository's refs straight from its files, without a process: an unchanged repository costs a few
// system calls. For anything uncertain (reftable, symbolic refs, odd lines) it returns `undefined`, and the caller asks
// git instead (list-refs.ts).

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { GitDirectory } from './git-directory.ts';
import { isObjectId, sortRefs, type Head, type Refs } from './refs.ts';

/**
 * HEAD, `refs/tags` and `refs/heads` of a repository. A clone's remote-tracking branches do not count: like Composer,
 * the function reads only `refs/heads`.
 * @throws the file system's error for an unreadable file
 */
export function readRefFiles(directory: GitDirectory): Refs | undefined {
  if (existsSync(join(directory.common, 'reftable'))) return undefined;
  const head = parseHead(readFileSync(join(directory.own, 'HEAD'), 'latin1'));
  if (head === undefined) return undefined;
  // Loose refs first: git packs a ref before it deletes the loose file. So a ref that vanishes in between is already in
  // the packed file.
  const found = new Map<string, readonly [oid: string, peeled: string | undefined]>();
  const base = Buffer.from(directory.common).toString('latin1');
  if (!readLoose(base, 'refs/tags', found) || !readLoose(base, 'refs/heads', found)) return undefined;
  if (!readPacked(join(directory.common, 'packed-refs'), found)) return undefined;
  return sortRefs(
    head,
    Array.from(found, ([name, [oid, peeled]]) => [name, oid, peeled] as const),
  );
}

function parseHead(text: string): Head | undefined {
  const branch = /^ref:[ \t]*refs\/heads\/([^\n]+)\n?$/.exec(text)?.[1];
  if (branch !== undefined) return branch === '.invalid' ? undefined : { branch: branch.trimEnd() };
  const commit = text.trimEnd();
  return isObjectId(commit) ? { commit } : undefined;
}

type RefMap = Map<string, readonly [oid: string, peeled: string | undefined]>;

/** False if a ref needs git itself. Paths are binary strings, since a ref's name need not be UTF-8. */
function readLoose(base: string, folder: string, found: RefMap): boolean {
  let entries;
  try {
    entries = readdirSync(Buffer.from(`${base}/${folder}`, 'latin1'), { withFileTypes: true, encoding: 'latin1' });
  } catch (error) {
    if (isAbsent(error)) return true;
    throw error;
  }
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!readLoose(base, name, found)) return false;
    } else if (!entry.isFile()) {
      return false;
    } else if (!entry.name.endsWith('.lock') && !readLooseRef(base, name, found)) {
      return false;
    }
  }
  return true;
}

function readLooseRef(base: string, name: string, found: RefMap): boolean {
  let oid;
  try {
    oid = readFileSync(Buffer.from(`${base}/${name}`, 'latin1'), 'latin1').trimEnd();
  } catch (error) {
    if (isAbsent(error)) return true; // packed or deleted a moment ago
    throw error;
  }
  if (!isObjectId(oid)) return false;
  found.set(name, [oid, undefined]);
  return true;
}

/** Adds the refs without a loose file. A `^` line has the target of the tag in the line before it. */
function readPacked(path: string, found: RefMap): boolean {
  let text;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if (isAbsent(error)) return true;
    throw error;
  }
  let last: string | undefined;
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('^')) {
      const row = last === undefined ? undefined : found.get(last);
      if (last !== undefined && row !== undefined) found.set(last, [row[0], line.slice(1)]);
      continue;
    }
    const space = line.indexOf(' ');
    const [oid, name] = [line.slice(0, space), line.slice(space + 1)];
    if (!isObjectId(oid)) return false;
    last = found.has(name) ? undefined : name;
    if (last !== undefined && (name.startsWith('refs/tags/') || name.startsWith('refs/heads/')))
      found.set(name, [oid, undefined]);
  }
  return true;
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
