// Documents the Atom feeds, as routes/protocol.ts documents Composer's requests.

import { z, type RouteConfig } from '@hono/zod-openapi';
import type { ErrorCode } from '../../../build/contract/errors.ts';
import { pipelineErrors } from '../frame/api.ts';
import { errorResponses } from '../frame/error-responses.ts';
import { conditions, feedHeaderRefs } from '../openapi/answer-headers.ts';

const refusals: readonly ErrorCode[] = [
  'AUTHENTICATION_REQUIRED',
  'INVALID_TOKEN',
  'INSUFFICIENT_SCOPE',
  'TOO_MANY_ATTEMPTS',
  'INVALID_INPUT',
];
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

export const feedRoutes: readonly RouteConfig[] = [
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
