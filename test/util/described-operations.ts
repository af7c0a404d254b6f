// Lists every operation of the management API from the API document, ready to be called. Tests that call all of them
// therefore cover a new one automatically.

import type { ApiDocument, MediaTypes, OperationObject } from '../../proxy/manage/openapi/schema.ts';
import type { OperationId } from '../../proxy/auth/permissions.ts';
import type { RunningManagement } from './running-management.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface DescribedOperation {
  readonly id: OperationId;
  readonly tag: string;
  readonly summary: string;
  readonly method: Method;
  /** with placeholders such as `{id}` */
  readonly template: string;
  /** with the ids of the examples, which do not exist */
  readonly path: string;
  readonly takesJson: boolean;
  readonly needsBody: boolean;
  /** the body of its example */
  readonly example: unknown;
  readonly content: MediaTypes;
  readonly query: readonly string[];
  /** the query string made of the examples of its parameters */
  readonly exampleQuery: string;
  /** the names of the security schemes that open it */
  readonly security: readonly string[];
}

export async function describedOperations(registry: RunningManagement): Promise<readonly DescribedOperation[]> {
  const document = (await registry.call('GET', '/api/openapi.json')).json() as unknown as ApiDocument;
  return Object.entries(document.paths)
    .filter(([template]) => template.startsWith('/api/'))
    .flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => describe(template, method, operation)),
    );
}

function describe(
  template: string,
  method: string,
  { operationId, tags, summary, parameters = [], requestBody, security = [] }: OperationObject,
): DescribedOperation {
  const values = new Map(
    parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name, schema }) => [name, String(schema?.example ?? 'example')]),
  );
  const content = requestBody?.content ?? {};
  const json = content['application/json'];
  return {
    id: operationId as OperationId,
    tag: tags[0] ?? '',
    summary,
    method: method.toUpperCase() as Method,
    template,
    path: template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values.get(name) ?? 'example'),
    takesJson: json !== undefined,
    needsBody: requestBody?.required === true,
    example: json?.example,
    content,
    query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    exampleQuery: queryOf(parameters),
    security: security.flatMap((scheme) => Object.keys(scheme)),
  };
}

function queryOf(parameters: NonNullable<OperationObject['parameters']>): string {
  const given = parameters.flatMap((parameter) => {
    const { example, default: standard } = parameter.schema ?? {};
    const value = parameter.in === 'query' ? (example ?? standard) : undefined;
    return value === undefined ? [] : [[parameter.name, String(value)] as [string, string]];
  });
  return new URLSearchParams(given).toString();
}
