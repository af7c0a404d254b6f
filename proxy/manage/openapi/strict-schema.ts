// Rewrites a generated schema in terms on which validators and generators of OpenAPI 3.0 agree. The meaning stays
// exactly the same.

import { mapValues, resolveSchema, type Schema, type Schemas } from './schema.ts';

/**
 * - An object has only the properties that it names, unless the schema allows more.
 * - An object that extends another one (`allOf`) becomes one object, because two closed objects could not both match.
 * - `nullable` is next to a `type`, where alone it has an effect (OpenAPI 3.0.3, schema object).
 */
export function strictSchema(schema: Schema, schemas: Schemas): Schema {
  const deep = (inner: Schema): Schema => strictSchema(inner, schemas);
  if (schema.allOf !== undefined) return deep(merged(schema, schemas));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) {
    const nullable = alternatives.some(isNull) || schema.nullable === true;
    const { oneOf: _oneOf, nullable: _nullable, ...rest } = schema;
    return {
      ...rest,
      anyOf: alternatives
        .filter((alternative) => !isNull(alternative))
        .map((alternative) => deep(nullable ? { allOf: [alternative], nullable } : alternative)),
    };
  }
  const { nullable, ...rest } = schema;
  return {
    ...rest,
    ...(nullable === undefined || schema.type === undefined ? {} : { nullable }),
    ...(schema.items === undefined ? {} : { items: deep(schema.items) }),
    ...(typeof schema.additionalProperties === 'object'
      ? { additionalProperties: deep(schema.additionalProperties) }
      : {}),
    ...(schema.properties === undefined
      ? {}
      : { properties: mapValues(schema.properties, deep), additionalProperties: closing(schema, schemas) }),
  };
}

function closing({ additionalProperties = false }: Schema, schemas: Schemas): boolean | Schema {
  return typeof additionalProperties === 'object' ? strictSchema(additionalProperties, schemas) : additionalProperties;
}

function isNull(schema: Schema): boolean {
  return (
    schema.type === undefined &&
    schema.nullable === true &&
    schema.anyOf === undefined &&
    schema.allOf === undefined &&
    schema.$ref === undefined
  );
}

function merged({ allOf = [], ...rest }: Schema, schemas: Schemas): Schema {
  const parts = [...allOf, rest].map((part) => {
    const resolved = resolveSchema(part, schemas);
    return resolved.allOf === undefined ? resolved : merged(resolved, schemas);
  });
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, Schema>;
  const required = [...new Set(parts.flatMap((part) => part.required ?? []))];
  const combined = Object.assign({}, ...parts) as Schema;
  return {
    ...combined,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}
