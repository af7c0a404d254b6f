// Generates docs/reference/listing.txt: each operation of the API, each command and each JSON document on a line of its
// own, with the names of their fields. A reviewer reads there what a change does to them.

import type { Argument, Command } from 'commander';
import { apiPermissions, callersOf, hasCondition, type OperationId } from '../../proxy/auth/permissions.ts';
import { pipelineErrors } from '../../proxy/manage/frame/api.ts';
import type { ApiDocument, MediaTypes, OperationObject, Schema } from '../../proxy/manage/openapi/schema.ts';
import { resolveResponse } from '../util/api-document.ts';
import { describedCommands, schemaOf } from '../../release/documents/command-schemas.ts';
import { listCommands } from '../util/command-reference.ts';

const width = 120;

/** Codes that any operation may answer, by its method, its callers and its body. */
const usual: ReadonlySet<string> = new Set([
  ...pipelineErrors('get'),
  'AUTHENTICATION_REQUIRED',
  'INVALID_TOKEN',
  'INSUFFICIENT_SCOPE',
  'TOO_MANY_ATTEMPTS',
  'INVALID_INPUT',
  'UNSUPPORTED_MEDIA_TYPE',
  'BODY_TOO_LARGE',
]);

/** The whole file. */
export function describeListing(document: ApiDocument, program: Command): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ place: `${method.toUpperCase()} ${path}`, operation })),
  );
  const everywhere = Object.keys(operations[0]?.operation.responses ?? {}).filter((status) =>
    operations.every(({ operation }) => status in operation.responses),
  );
  const schemas = Object.entries(document.components.schemas);
  const commands = listCommands(program).filter(
    ({ command }) => command.createHelp().visibleCommands(command).length === 0,
  );
  return `${[
    'Generated: npm run accept',
    'x? may be absent. x[] is a list. x(a b) has the fields a and b. x{} has any keys. x:Team has the fields of Team.',
    section(
      `Operations: who may call it | what it takes | its answers. Each one also answers ${everywhere.join(', ')}.`,
      operations.map(({ place, operation }) => describeOperation(place, operation, document, everywhere)),
    ),
    section(
      'Schemas of the operations',
      schemas.map(([name, schema]) => [`${name}:`, ...fieldsOf(schema)]),
    ),
    section(
      'Commands: arguments and flags',
      commands.map(({ path, command }) => describeCommand(path, command)),
    ),
    section(
      'Documents of --json',
      describedCommands.map((path) => [`${path}:`, ...fieldsOf(schemaOf(path))]),
    ),
  ].join('\n\n')}\n`;
}

const section = (title: string, entries: readonly (readonly string[])[]): string =>
  [title, '='.repeat(title.length), ...entries.map(wrapped)].join('\n');

/** Words on a line, and on further indented ones where it would be too long. */
function wrapped(words: readonly string[]): string {
  const lines: string[] = [];
  for (const word of words.join(' ').split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `    ${word}`);
  }
  return lines.join('\n');
}

function describeOperation(
  place: string,
  operation: OperationObject,
  document: ApiDocument,
  everywhere: readonly string[],
): string[] {
  const { operationId, parameters = [], requestBody, responses } = operation;
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required }) => `?${name}${required === true ? '!' : ''}`);
  const answers = Object.entries(responses).flatMap(([status, response]) => {
    const { content } = resolveResponse(response, document) ?? {};
    if (Number(status) < 400) return [`${status} ${contentOf(content)}`.trim()];
    const codes = Object.keys(content?.['application/json']?.examples ?? {}).filter((code) => !usual.has(code));
    return codes.length === 0 && everywhere.includes(status) ? [] : [[status, ...codes].join(' ')];
  });
  const takes = [...query, contentOf(requestBody?.content)].filter((part) => part !== '');
  return [
    place,
    operationId,
    '|',
    whoMay(operation),
    '|',
    ...takes,
    ...(takes.length > 0 ? ['|'] : []),
    answers.join(', '),
  ];
}

/** The callers, and what else the operation asks for. */
function whoMay({ operationId, security = [] }: OperationObject): string {
  if (!(operationId in apiPermissions))
    return security.flatMap((scheme) => Object.keys(scheme)).join(', ') || 'everybody';
  const id = operationId as OperationId;
  const callers: readonly string[] = callersOf(id);
  return [
    callers.includes('nobody') ? 'everybody' : callers.join(', '),
    ...(hasCondition(id, 'session') ? ['with a session'] : []),
    ...(hasCondition(id, 'builder') ? ['where the builder is'] : []),
  ].join(' ');
}

function contentOf(content: MediaTypes = {}): string {
  return Object.entries(content)
    .map(([type, { schema }]) => (type === 'application/json' && schema !== undefined ? shapeOf(schema) : type))
    .join(' or ');
}

/** `Team`, `(name packages?)`, or `Team[]`; empty for a value without fields. */
function shapeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  const variants = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  if (variants.length > 0) return [...new Set(variants.map(shapeOf).filter((shape) => shape !== ''))].join('|');
  if (schema.items !== undefined) return `${shapeOf(schema.items)}[]`;
  if (Object.keys(schema.properties ?? {}).length > 0) return `(${fieldsOf(schema).join(' ')})`;
  return typeof schema.additionalProperties === 'object' ? `{}${shapeOf(schema.additionalProperties)}` : '';
}

function fieldsOf(schema: Schema): string[] {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return [shapeOf(schema)].filter((shape) => shape !== '');
  return fields.map(
    ([name, field]) => `${name}${schema.required?.includes(name) === true ? '' : '?'}${innerOf(shapeOf(field))}`,
  );
}

/** A named schema stands behind a colon. */
const innerOf = (shape: string): string => (/^\w/.test(shape) ? `:${shape}` : shape);

function describeCommand(path: string, command: Command): string[] {
  const facts = command.createHelp();
  return [
    path,
    ...command.registeredArguments.map((argument) => termOf(argument)),
    ...facts
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map(({ flags }) => flags.replace(/^-\w, /, '').replaceAll(' ', '=')),
  ];
}

const termOf = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};
