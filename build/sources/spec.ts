// Parses a SOURCE in its written form (`./packages`, `git:../lib.git`, `https://host/lib.git`). A path is remembered
// relative to the data folder, so that a workspace can move with its data and stay the same source. A parsed source has
// no credentials. Packages in libretto.json itself are one source each, identified by their names.

import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { JsonObject } from '../contract/json.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { isAddress, withoutCredentials } from './address-secrets.ts';
import { localPathOf, parseGitUrl } from './git-url.ts';
import type { InlinePackages } from './options.ts';

export type PathKind = 'directory' | 'git' | 'artifact';

export type SourcePlace =
  | { readonly kind: PathKind; readonly path: string }
  | { readonly kind: 'git'; readonly url: string }
  /** undefined if only their names are remembered; libretto.json has their definitions */
  | { readonly kind: 'package'; readonly inline: InlinePackages | undefined }
  /**
   * a tree that is built elsewhere; `tree` is the absolute path of its present copy, undefined unless that is being
   * received. `adopted`: it was made of the packages of another registry, whose archives were packed elsewhere
   */
  | ({ readonly kind: 'received' } & Omit<ReceivedPlace, 'name'>);

export interface SourceSpec {
  /** stable across builds: of the kind and the location */
  readonly id: string;
  /** the written form, for the memory and for reports: `dir:../packages-src`, `git:https://host/lib.git` */
  readonly location: string;
  /** for people: the absolute path or the URL; the written form of a source without either */
  readonly shown: string;
  readonly place: SourcePlace;
}

/** The prefix of a written source, and of every remembered path. */
const prefixOf: Readonly<Record<PathKind, string>> = { directory: 'dir', git: 'git', artifact: 'artifact' };
const kindOf: Readonly<Record<string, PathKind>> = { dir: 'directory', git: 'git', artifact: 'artifact' };
export const sourcePrefixes: readonly string[] = Object.keys(kindOf);

/**
 * Parses what a person wrote; relative paths are relative to `base`, remembered ones to `dataDirectory`. Throws
 * BuildRefused. Without a prefix, a folder that git accepts as a repository's root (a work tree or a bare one) is a git
 * source.
 */
export function parseSource(text: string, base: string, dataDirectory: string): SourceSpec {
  const refusal = sourceRefusal(text);
  if (refusal !== undefined) throw new BuildRefused(refusal);
  const path = pathIn(text, base);
  const { prefix, rest } = splitPrefix(text);
  if (path === undefined) return gitUrl(rest);
  const isGit = isAddress(rest) || looksLikeGit(path);
  const kind = prefix === undefined ? (isGit ? 'git' : 'directory') : (kindOf[prefix] ?? 'directory');
  return pathSource(kind, path, dataDirectory);
}

/** The text with an absolute path; one of a remote stays as it is. */
export function anchorSource(text: string, directory: string): string {
  const { prefix, rest } = splitPrefix(text);
  const path = rest === '' ? undefined : pathIn(text, directory);
  return path === undefined ? text : `${prefix === undefined ? '' : `${prefix}:`}${path}`;
}

/** The absolute path of the folder that a source names; undefined for a remote. */
function pathIn(text: string, base: string): string | undefined {
  const { prefix, rest } = splitPrefix(text);
  const local =
    prefix === 'dir' || prefix === 'artifact' ? rest : localPathOf(rest, (path) => existsSync(resolve(base, path)));
  return local === undefined ? undefined : resolve(base, local);
}

/** The fault of a source's text, without any look at the disk; undefined: no fault. */
export function sourceRefusal(text: string): string | undefined {
  if (text.trim() === '') return 'A source is empty. Name a folder, a git repository or its URL.';
  if (/^[a-z]+::/i.test(text)) return refusalOfUrl(text);
  const unprotected = /^(?:git:)?(git:\/\/.*)$/is.exec(text)?.[1];
  if (unprotected !== undefined) return refusalOfUrl(unprotected);
  if (text.startsWith(receivedPrefix))
    return (
      `Source ${text}: a tree that is built elsewhere is published with \`libretto receive\`, and withdrawn with ` +
      '--forget.'
    );
  if (isAdopted(text))
    return `Source ${text}: another registry is taken over with \`libretto adopt\`, and withdrawn with --forget.`;
  if (text.startsWith(packagePrefix))
    return `Source ${withoutCredentials(text)}: write inline packages into libretto.json, as a source of type package.`;
  const { prefix, rest } = splitPrefix(text);
  if (prefix !== undefined && rest.trim() === '')
    return (
      `Source ${text} has no path behind the prefix. Write one such as ${prefix}:./packages, or ${prefix}:. for the ` +
      'current folder.'
    );
  if (!isAddress(rest)) return undefined;
  if (prefix !== undefined && prefix !== 'git')
    return `Source ${withoutCredentials(text)}: a URL is never a directory. Leave the ${prefix}: prefix out.`;
  return localPathOf(rest, () => false) === undefined ? refusalOfUrl(rest) : undefined;
}

