// Tests the exact schemas of the API document: closed objects, extended objects as one, null with an effect, and
// examples made of them.

import { describe, expect, it } from 'vitest';
import { sampleOf, strictSchema } from '../../../../../proxy/manage/openapi/document.ts';
import type { Schema, Schemas } from '../../../../../proxy/manage/openapi/schema.ts';

const schemas: Schemas = {
  Token: { type: 'object', properties: { id: { type: 'string', example: 'tok_1' } }, required: ['id'] },
  Created: {
    allOf: [
      { $ref: '#/components/schemas/Token' },
      { type: 'object', properties: { secret: { type: 'string' } }, required: ['secret'] },
    ],
  },
};
const strict = (schema: Schema): Schema => strictSchema(schema, schemas);

describe('a schema', () => {
  it('the schema of an object is closed at any depth, unless it is open on purpose', () => {
    expect(
      strict({ type: 'array', items: { type: 'object', properties: { a: { type: 'object', properties: {} } } } }).items,
    ).toEqual({
      type: 'object',
      properties: { a: { type: 'object', properties: {}, additionalProperties: false } },
      additionalProperties: false,
    });
    expect(strict({ type: 'object', properties: {}, additionalProperties: {} }).additionalProperties).toEqual({});
    expect(
      strict({ type: 'object', additionalProperties: { type: 'object', properties: {} } }).additionalProperties,
    ).toMatchObject({ additionalProperties: false });
  });

  it('a schema that extends others becomes one object, over several levels', () => {
    const extended = strict({
      allOf: [{ $ref: '#/components/schemas/Created' }, { type: 'object', properties: { more: { type: 'boolean' } } }],
      description: 'all of it',
    });
    expect(extended).toEqual({
      type: 'object',
      description: 'all of it',
      properties: { id: { type: 'string', example: 'tok_1' }, secret: { type: 'string' }, more: { type: 'boolean' } },
      required: ['id', 'secret'],
      additionalProperties: false,
    });
  });

  it('a nullable schema has a type, because null alone has no effect', () => {
    expect(
      strict({ anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Token' }, { nullable: true }] }).anyOf,
    ).toMatchObject([
      { type: 'string', nullable: true },
      { type: 'object', nullable: true, additionalProperties: false },
    ]);
    expect(strict({ nullable: true })).toEqual({});
    expect(strict({ type: 'string', nullable: true })).toEqual({ type: 'string', nullable: true });
  });

  it('a schema that refers to a missing schema is an error', () => {
    expect(() => strict({ allOf: [{ $ref: '#/components/schemas/Gone' }] })).toThrow(
      'the document has no schema #/components/schemas/Gone',
    );
  });
});

describe('an example', () => {
  const body: Schema = {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['read', 'write'] },
      token: { $ref: '#/components/schemas/Token' },
      until: { type: 'string', format: 'date-time', nullable: true },
      note: { type: 'string' },
    },
    required: ['kind', 'token'],
  };

  it('the example of a request has the required fields and those with an example; the example of an answer has all fields', () => {
    expect(sampleOf(body, schemas, false)).toEqual({ kind: 'read', token: { id: 'tok_1' } });
    expect(sampleOf(body, schemas, true)).toEqual({ kind: 'read', token: { id: 'tok_1' }, until: null, note: '…' });
  });
});
