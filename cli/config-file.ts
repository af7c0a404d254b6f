// libretto.json as a flat map of setting keys to JSON values. Unknown keys are problems, since a mistyped one would be silently without effect.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isJsonObject, type JsonObject, type JsonValue } from '../build/contract/json.ts';
import { checkJsonText, JsonTextError } from '../build/record/json-text.ts';
import { groupExamples, settingNames, settings } from './settings.ts';
import { nearest } from './suggest.ts';

export interface ConfigFile {
  /** absolute */
  readonly path: string;
  /** `limits.read` → 1000 */
  readonly values: ReadonlyMap<string, JsonValue>;
}

/** The named file, which must exist, or ./libretto.json, which need not. What is wrong with it is added to `problems`. */
export function readConfigFile(named: { readonly path: string; readonly by: string } | undefined, workingDirectory: string, problems: string[]): ConfigFile | undefined {
  const path = named?.path ?? join(workingDirectory, 'libretto.json');
  try {
    const text = readFileSync(path, 'utf8');
    return parseConfigFile(path, text, problems);
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (named === undefined && missing) return undefined;
    const reason = missing ? 'there is no such file' : (error as Error).message;
    problems.push(`${path}${named === undefined ? '' : ` (from ${named.by})`} cannot be read: ${reason}.`);
    return undefined;
  }
}

function parseConfigFile(path: string, text: string, problems: string[]): ConfigFile | undefined {
  const fault = textFault(text);
  if (fault !== undefined) {
    problems.push(`${path} ${fault}`);
    return undefined;
  }
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) {
    problems.push(`${path} must hold a JSON object, such as {"sources": ["../packages"]}.`);
    return undefined;
  }
  const values = new Map<string, JsonValue>();
  collect(json, '', { path, problems, values });
  return { path, values };
}

interface Collector {
  readonly path: string;
  readonly problems: string[];
  readonly values: Map<string, JsonValue>;
}

const knownKeys: readonly string[] = settingNames.map((name) => settings[name].key);

function collect(object: JsonObject, prefix: string, into: Collector): void {
  for (const [part, value] of Object.entries(object)) {
    if (value === undefined || (prefix === '' && part === '$schema')) continue;
    const key = `${prefix}${part}`;
    if (!part.includes('.') && knownKeys.includes(key)) into.values.set(key, value);
    else if (isJsonObject(value) && !part.includes('.') && knownKeys.some((known) => known.startsWith(`${key}.`))) collect(value, `${key}.`, into);
    else into.problems.push(unknownKey(key, into.path));
  }
}

function unknownKey(key: string, path: string): string {
  if (knownKeys.some((known) => known.startsWith(`${key}.`))) return `${key} in ${path} must be an object, such as ${groupExamples[key] ?? '{}'}.`;
  const meant = nearest(key, knownKeys);
  return `${key} in ${path} is not a setting${meant === undefined ? `; there are ${knownKeys.join(', ')}` : `; did you mean ${meant}?`}`;
}

/** What is wrong with the text and where, as a phrase behind the file's name; undefined where it is JSON that says everything once. */
function textFault(text: string): string | undefined {
  if (text.startsWith('\ufeff')) return 'begins with a byte-order mark (line 1, column 1). Save it as UTF-8 without one.';
  try {
    checkJsonText(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    const before = text.slice(0, error.offset).split('\n');
    return `${error.syntax ? 'is not valid JSON' : 'cannot be used'} (line ${before.length}, column ${(before.at(-1) ?? '').length + 1}): ${error.message}.`;
  }
}
