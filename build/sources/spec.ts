// A SOURCE as somebody writes it (`./packages`, `git:../lib.git`, `https://host/lib.git`) parsed into what it is. A path is remembered
// relative to the data folder, so that a workspace can move with its data and stay the same source. Nothing here holds a credential.

import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { BuildRefused } from '../refusals.ts';
import { parseGitUrl } from './git/git-url.ts';

export type SourcePlace =
  | { readonly kind: 'directory' | 'git'; readonly path: string }
  | { readonly kind: 'git'; readonly url: string };

export interface SourceSpec {
  /** stable across builds: of the kind and the location */
  readonly id: string;
  /** what a person calls it and what is remembered: `dir:../packages-src`, `git:https://host/lib.git` */
  readonly location: string;
  readonly place: SourcePlace;
}

const urlPattern = /^(?:https?|ssh):\/\//i;
const scpPattern = /^[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:(?!\/\/)[^\s]+$/;

/**
 * Parses what a person wrote; relative paths are relative to `base`, remembered ones to `dataDirectory`. Throws BuildRefused.
 * Without a prefix a folder that git would accept as a repository's root (a work tree or a bare one) is a git source.
 */
export function parseSource(text: string, base: string, dataDirectory: string): SourceSpec {
  if (text.trim() === '') throw new BuildRefused('A source is empty. Name a folder, a git repository or its URL.');
  if (/^(?:git|file|ext|ftps?|rsync):\/\//i.test(text) || /^[a-z]+::/i.test(text)) {
    throw new BuildRefused(`Source ${withoutCredentials(text)}: only https://, http:// and ssh:// URLs are fetched. A repository on this machine is named by its path.`);
  }
  const prefix = /^(git|dir):/.exec(text)?.[1];
  const rest = prefix === undefined ? text : text.slice(prefix.length + 1);
  if (urlPattern.test(rest) || (scpPattern.test(rest) && !existsSync(resolve(base, rest)))) {
    if (prefix === 'dir') throw new BuildRefused(`Source ${withoutCredentials(text)}: a URL is never a directory. Leave the dir: prefix out.`);
    return gitUrl(rest);
  }
  const path = resolve(base, rest);
  return pathSource(prefix === 'git' || (prefix === undefined && looksLikeGit(path)) ? 'git' : 'directory', path, dataDirectory);
}

/** Parses a remembered location back. */
export function restoreSource(location: string, dataDirectory: string): SourceSpec {
  return parseSource(location, dataDirectory, dataDirectory);
}

function gitUrl(url: string): SourceSpec {
  const parsed = parseGitUrl(url);
  if ('refusal' in parsed) throw new BuildRefused(parsed.refusal);
  return { id: sourceId('git', url), location: `git:${url}`, place: { kind: 'git', url } };
}

function pathSource(kind: 'git' | 'directory', path: string, dataDirectory: string): SourceSpec {
  const prefix = kind === 'git' ? 'git' : 'dir';
  const near = relative(dataDirectory, path).split(sep).join('/');
  const remembered = near.startsWith('../') || near === '..' ? near : `./${near}`;
  return { id: sourceId(kind, remembered), location: `${prefix}:${remembered}`, place: { kind, path } };
}

function sourceId(kind: 'git' | 'directory', location: string): string {
  return `${kind === 'git' ? 'git' : 'dir'}-${createHash('sha256').update(`${kind}\0${location}`).digest('hex').slice(0, 12)}`;
}

function looksLikeGit(path: string): boolean {
  if (existsSync(join(path, '.git'))) return true;
  return existsSync(join(path, 'HEAD')) && isFolder(join(path, 'objects')) && isFolder(join(path, 'refs'));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** For messages: a URL's userinfo replaced. */
export function withoutCredentials(text: string): string {
  return text.replace(/(:\/\/)[^/@]*@/, '$1***@');
}
