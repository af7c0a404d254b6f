// Describes the Composer routes, feeds, /health and /hooks for the OpenAPI document. The pipeline and features answer
// these routes, before the management API (proxy/core/handler.ts).

import { z, type RouteConfig } from '@hono/zod-openapi';
import type { ErrorCode } from '../../../build/contract/errors.ts';
import { pipelineErrors, type Api } from '../frame/api.ts';
import { callerErrors, errorResponses } from '../frame/error-responses.ts';
import { answering } from '../frame/json-content.ts';
import { archiveHeaderRefs, conditions, validators, feedHeaderRefs } from '../openapi/answer-headers.ts';
import { changeRoutes } from './changes.ts';
import { lookupRoutes } from './lookups.ts';
import { advisoryRoutes } from './advisories.ts';
import { receivedHookRoutes } from './received-hooks.ts';
import { healthSchema, providerSchema, readySchema, rootSchema } from '../schemas/protocol.ts';

const refusals: readonly ErrorCode[] = [...callerErrors, 'INVALID_INPUT'];
const errors = (...codes: readonly ErrorCode[]) => errorResponses([...refusals, ...codes, ...pipelineErrors('get')]);
const query = z.object({
  stability: z.string().max(10).optional().meta({
    description: 'the least stability: stable, RC, beta, alpha or dev; default: all but dev versions',
    example: 'stable',
  }),
});
const part = (description: string, example: string) => z.string().meta({ description, example, maxLength: 100 });
const ofFeed: Pick<RouteConfig, 'method' | 'tags' | 'security'> = {
  method: 'get',
  tags: ['Feeds'],
  security: [{ token: [] }, { tokenAsPassword: [] }],
};
const found = {
  200: {
    description: 'an Atom feed (RFC 4287)',
    headers: feedHeaderRefs,
    content: { 'application/atom+xml': { schema: { type: 'string' as const } } },
  },
  304: { description: 'the client already has these bytes', headers: feedHeaderRefs },
};

/** The Atom feeds. */
const feedRoutes: readonly RouteConfig[] = [
  {
    ...ofFeed,
    operationId: 'getReleasesFeed',
    path: '/feeds/releases.atom',
    summary: 'Get the newest versions as a feed',
    description: 'The 100 versions that were published last, of all packages that the token sees.',
    request: { headers: conditions, query },
    responses: { ...found, ...errors() },
  },
  {
    ...ofFeed,
    operationId: 'getPackageFeed',
    path: '/feeds/{vendor}/{package}.atom',
    summary: 'Get the newest versions of a package as a feed',
    description: 'The 100 versions of one package that were published last, as far as the token sees them.',
    request: {
      headers: conditions,
      query,
      params: z.object({
        vendor: part('the vendor, in lower case', 'acme'),
        package: part('the package without its vendor, in lower case', 'hello'),
      }),
    },
    responses: { ...found, ...errors('NOT_READY', 'NOT_FOUND') },
  },
];

const tags = ['Composer'];
const forTokens = [{ token: [] }, { tokenAsPassword: [] }];
/** /health ignores tokens. */
const withoutToken = pipelineErrors('get').filter(
  (code) => code !== 'RATE_LIMIT_EXCEEDED' && code !== 'NETWORK_NOT_ALLOWED',
);
const ofTree: readonly ErrorCode[] = [...callerErrors, 'NOT_READY', 'CLIENT_NOT_ALLOWED'];
const headers = conditions.extend({
  'if-modified-since': z.string().optional().meta({ description: 'an earlier `Last-Modified`' }),
});
const notModified = { description: 'the client already has these bytes', headers: validators };
const vendor = z.string().meta({ description: 'the vendor, in lower case', example: 'acme', maxLength: 100 });
const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

const routes: readonly RouteConfig[] = [
  {
    operationId: 'getPackagesJson',
    method: 'get',
    path: '/packages.json',
    tags,
    summary: 'Get the root document, for Composer',
    security: forTokens,
    description:
      'The root document of the registry: the packages that the token sees, and the addresses of all other documents.',
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
    description: 'Tagged versions. The versions of branches are under the same name with the suffix `~dev`.',
    request: {
      headers,
      params: z.object({
        vendor,
        package: z.string().meta({
          maxLength: 104,
          description: 'the package without its vendor, in lower case; with the suffix `~dev` for versions of branches',
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
      'The name of a branch may contain slashes. A purged version answers 410 to tokens that would see it; ' +
      '`details.reason` is the reason. So does a version that the policy blocks; `details.rule` is the rule.',
    request: {
      headers,
      params: z.object({
        vendor,
        package: z
          .string()
          .meta({ description: 'the package without its vendor, in lower case', example: 'hello', maxLength: 100 }),
        version: z
          .string()
          .meta({ description: 'the version, as published or normalized', example: '1.2.0', maxLength: 128 }),
      }),
      query: z.object({
        ref: z.string().optional().meta({
          maxLength: 200,
          description: '`dist.reference` of the requested content; default: the newest content',
        }),
      }),
    },
    responses: {
      200: {
        description: 'the ZIP',
        headers: archiveHeaderRefs,
        content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
      },
      302: {
        description: 'the archive is at this address of the object store, for a minute',
        headers: { Location: { schema: { type: 'string', format: 'uri' } } },
      },
      304: notModified,
      ...errorResponses([...ofTree, 'NOT_FOUND', 'VERSION_GONE', 'VERSION_BLOCKED', ...pipelineErrors('get')]),
    },
  },
  {
    operationId: 'getHealth',
    method: 'get',
    path: '/health',
    tags: ['Status'],
    summary: 'Check that the server works',
    security: [{}],
    description:
      'For process supervision. The answer is 200 as long as the server answers at all; `status` is the health.',
    responses: {
      200: answering(healthSchema, 'the health of the server'),
      ...errorResponses(withoutToken),
    },
  },
  {
    operationId: 'getReadiness',
    method: 'get',
    path: '/health/ready',
    tags: ['Status'],
    summary: 'Check that this server can serve installs',
    security: [{}],
    description:
      'For load balancers. The answer is 500 if nothing is published yet, if packages or state cannot be read, ' +
      'or if the server is shutting down; `details` names the reason.',
    responses: {
      200: answering(readySchema, 'the server can serve installs'),
      ...errorResponses(['NOT_SERVING', ...withoutToken]),
    },
  },
];

export function describeProtocol(api: Api): void {
  for (const route of [
    ...routes,
    ...lookupRoutes,
    ...changeRoutes,
    ...feedRoutes,
    ...advisoryRoutes,
    ...receivedHookRoutes,
  ])
    api.openAPIRegistry.registerPath(route);
}
