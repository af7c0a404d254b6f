// Tests that the API document is complete: the linter finds no fault, every operation, parameter and field is
// described, and every request value has a documented maximum.

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  resolveSchema,
  type ApiDocument,
  type OperationObject,
  type Schema,
} from '../../../proxy/manage/openapi/schema.ts';
import { runManagement } from '../../util/running-management.ts';
import { itInSeries } from '../../util/series.ts';

let document: ApiDocument;
let operations: readonly OperationObject[];

beforeAll(async () => {
  await using registry = await runManagement();
  document = (await registry.call('GET', '/api/openapi.json')).json() as unknown as ApiDocument;
  operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
});

type Place = readonly [where: string, schema: Schema];

/** A schema with all nested ones. A schema behind a reference is visited once, by its own name. */
function within(where: string, schema: Schema): readonly Place[] {
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([name, property]) => [`${where}.${name}`, property] as const),
    ...(schema.items === undefined ? [] : [[`${where}[]`, schema.items] as const]),
    ...(typeof schema.additionalProperties === 'object' ? [[`${where}{}`, schema.additionalProperties] as const] : []),
    ...(schema.anyOf ?? []).map((alternative, at) => [`${where}|${at}`, alternative] as const),
  ];
  return [[where, schema], ...inner.flatMap(([place, one]) => within(place, one))];
}

const isField = (where: string): boolean => /\.[^.[\]{}|]+$/.test(where);
const isDescribed = (schema: Schema): boolean =>
  (schema.description ?? resolveSchema(schema, document.components.schemas).description) !== undefined;

describe('the API document', () => {
  itInSeries('passes the linter, with its strict rules', async () => {
    const rules = {
      'operation-description': 'error',
      'parameter-description': 'error',
      'info-contact': 'error',
    } as const;
    const config = await createConfig({ extends: ['recommended-strict'], rules });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
    ).toEqual([]);
  });

  it('describes every operation and parameter', () => {
    expect(operations.length).toBeGreaterThan(60);
    expect(
      operations.filter(({ description }) => description === undefined).map(({ operationId }) => operationId),
    ).toEqual([]);
    const parameters = operations.flatMap(({ operationId, parameters: own = [] }) =>
      own.map((one) => ({ operationId, ...one })),
    );
    expect(
      parameters
        .filter((one) => !('description' in one) && !isDescribed(one.schema ?? {}))
        .map(({ operationId, name }) => `${operationId} ${name}`),
    ).toEqual([]);
  });

  it('describes every field', () => {
    const named = Object.entries(document.components.schemas).flatMap(([name, schema]) => within(name, schema));
    const inline = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody?.content, ...Object.values(responses).map(({ content }) => content)].flatMap((content) =>
        Object.values(content ?? {}).flatMap(({ schema = {} }) => within(operationId, schema)),
      ),
    );
    const fields = [...named, ...inline].filter(([where]) => isField(where));
    expect(fields.length).toBeGreaterThan(300);
    expect(fields.filter(([, schema]) => !isDescribed(schema)).map(([where]) => where)).toEqual([]);
  });

  it('has a maximum for every value of a request', () => {
    const sent = operations.flatMap(({ operationId, parameters = [], requestBody }): readonly Place[] => [
      ...parameters
        .filter((one) => one.in !== 'header')
        .map(({ name, schema = {} }) => [`${operationId}?${name}`, schema] as const),
      ...Object.values(requestBody?.content ?? {}).map(({ schema = {} }) => [operationId, schema] as const),
    ]);
    const places = sent.flatMap(([where, schema]) => within(where, resolved(schema)));
    expect(places.length).toBeGreaterThan(200);
    expect(places.filter(([, schema]) => isUnbounded(schema)).map(([where]) => where)).toEqual([]);
  });
});

/** The document with every reference replaced by its schema. */
function resolved(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(resolveSchema(schema, document.components.schemas)), (_key, value: Schema | null) =>
    typeof value?.$ref === 'string' ? resolved(value) : value,
  ) as Schema;
}

function isUnbounded({
  type,
  format,
  enum: choices,
  maximum,
  maxLength,
  maxItems,
  maxProperties,
  additionalProperties,
  properties,
}: Schema & Bounds): boolean {
  if (type === 'string') return choices === undefined && format !== 'binary' && maxLength === undefined;
  if (type === 'integer' || type === 'number') return maximum === undefined;
  if (type === 'array') return maxItems === undefined;
  // an open object with fields of its own accepts fields of a newer Composer, and its body has a maximum
  return typeof additionalProperties === 'object' && properties === undefined && maxProperties === undefined;
}

interface Bounds {
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}
