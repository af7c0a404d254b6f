// What Composer reads, and /health with what is below it, described only: the pipeline answers them before the
// management API is asked (proxy/handler.ts).

import { z, type RouteConfig } from '@hono/zod-openapi';
import type { ErrorCode } from '../../../build/contract/errors.ts';
import { pipelineErrors, type Api } from '../frame/api.ts';
import { errorResponses } from '../frame/error-responses.ts';
import { archiveHeaders, conditions, validators } from '../openapi/answer-headers.ts';
import { lookupRoutes } from './lookups.ts';
import { safetyRoutes } from './safety.ts';
import { healthSchema, providerSchema, readySchema, rootSchema } from '../schemas/protocol.ts';

const tags = ['Composer'];
const forTokens = [{ token: [] }, { tokenAsPassword: [] }];
/** /health looks at no token. */
const withoutToken = pipelineErrors('get').filter(
  (code) => code !== 'RATE_LIMIT_EXCEEDED' && code !== 'NETWORK_NOT_ALLOWED',
);
const ofTree: readonly ErrorCode[] = [
  'AUTHENTICATION_REQUIRED',
  'INVALID_TOKEN',
  'INSUFFICIENT_SCOPE',
  'TOO_MANY_ATTEMPTS',
  'NOT_READY',
];
const headers = conditions.extend({
  'if-modified-since': z.string().optional().openapi({ description: 'a `Last-Modified` from before' }),
});
const notModified = { description: 'the client has these bytes already', headers: validators };
const vendor = z.string().openapi({ description: 'the vendor, in lower case', example: 'acme', maxLength: 100 });
const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

const routes: readonly RouteConfig[] = [
  {
    operationId: 'getPackagesJson',
    method: 'get',
    path: '/packages.json',
    tags,
    summary: 'List what there is, for Composer',
    security: forTokens,
    description: 'The root document of the registry: the packages that the token sees, and where everything else is.',
    request: { headers },
    responses: {
      200: { description: 'packages.json', headers: validators, content: json(rootSchema) },
      304: notModified,
      ...errorResponses([...ofTree, ...pipelineErrors('get')]),
    },
  },
  {
    operationId: 'getPackageDocument',
    method: 'get',
    path: '/p2/{vendor}/{package}.json',
    tags,
    summary: 'Get the versions of a package, for Composer',
    security: forTokens,
    description: 'Tagged versions; those of branches stand under the same name with `~dev` behind it.',
    request: {
      headers,
      params: z.object({
        vendor,
        package: z.string().openapi({
          maxLength: 104,
          description: 'the package without its vendor, in lower case; with `~dev` behind it for versions of branches',
          example: 'hello',
        }),
      }),
    },
    responses: {
      200: { description: 'the versions', headers: validators, content: json(providerSchema) },
      304: notModified,
      ...errorResponses([...ofTree, 'NOT_FOUND', ...pipelineErrors('get')]),
    },
  },
  {
    operationId: 'getDist',
    method: 'get',
    path: '/dist/{vendor}/{package}/{version}.zip',
    tags,
    summary: 'Get the archive of a version',
    security: forTokens,
    description:
      'The version as it is labelled; the name of a branch may hold slashes. 410 for a version that was purged, to tokens that would see it; `details.reason` says why.',
    request: {
      headers,
      params: z.object({
        vendor,
        package: z
          .string()
          .openapi({ description: 'the package without its vendor, in lower case', example: 'hello', maxLength: 100 }),
        version: z
          .string()
          .openapi({ description: 'the version, as its label or normalized', example: '1.2.0', maxLength: 128 }),
      }),
      query: z.object({
        ref: z.string().optional().openapi({
          maxLength: 200,
          description: '`dist.reference` of the content that is wanted; without it, the newest',
        }),
      }),
    },
    responses: {
      200: {
        description: 'the ZIP',
        headers: archiveHeaders,
        content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
      },
      304: notModified,
      ...errorResponses([...ofTree, 'NOT_FOUND', 'VERSION_GONE', ...pipelineErrors('get')]),
    },
  },
  {
    operationId: 'getHealth',
    method: 'get',
    path: '/health',
    tags: ['Status'],
    summary: 'Ask whether the service serves',
    security: [{}],
    description: 'For whoever supervises the process. 200 as long as it answers at all; `status` says how well.',
    responses: { 200: { description: 'how it is', content: json(healthSchema) }, ...errorResponses(withoutToken) },
  },
  {
    operationId: 'getReadiness',
    method: 'get',
    path: '/health/ready',
    tags: ['Status'],
    summary: 'Ask whether installs can be sent to this server',
    security: [{}],
    description:
      'For load balancers. 500 where nothing is published yet, packages or state cannot be read, or the server is about to end; `details` say which.',
    responses: {
      200: { description: 'it can serve', content: json(readySchema) },
      ...errorResponses(['NOT_SERVING', ...withoutToken]),
    },
  },
];

export function describeProtocol(api: Api): void {
  for (const route of [...routes, ...lookupRoutes, ...safetyRoutes]) api.openAPIRegistry.registerPath(route);
}
