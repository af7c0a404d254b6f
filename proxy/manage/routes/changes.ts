// Documents the feed of changed documents, as routes/protocol.ts documents the other routes of clients.

import type { RouteConfig } from '@hono/zod-openapi';
import { z } from 'zod';
import { pipelineErrors } from '../frame/api.ts';
import { callerErrors, errorResponses } from '../frame/error-responses.ts';
import { conditions, validators } from '../openapi/answer-headers.ts';

const json = (schema: z.ZodType) => ({ 'application/json': { schema } });
const timestamp = z
  .number()
  .int()
  .meta({ description: 'of this answer, for the next question: seconds times 10 000', example: 17640000000001234 });
const changesSchema = z
  .object({
    actions: z
      .array(
        z.object({
          type: z
            .enum(['update', 'delete', 'resync'])
            .meta({ description: '`delete`: the document is gone. `resync`: every document may have changed' }),
          package: z
            .string()
            .meta({ description: 'a package, with `~dev` its dev versions; `*` for resync', example: 'acme/hello' }),
          time: z.number().int().meta({ description: 'when it was published, epoch seconds', example: 1764000000 }),
        }),
      )
      .meta({ description: 'up to 100 000' }),
    timestamp,
  })
  .meta({ id: 'Changes' });
/** The feed of changed documents. */
export const changeRoutes: readonly RouteConfig[] = [
  {
    operationId: 'listChanges',
    method: 'get',
    path: '/metadata/changes.json',
    tags: ['Composer'],
    summary: 'List changed documents, for mirrors',
    security: [{ token: [] }, { tokenAsPassword: [] }],
    description:
      'The documents that changed since an answer, oldest first, as far as the token sees them. `resync` means: ' +
      'read everything anew.',
    request: {
      headers: conditions,
      query: z.object({
        since: z.string().max(15).regex(/^\d+$/).optional().meta({
          description:
            'the timestamp of the last answer; without it, the answer 400 has the first one beside its error',
          example: '17640000000001234',
        }),
      }),
    },
    responses: {
      200: { description: 'the changes', headers: validators, content: json(changesSchema) },
      304: { description: 'nothing has changed', headers: validators },
      ...errorResponses([...callerErrors, 'INVALID_INPUT', ...pipelineErrors('get')]),
    },
  },
];
