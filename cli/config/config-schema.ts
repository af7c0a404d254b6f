// The JSON Schema of libretto.json for editors; a test keeps docs/libretto.schema.json equal to it. The schema checks
// less than the program. It cannot express the syntax of version constraints, or that a URL contains no credentials.

import type { JsonObject } from '../../build/contract/json.ts';
import { fileShapes } from './file-shapes.ts';
import { settingNames, settings, type SettingName } from './settings.ts';

/** Draft 7, which editors know best. */
export function configSchema(): JsonObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'libretto.json',
    description: 'The configuration of Libretto, a private Composer registry.',
    ...objectSchema(
      settingNames.map((name) => [settings[name].key, schemaOf(name)]),
      { $schema: { type: 'string' } },
    ),
  };
}

function schemaOf(name: SettingName): JsonObject {
  const schema = Object.hasOwn(fileShapes, name)
    ? fileShapes[name as keyof typeof fileShapes].schema
    : (settings[name].schema ?? {});
  return { description: settings[name].purpose, ...schema };
}

/** A key like `limits.read` becomes a property of an object `limits`. */
function objectSchema(keys: readonly (readonly [string, JsonObject])[], more: JsonObject = {}): JsonObject {
  const properties: Record<string, JsonObject> = {};
  for (const [key, schema] of keys) {
    const [group = key, inner] = key.split('.');
    const siblings = keys
      .filter(([other]) => other.startsWith(`${group}.`))
      .map(([other, theirs]) => [other.slice(group.length + 1), theirs] as const);
    properties[group] = inner === undefined ? schema : objectSchema(siblings);
  }
  return { type: 'object', properties: { ...more, ...properties }, additionalProperties: false };
}