function refusalOfUrl(url: string): string | undefined {
  const parsed = parseGitUrl(url);
  return 'refusal' in parsed ? parsed.refusal : undefined;
}

function splitPrefix(text: string): { readonly prefix: string | undefined; readonly rest: string } {
  const prefix = sourcePrefixes.find((candidate) => text.startsWith(`${candidate}:`));
  return { prefix, rest: prefix === undefined ? text : text.slice(prefix.length + 1) };
}

/** Parses a remembered location back. */
export function restoreSource(location: string, dataDirectory: string): SourceSpec {
  if (location.startsWith(packagePrefix)) return packageSpec(location, undefined);
  if (location.startsWith(receivedPrefix))
    return receivedSpec({ name: location.slice(receivedPrefix.length), tree: undefined });
  if (isAdopted(location))
    return receivedSpec({ name: location.slice(adoptedPrefix.length), tree: undefined, adopted: true });
  return parseSource(location, dataDirectory, dataDirectory);
}

/** The source of a report for people. `source`: a location, or another text, which stays as it is. */
export function shownSource(source: string, dataDirectory: string): string {
  return splitPrefix(source).prefix === undefined ? source : restoreSource(source, dataDirectory).shown;
}

const packagePrefix = 'package:';
const receivedPrefix = 'received:';
const adoptedPrefix = 'adopted:';

/**
 * True for the location of another registry that was taken over. Its versions stay until it is forgotten, or until
 * another source has them: a tree of it holds what is new there, and not all of it.
 */
export function isAdopted(location: string | undefined): boolean {
  return location?.startsWith(adoptedPrefix) === true;
}

/** A tree that was built elsewhere: its name, and the path of its present copy. */
export interface ReceivedPlace {
  readonly name: string;
  /** absolute */
  readonly tree: string | undefined;
  readonly adopted?: true;
  /** the bundle that the tree came in: archives that are here may be absent from it */
  readonly bundle?: ReceivedBundle;
}

export interface ReceivedBundle {
  readonly registry: string;
  readonly serial: number;
  /** false: it says nothing about the versions that it does not have */
  readonly whole: boolean;
}

/** The name alone identifies the source: each copy may have another path. */
export function receivedSpec({ name, ...copy }: ReceivedPlace): SourceSpec {
  const location = `${copy.adopted === true ? adoptedPrefix : receivedPrefix}${name}`;
  const id = sourceId('received', copy.adopted === true ? location : name);
  return { id, location, shown: location, place: { kind: 'received', ...copy } };
}

/**
 * Each package is one source, identified by its name. Its place in libretto.json, new versions and other packages do
 * not change its identity.
 */
export function inlineSources(inline: InlinePackages): readonly SourceSpec[] {
  const byName = new Map<string, JsonObject[]>();
  for (const json of inline.packages) {
    const name = String(json['name']).toLowerCase();
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [json]);
    else known.push(json);
  }
  return Array.from(byName, ([name, packages]) => packageSpec(`${packagePrefix}${name}`, { ...inline, packages }));
}

/** The same again for the `ordinal`-th source of the same name. */
export function distinguish({ location, place }: SourceSpec, ordinal: number): SourceSpec {
  return packageSpec(`${location}#${ordinal}`, place.kind === 'package' ? place.inline : undefined);
}

function packageSpec(location: string, inline: InlinePackages | undefined): SourceSpec {
  return {
    id: sourceId('package', location.slice(packagePrefix.length)),
    location,
    shown: location,
    place: { kind: 'package', inline },
  };
}

function gitUrl(text: string): SourceSpec {
  const parsed = parseGitUrl(text);
  if ('refusal' in parsed) throw new BuildRefused(parsed.refusal);
  const { url } = parsed;
  return { id: sourceId('git', url), location: `git:${url}`, shown: url, place: { kind: 'git', url } };
}

/** True for the location of a path outside the data folder. */
export function isOutside(location: string): boolean {
  return !splitPrefix(location).rest.startsWith('./');
}

/** The source of this kind at an absolute path. */
export function pathSource(kind: PathKind, path: string, dataDirectory: string): SourceSpec {
  const prefix = prefixOf[kind];
  const near = relative(dataDirectory, path).split(sep).join('/');
  const remembered = near.startsWith('../') || near === '..' ? near : `./${near}`;
  return { id: sourceId(kind, remembered), location: `${prefix}:${remembered}`, shown: path, place: { kind, path } };
}

function sourceId(kind: PathKind | 'package' | 'received', location: string): string {
  return `${kind === 'package' || kind === 'received' ? kind : prefixOf[kind]}-${createHash('sha256').update(`${kind}\0${location}`).digest('hex').slice(0, 12)}`;
}

function looksLikeGit(path: string): boolean {
  if (existsSync(join(path, '.git'))) return true;
  return existsSync(join(path, 'HEAD')) && isFolder(join(path, 'objects')) && isFolder(join(path, 'refs'));
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
