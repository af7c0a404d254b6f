// A published package that a first install can take: what to require, and whether other registries are needed for it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { parseStability } from '../../build/contract/stability.ts';

export interface Installable {
  readonly name: string;
  /** for `composer require`: `acme/hello`, or `acme/hello:dev-main` where no stable release satisfies Composer */
  readonly requirement: string;
  /** the package is no stable release, and requires packages that need not be one either */
  readonly needsUnstable: boolean;
  /** a package that this registry does not publish is required */
  readonly needsOthers: boolean;
}

/** The package to install first: acme/hello of the examples, else one with a stable release, else the first. */
export function chooseInstallable(dataDirectory: string, names: readonly string[]): Installable | undefined {
  const ordered = [...names.filter((name) => name === 'acme/hello'), ...names].slice(0, mostRead);
  const found = ordered.flatMap((name) => installable(dataDirectory, name, names) ?? []);
  return found.find(({ name, requirement }) => requirement === name) ?? found[0];
}

/** A registry may publish thousands of packages: a start reads the documents of the first ones. */
const mostRead = 20;

function installable(dataDirectory: string, name: string, names: readonly string[]): Installable | undefined {
  const releases = recordsOf(dataDirectory, name, `${name}.json`);
  const stable = releases.find(({ version_normalized: version }) => parseStability(String(version)) === 'stable');
  const branches = recordsOf(dataDirectory, name, `${name}~dev.json`);
  const record = stable ?? releases[0] ?? branches.find((one) => one['default-branch'] === true) ?? branches[0];
  if (record === undefined) return undefined;
  const required = Object.keys(isJsonObject(record['require']) ? record['require'] : {}).filter((one) =>
    one.includes('/'),
  );
  return {
    name,
    requirement: record === stable ? name : `${name}:${String(record['version'])}`,
    needsUnstable: record !== stable && required.length > 0,
    needsOthers: required.some((one) => !names.includes(one)),
  };
}

/** The records of a published document, in its order; empty for a missing or damaged one. */
function recordsOf(dataDirectory: string, name: string, file: string): readonly JsonObject[] {
  try {
    const json: unknown = JSON.parse(readFileSync(join(dataDirectory, 'public', 'p2', file), 'utf8'));
    const packages = isJsonObject(json) && isJsonObject(json['packages']) ? json['packages'][name] : undefined;
    return isJsonObject(packages) ? Object.values(packages).filter(isJsonObject) : [];
  } catch {
    return []; // the server itself reports the fault to clients
  }
}
