// Makes an example of a schema from the examples of its fields.

import { mapValues, resolveSchema, type Schema, type Schemas } from './schema.ts';

const ofFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-11-21T09:30:00.000Z',
  email: 'ada@example.org',
  password: 'correct horse battery staple',
};

/** `optional`: also includes optional fields without an example. */
export function sampleOf(schema: Schema, schemas: Schemas, optional: boolean): unknown {
  const resolved = resolveSchema(schema, schemas);
  const { example, default: standard, enum: choices, anyOf, type, properties, items } = resolved;
  if (example !== undefined) return example;
  if (standard !== undefined) return standard;
  if (choices !== undefined) return choices[0];
  if (anyOf !== undefined) return sampleOf(anyOf[0] ?? {}, schemas, optional);
  if (properties !== undefined) return sampleOfObject(resolved, schemas, optional);
  if (resolved.nullable === true) return null;
  if (type === 'array') return items === undefined ? [] : [sampleOf(items, schemas, optional)];
  if (type === 'object') return {};
  if (type === 'integer' || type === 'number') return resolved.minimum ?? 0;
  return type === 'boolean' ? false : (ofFormat[resolved.format ?? ''] ?? '…');
}

function sampleOfObject({ properties = {}, required = [] }: Schema, schemas: Schemas, optional: boolean): unknown {
  const shown = Object.entries(properties).filter(
    ([name, property]) => optional || required.includes(name) || resolveSchema(property, schemas).example !== undefined,
  );
  return mapValues(Object.fromEntries(shown), (property) => sampleOf(property, schemas, optional));
}
