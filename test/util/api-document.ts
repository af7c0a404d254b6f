// Checks answers against the API document: the status, the error code, the content type, the headers and every field.

import { Ajv, type ValidateFunction } from 'ajv';
import type { ApiDocument, OperationObject, ResponseObject, Schema } from '../../proxy/manage/openapi/schema.ts';
import type { Reply } from './running-proxy.ts';

export interface AnswerCheck {
  /** Throws an Error with the differences between the answer and the document. */
  readonly check: (method: string, path: string, reply: Reply) => void;
}

/** Headers of every answer of this service, or of every HTTP server. */
const common = new Set([
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-type',
  'date',
  'keep-alive',
  'referrer-policy',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
]);
/** Answers outside any operation: an unknown path, another method. */
const outside: ReadonlySet<unknown> = new Set([
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'POST_REQUIRED',
  'UNEXPECTED_BODY',
  'BAD_REQUEST',
  'RATE_LIMIT_EXCEEDED',
]);

export function createAnswerCheck(document: ApiDocument): AnswerCheck {
  const compile = createCompiler(document);
  const operations = Object.entries(document.paths).map(([path, methods]) => ({ pattern: patternOf(path), methods }));
  return {
    check: (method, target, reply) => {
      const path = target.split('?', 1)[0] ?? '';
      const operation = operations
        .filter(({ pattern }) => pattern.test(path))
        .map(({ methods }) => methods[method === 'HEAD' ? 'get' : method.toLowerCase()])
        .find((found) => found !== undefined);
      const problems =
        operation === undefined
          ? problemsOutside(reply, compile)
          : problemsOf(operation, document, reply, method !== 'HEAD', compile);
      if (problems.length > 0)
        throw new Error(
          `${method} ${target} answered ${reply.status} ${/json|text/.test(reply.headers['content-type'] ?? '') ? reply.body.toString().slice(0, 2000) : ''}\nwhich is not as described:\n${problems.join('\n')}`,
        );
    },
  };
}

const errorBody: Schema = { $ref: '#/components/schemas/ErrorBody' };

type Compile = (schema: Schema) => ValidateFunction;

/** Unknown fields fail as documented, because the objects are closed. */
export function createCompiler({ components }: ApiDocument): Compile {
  // short to compile: most schemas check a few answers
  const quick = { inlineRefs: false, code: { optimize: false } };
  const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, strictRequired: false, ...quick });
  ajv.addVocabulary(['components', 'example']);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
  ajv.addFormat('email', /^[^@\s]+@[^@\s]+$/);
  for (const format of ['password', 'binary']) ajv.addFormat(format, true);
  // each component is compiled once, although many schemas refer to it
  ajv.addSchema({ components: { schemas: components.schemas } }, 'api');
  const kept = new Map<Schema, ValidateFunction>();
  return (schema) => {
    const validate = kept.get(schema) ?? ajv.compile(withDocument(schema));
    kept.set(schema, validate);
    return validate;
  };
}

/** The schema, with references that name the document. */
const withDocument = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/')) as Schema;

function problemsOutside(reply: Reply, compile: Compile): string[] {
  const body = reply.body.length === 0 ? undefined : reply.json();
  if (body === undefined) return [];
  return [
    ...faults(compile(errorBody), body),
    ...(outside.has(body['code']) ? [] : [`${String(body['code'])} without an operation`]),
  ];
}

function problemsOf(
  { responses }: OperationObject,
  document: ApiDocument,
  reply: Reply,
  hasBody: boolean,
  compile: Compile,
): string[] {
  const response = resolveResponse(responses[String(reply.status)], document);
  if (response === undefined) return [`the status: only ${Object.keys(responses).join(', ')} are`];
  return [...headerProblems(response, document, reply), ...(hasBody ? bodyProblems(response, reply, compile) : [])];
}

/** The response behind a reference. */
export function resolveResponse(
  response: ResponseObject | undefined,
  { components }: ApiDocument,
): ResponseObject | undefined {
  return response?.$ref === undefined
    ? response
    : (components['responses'] as Record<string, ResponseObject>)[response.$ref.split('/').at(-1) ?? ''];
}

function headerProblems({ headers = {} }: ResponseObject, { components }: ApiDocument, reply: Reply): string[] {
  const described = Object.entries(headers).map(([name, header]) => ({
    name: name.toLowerCase(),
    header: resolveHeader(header, components['headers'] ?? {}),
  }));
  const missing = described
    .filter(({ name, header }) => header.required === true && reply.headers[name] === undefined)
    .map(({ name }) => `the header ${name} is missing`);
  const known = new Set(described.map(({ name }) => name));
  const unknown = Object.keys(reply.headers)
    .filter((name) => !common.has(name) && !known.has(name))
    .map((name) => `the header ${name} is not`);
  const wrong = described
    .filter(
      ({ name, header }) =>
        header.schema?.type === 'integer' && reply.headers[name] !== undefined && !/^\d+$/.test(reply.headers[name]),
    )
    .map(({ name }) => `the header ${name} is no whole number`);
  return [...missing, ...unknown, ...wrong];
}

function resolveHeader(header: object, components: object): { readonly required?: boolean; readonly schema?: Schema } {
  return '$ref' in header
    ? ((components as Record<string, object>)[String(header.$ref).split('/').at(-1) ?? ''] ?? {})
    : header;
}

function bodyProblems({ content }: ResponseObject, reply: Reply, compile: Compile): string[] {
  if (content === undefined) return reply.body.length === 0 ? [] : ['there should be no body'];
  const type = String(reply.headers['content-type']).split(';', 1)[0] ?? '';
  const media = content[type];
  if (media === undefined) return [`the content type ${type}: only ${Object.keys(content).join(', ')} are`];
  if (type !== 'application/json' || media.schema === undefined || reply.headers['content-encoding'] !== undefined)
    return [];
  const body = reply.json();
  const code = reply.status >= 400 ? String(body['code']) : undefined;
  return [
    ...faults(compile(media.schema), body),
    ...(code !== undefined && media.examples?.[code] === undefined
      ? [`the code ${code}: only ${Object.keys(media.examples ?? {}).join(', ')} are`]
      : []),
  ];
}

/** The faults that a validator finds in a value. */
export function faults(validate: ValidateFunction, value: unknown): string[] {
  return validate(value)
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${instancePath === '' ? 'the body' : instancePath} ${message} ${JSON.stringify(params)}`,
      );
}

function patternOf(path: string): RegExp {
  const id = '[a-z]{2,4}_[0-9A-Za-z]{1,64}';
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(
    `^${escaped
      .replaceAll('{id}', id)
      .replaceAll('{job}', id)
      .replaceAll('{version}', '.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  );
}
