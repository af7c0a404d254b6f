// libretto.json as a flat map of setting keys to JSON values. Unknown keys are problems, since a mistyped key would
// silently have no effect.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { jsonFault } from './json-fault.ts';
import { shown } from './setting-values.ts';
import { groupExamples, settingNames, settings } from './settings.ts';
import { adviceOnReadFault } from '../io/file-owner.ts';
import { describeReadFault } from '../io/read-fault.ts';
import { describeForeignKeys, describeUnknownKey, isForeignKey } from './unknown-setting.ts';

export interface ConfigFile {
  /** absolute */
  readonly path: string;
  /** `limits.read` → 1000 */
  readonly values: ReadonlyMap<string, JsonValue>;
}

/** Reads the named file, which must exist, or ./libretto.json, which need not. Adds its faults to `problems`. */
export function readConfigFile(
  named: { readonly path: string; readonly by: string } | undefined,
  workingDirectory: string,
  problems: string[],
): ConfigFile | undefined {
  const path = named?.path ?? join(workingDirectory, 'libretto.json');
  try {
    const text = readFileSync(path, 'utf8');
    return parseConfigFile(path, text, problems);
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (named === undefined && missing) return undefined;
    const reason = missing ? 'there is no such file' : describeReadFault(error);
    const advice = adviceOnReadFault(path, error);
    problems.push(`${path}${named === undefined ? '' : ` (from ${named.by})`} cannot be read: ${reason}.${advice}`);
    return undefined;
  }
}

function parseConfigFile(path: string, text: string, problems: string[]): ConfigFile | undefined {
  const fault = text.startsWith('\ufeff')
    ? 'begins with a byte-order mark (line 1, column 1). Save it as UTF-8 without one.'
    : jsonFault(text);
  if (fault !== undefined) {
    problems.push(`${path} ${fault}`);
    return undefined;
  }
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) {
    problems.push(`${path} must contain a JSON object, such as {"sources": ["../packages"]}.`);
    return undefined;
  }
  const values = new Map<string, JsonValue>();
  const foreign: string[] = [];
  collect(json, '', { path, problems, values, foreign });
  if (foreign.length > 0) problems.push(describeForeignKeys(foreign, path));
  return { path, values };
}

interface Collector {
  readonly path: string;
  readonly problems: string[];
  readonly values: Map<string, JsonValue>;
  /** keys of a composer.json or satis.json */
  readonly foreign: string[];
}

const knownKeys: readonly string[] = settingNames.map((name) => settings[name].key);

function collect(object: JsonObject, prefix: string, into: Collector): void {
  for (const [part, value] of Object.entries(object)) {
    if (value === undefined) continue;
    if (prefix === '' && part === '$schema') {
      if (typeof value !== 'string')
        into.problems.push(`$schema in ${into.path} is ${shown(value)}; allowed: a path or an address.`);
      continue;
    }
    const key = `${prefix}${part}`;
    if (!part.includes('.') && knownKeys.includes(key)) into.values.set(key, value);
    else if (isJsonObject(value) && !part.includes('.') && knownKeys.some((known) => known.startsWith(`${key}.`)))
      collect(value, `${key}.`, into);
    else if (prefix === '' && isForeignKey(key)) into.foreign.push(key);
    else into.problems.push(unknownKey(key, into.path));
  }
}

function unknownKey(key: string, path: string): string {
  if (knownKeys.some((known) => known.startsWith(`${key}.`)))
    return `${key} in ${path} must be an object, such as ${groupExamples[key] ?? '{}'}.`;
  return describeUnknownKey(key, path, knownKeys);
}
