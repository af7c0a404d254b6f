// Reads a composer.lock: the installed packages and their origins.

import { readFileSync } from 'node:fs';

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { LockedPackage } from '../../build/inspect/impact.ts';
import { describeReadFault } from './read-fault.ts';
import { UsageError } from './usage-error.ts';
import { parseUrl } from '../../build/contract/parse-url.ts';

/** The packages of a lock file, including those for development. Throws UsageError for another file. */
export function readLockFile(path: string): readonly LockedPackage[] {
  const json = parse(path);
  const lists = isJsonObject(json) ? [json['packages'], json['packages-dev'] ?? []] : [];
  if (lists.length === 0 || !lists.every((list) => Array.isArray(list)))
    throw new UsageError(`${path} is not a composer.lock: it has no list of packages.`);
  return lists.flat().map((entry) => lockedPackage(path, entry));
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new UsageError(`${path} cannot be read as a composer.lock: ${describeReadFault(cause)}.`, { cause });
  }
}

function lockedPackage(path: string, entry: unknown): LockedPackage {
  if (!isJsonObject(entry) || typeof entry['name'] !== 'string' || typeof entry['version'] !== 'string')
    throw new UsageError(`${path} is not a composer.lock: a package in it has no name or version.`);
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
