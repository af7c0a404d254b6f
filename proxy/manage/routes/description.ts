// The service's description of itself, and the page on which it can be explored. Both are open, because they have only
// the content of the public sources.

import { z } from 'zod';
import { RegistryError } from '../../../build/contract/errors.ts';
import { answerIn, TextDocument } from '../../core/http/document.ts';
import { operation, type Api, type ApiContext } from '../frame/api.ts';
import { createExplorerFiles, explorerFiles, explorerPage, explorerContentPolicy } from '../explorer/files.ts';
import { conditions, etagOnly } from '../openapi/answer-headers.ts';
import { describeApi } from '../openapi/document.ts';
import { AnswerResponse } from '../frame/web-answer.ts';

export interface DescriptionServices {
  /** version of this program */
  readonly version: string;
  /** its address for clients; undefined: unknown */
  readonly publicUrl?: string | undefined;
}

const tags = ['Description'];
const request = { headers: conditions };
const notModified = { description: 'the client already has the document', headers: etagOnly };
const text = { schema: { type: 'string' } } as const;

const getOpenApi = operation({
  operationId: 'getOpenApi',
  method: 'get',
  path: '/api/openapi.json',
  tags,
  summary: 'Get this description',
  description: 'The OpenAPI 3.0 document of this service. The request needs no token.',
  request,
  responses: {
    200: {
      description: 'OpenAPI 3.0.3',
      headers: etagOnly,
      content: {
        'application/json': { schema: { type: 'object', additionalProperties: true }, example: { openapi: '3.0.3' } },
      },
    },
    304: notModified,
  },
});

const getExplorer = operation({
  operationId: 'getExplorer',
  method: 'get',
  path: '/api/swagger',
  tags,
  summary: 'Explore the service in a browser',
  description: 'A page that shows this description and sends requests. The page needs no token; the requests do.',
  request,
  responses: { 200: { description: 'a page', headers: etagOnly, content: { 'text/html': text } }, 304: notModified },
});

const getExplorerFile = operation({
  operationId: 'getExplorerFile',
  method: 'get',
  path: '/api/swagger/{file}',
  tags,
  summary: 'Get a file of that page',
  description: 'A script or a style sheet of the explorer.',
  request: {
    ...request,
    params: z.strictObject({
      file: z.string().meta({ description: 'the name of the file', enum: [...explorerFiles], example: 'explorer.js' }),
    }),
  },
  responses: {
    200: { description: 'the file', headers: etagOnly, content: { 'text/javascript': text, 'text/css': text } },
    304: notModified,
  },
  errors: ['NOT_FOUND'],
});

export function registerDescription(api: Api, { version, publicUrl }: DescriptionServices): void {
  let description: TextDocument | undefined;
  const readFile = createExplorerFiles();
  const explorer = new TextDocument(Buffer.from(explorerPage), 0, { type: 'text/html; charset=utf-8' });

  // made at the first request, after all routes are registered
  api.openapi(getOpenApi, async (context) =>
    respond(
      context,
      (description ??= new TextDocument(Buffer.from(JSON.stringify(describeApi(api, version, publicUrl))), 0)),
    ),
  );
  api.openapi(getExplorer, async (context) =>
    respond(context, explorer, ['Content-Security-Policy', explorerContentPolicy, 'Referrer-Policy', 'no-referrer']),
  );
  api.openapi(getExplorerFile, async (context) => {
    const { file } = context.req.valid('param');
    const name = explorerFiles.find((known) => known === file);
    if (name === undefined) throw new RegistryError('NOT_FOUND');
    return respond(context, await readFile(name));
  });
}

/**
 * Answers in the encoding and under the condition of the request. The texts belong to the program, so they have no date
 * of change. All answers share the bytes.
 */
async function respond(
  { env: { exchange } }: ApiContext,
  document: TextDocument,
  more: readonly string[] = [],
): Promise<AnswerResponse> {
  const { 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = exchange.incoming.headers;
  const preferences = { acceptEncoding, ifNoneMatch, ifModifiedSince: undefined };
  const { status, headers, body } = await answerIn(document, preferences, () => undefined);
  const undated = headers.filter((_, at) => headers[at - (at % 2)] !== 'Last-Modified');
  return new AnswerResponse({ status, headers: [...undated, 'X-Content-Type-Options', 'nosniff', ...more], body });
}
