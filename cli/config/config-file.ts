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
import { nearest } from '../text/suggest.ts';

// Writes the message for unknown keys in libretto.json: the nearest name, or the page with all names. For a key of
// composer.json or satis.json the message names the way to use such a file. Pure.

/**
 * Keys of a composer.json or satis.json that no setting is called like; listed here, since all that a start loads costs
 * each start.
 */
const foreign: ReadonlySet<string> = new Set([
  'output-dir',
  'output-html',
  'require-dependencies',
  'require-dev-dependencies',
  'only-dependencies',
  'only-best-candidates',
  'strip-hosts',
  'twig-template',
  'include-filename',
  'providers',
  'includes',
  'pretty-print',
  'notify-batch',
  'available-package-patterns',
  'include-types',
  'exclude-types',
  'minimum-stability-per-package',
  'http-basic',
  'github-oauth',
  'gitlab-token',
  'bearer',
  'repositories',
  'require',
  'require-dev',
  'require-all',
  'url',
  'type',
  'package',
  'packages',
  'version',
  'config',
  'extra',
  'license',
  'authors',
  'keywords',
  'support',
  'autoload',
  'autoload-dev',
  'minimum-stability',
  'prefer-stable',
  'scripts',
  'conflict',
  'replace',
  'provide',
  'suggest',
  'blacklist',
  'whitelist',
]);

/** Describes all of these keys in one complaint. */
function describeForeignKeys(keys: readonly string[], path: string): string {
  const names = keys.length < 2 ? keys.join('') : `${keys.slice(0, -1).join(', ')} and ${keys.at(-1) ?? ''}`;
  const sources = keys.some((key) => ['repositories', 'require', 'url', 'packages', 'package'].includes(key))
    ? ' Use "sources" for the packages to publish, such as [{"type": "git", "url": "https://…"}].'
    : '';
  return (
    `${names} in ${path} ${keys.length === 1 ? 'is a key' : 'are keys'} of a composer.json or satis.json, not of ` +
    `a libretto.json.${sources} \`libretto import satis FILE\` converts a satis.json into a libretto.json.`
  );
}

/** `key` is in no way a setting. `known`: all keys there are, groups with a dot: `limits.read`. */
function describeUnknownKey(key: string, path: string, known: readonly string[]): string {
  const group = key.slice(0, key.indexOf('.') + 1);
  const siblings = known
    .filter((candidate) => group !== '' && candidate.startsWith(group))
    .map((candidate) => candidate.slice(group.length));
  const meant = siblings.length > 0 ? nearest(key.slice(group.length), siblings) : nearest(key, known);
  if (meant !== undefined)
    return `${key} in ${path} is not a setting; did you mean ${siblings.length > 0 ? group : ''}${meant}?`;
  return (
    `${key} in ${path} is not a ` +
    `setting${siblings.length > 0 ? `; ${group.slice(0, -1)} has ${siblings.join(', ')}.` : '. docs/reference/configuration.md lists all settings.'}`
  );
}

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
    else if (prefix === '' && foreign.has(key)) into.foreign.push(key);
    else into.problems.push(unknownKey(key, into.path));
  }
}

function unknownKey(key: string, path: string): string {
  if (knownKeys.some((known) => known.startsWith(`${key}.`)))
    return `${key} in ${path} must be an object, such as ${groupExamples[key] ?? '{}'}.`;
  return describeUnknownKey(key, path, knownKeys);
}
