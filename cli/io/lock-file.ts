// Reads a composer.lock: the installed packages and their origins.

import { readFileSync } from 'node:fs';

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { LockedPackage } from '../../build/inspect/impact.ts';
import { deepest, shapeOf, tooDeep } from '../../build/shared/json/json-scan.ts';
import { describeReadFault } from './read-fault.ts';
import { UsageError } from './usage-error.ts';
import { parseUrl } from '../../build/contract/parse-url.ts';

/** More than any project has; larger files are refused before they are parsed. */
const mostBytes = 50 * 1024 ** 2;
const mostPackages = 20_000;

/** The packages of a lock file, including those for development. Throws UsageError for another file. */
export function readLockFile(path: string): readonly LockedPackage[] {
  return parseLock(path, readLock(path)).map(lockedPackage);
}

/** The bytes of a file; 0: standard input, which `shown` names. Throws UsageError. */
export function readLock(path: string | 0, shown = String(path)): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new UsageError(`${shown} cannot be read as a composer.lock: ${describeReadFault(cause)}.`, { cause });
  }
}

/** The entries of a lock file, each with name and version. Throws UsageError, also for a file above the limits. */
export function parseLock(shown: string, bytes: Buffer): readonly LockEntry[] {
  if (bytes.length > mostBytes) throw tooLarge(shown, `${bytes.length} bytes`, `${mostBytes}`);
  const json = parse(shown, bytes);
  const lists = isJsonObject(json) ? [json['packages'], json['packages-dev'] ?? []] : [];
  if (lists.length === 0 || !lists.every((list) => Array.isArray(list)))
    throw new UsageError(`${shown} is not a composer.lock: it has no list of packages.`);
  const entries: readonly unknown[] = lists.flat();
  if (entries.length > mostPackages) throw tooLarge(shown, `${entries.length} packages`, `${mostPackages}`);
  return entries.map((entry) => lockEntry(shown, entry));
}

function tooLarge(shown: string, size: string, most: string): UsageError {
  return new UsageError(`${shown} has ${size}; a composer.lock may have ${most}. Name a file that Composer wrote.`);
}

/** An entry with all its fields. */
export type LockEntry = JsonObject & { readonly name: string; readonly version: string };

function parse(shown: string, bytes: Buffer): unknown {
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
    if (shapeOf(bytes).depth > deepest) throw tooDeep();
    return json;
  } catch (cause) {
    throw new UsageError(`${shown} cannot be read as a composer.lock: ${describeReadFault(cause)}.`, { cause });
  }
}

function lockEntry(shown: string, entry: unknown): LockEntry {
  if (!isJsonObject(entry) || typeof entry['name'] !== 'string' || typeof entry['version'] !== 'string')
    throw new UsageError(`${shown} is not a composer.lock: a package in it has no name or version.`);
  return entry as LockEntry;
}

function lockedPackage(entry: LockEntry): LockedPackage {
  const { name, version } = entry;
  const dist = isJsonObject(entry['dist']) ? entry['dist'] : {};
  return {
    name,
    version,
    reference: textOrNull(dist['reference']),
    shasum: textOrNull(dist['shasum']),
    hosts: hostsOf(dist),
  };
}

/** Hosts of the dist itself and of its mirrors. */
function hostsOf(dist: JsonObject): readonly string[] {
  const mirrors = Array.isArray(dist['mirrors'])
    ? dist['mirrors'].map((mirror: unknown) => (isJsonObject(mirror) ? mirror['url'] : undefined))
    : [];
  return [dist['url'], ...mirrors].flatMap((url) => (typeof url === 'string' ? hostOf(url) : []));
}

/** The host as in an address: with its port unless that is the default. Empty for text that is no address. */
function hostOf(url: string): readonly string[] {
  const host = parseUrl(url)?.host ?? '';
  return host === '' ? [] : [host];
}

/** Composer writes an empty text for an absent value. */
function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
