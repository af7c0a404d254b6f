// The OpenAPI 3.0.3 document of the whole service, generated from its routes, with exact schemas and shared answers.

import { STATUS_CODES } from 'node:http';
import { errorTable } from '../../../build/contract/errors.ts';
import { pathBelowHost } from '../../../build/contract/registry-address.ts';
import type { Api } from '../frame/api.ts';
import { headerComponents, withStatusHeaders } from './answer-headers.ts';
import { about, contact, securitySchemes, tags } from './introduction.ts';
import {
  mapValues,
  type ApiDocument,
  type MediaTypes,
  type Media,
  type OperationObject,
  type ResponseObject,
  type Schema,
  type Schemas,
  resolveSchema,
} from './schema.ts';

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

/**
 * Describes every operation registered with `api`. `version`: the version of the service; `publicUrl`: its address for
 * clients, who resolve the server's path against their host.
 */
export function describeApi(api: Api, version: string, publicUrl?: string): ApiDocument {
  const generated = api.getOpenAPIDocument({
    openapi: '3.0.3',
    info: infoOf(version),
    servers: [{ url: (publicUrl && pathBelowHost(publicUrl)) || '/' }],
    tags: [...tags],
  }) as unknown as ApiDocument;
  const schemas = mapValues(generated.components.schemas, (schema) =>
    strictSchema(schema, generated.components.schemas),
  );
  const described = mapValues(generated.paths, (methods, path) =>
    mapValues(methods, (operation) => describeOperation(operation, path, schemas)),
  );
  const responses = sharedResponses(Object.values(described).flatMap((methods) => Object.values(methods)));
  const refer = (response: ResponseObject, status: string): ResponseObject =>
    JSON.stringify(responses[nameOf(status)]) === JSON.stringify(response)
      ? { $ref: `#/components/responses/${nameOf(status)}` }
      : response;
  const paths = mapValues(described, (methods) =>
    mapValues(methods, (operation) => ({ ...operation, responses: mapValues(operation.responses, refer) })),
  );
  return {
    ...generated,
    paths,
    components: {
      schemas: sorted(schemas),
      responses: sorted(responses),
      securitySchemes,
      headers: headerComponents,
      examples: errorExamples(paths, responses),
    },
  };
}

function infoOf(version: string) {
  return {
    title: 'Libretto',
    version,
    description: about,
    contact,
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  };
}

/**
 * The error answer of each status that most operations share, named by the status: `NotFound`. An operation with other
 * codes or headers has its answer inline.
 */
function sharedResponses(operations: readonly OperationObject[]): Record<string, ResponseObject> {
  const errors = operations.flatMap((operation) =>
    Object.entries(operation.responses).filter(([status]) => Number(status) >= 400),
  );
  const uses = new Map<string, number>();
  const shared: Record<string, ResponseObject> = {};
  const usesOf = (response: ResponseObject | undefined): number => uses.get(JSON.stringify(response)) ?? 0;
  for (const [, response] of errors) uses.set(JSON.stringify(response), usesOf(response) + 1);
  for (const [status, response] of errors)
    if (usesOf(response) > usesOf(shared[nameOf(status)])) shared[nameOf(status)] = response;
  return shared;
}

/** The reason phrase of a status as one word. */
const nameOf = (status: string): string => (STATUS_CODES[status] ?? status).replaceAll(/\W/g, '');

function describeOperation(operation: OperationObject, path: string, schemas: Schemas): OperationObject {
  const { requestBody, responses } = operation;
  return {
    ...operation,
    ...(requestBody === undefined
      ? {}
      : { requestBody: { ...requestBody, content: describeContent(requestBody.content, schemas, false) } }),
    responses: mapValues(responses, ({ content, ...response }, status) =>
      withStatusHeaders(
        { ...response, ...(content === undefined ? {} : { content: describeContent(content, schemas, true) }) },
        status,
        !/^\/(?:health|hooks)/.test(path),
      ),
    ),
  };
}

/** Examples of answers show all fields; examples of requests show required fields and fields with an example. */
function describeContent(content: MediaTypes, schemas: Schemas, optional: boolean): MediaTypes {
  return mapValues(content, (media): Media => {
    const schema = media.schema === undefined ? undefined : strictSchema(media.schema, schemas);
    if (media.examples !== undefined)
      return {
        ...media,
        ...(schema && { schema }),
        examples: mapValues(media.examples, (_example, code) => ({ $ref: `#/components/examples/${code}` })),
      };
    if (schema === undefined || media.example !== undefined || isBinary(schema))
      return { ...media, ...(schema && { schema }) };
    return { ...media, schema, example: sampleOf(schema, schemas, optional) };
  });
}

function isBinary({ format, properties }: Schema): boolean {
  return format === 'binary' || Object.values(properties ?? {}).some((property) => property.format === 'binary');
}

/** Example details of errors. */
const errorDetails: Readonly<Record<string, object>> = {
  INVALID_INPUT: { issues: [{ path: 'description', message: 'Too small: expected string to have >=1 characters' }] },
  CONFIRMATION_REQUIRED: { confirm: 'repo_4fHj2kLm9QwErTy0' },
  RATE_LIMIT_EXCEEDED: { limit: 1000, retry_after_seconds: 60, reset_at: '2026-11-21T10:00:00.000Z' },
  TOO_MANY_ATTEMPTS: { retry_after_seconds: 60 },
  INTERNAL_ERROR: { request_id: 'c2f0a1b7d9e84536' },
};

/** Examples of the error codes that operations use. Some codes belong to malformed requests only. */
function errorExamples(...referring: readonly object[]): Record<string, object> {
  const used = new Set(JSON.stringify(referring).match(/(?<=#\/components\/examples\/)[A-Z_]+/g));
  const codes = Object.entries(errorTable).filter(([code]) => used.has(code));
  return mapValues(Object.fromEntries(codes), ({ message }, code) => ({
    summary: message,
    value: { error: message, code, details: errorDetails[code] ?? {} },
  }));
}

function sorted<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

// Makes an example of a schema from the examples of its fields.

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
