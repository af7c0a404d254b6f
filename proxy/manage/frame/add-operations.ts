// The operations of a noun (registry/operation.ts) as routes of the management API.

import type { RouteConfig } from '@hono/zod-openapi';
import { awaitBuilder } from '../../core/protocol/feature.ts';
import type { Operation } from '../../registry/operation.ts';
import { actor, operation, type Api, type ApiContext } from './api.ts';
import { answering, body } from './json-content.ts';

export function addOperations<Services>(
  api: Api,
  services: Services,
  operations: readonly Operation<Services>[],
): void {
  for (const one of operations) {
    api.openapi(routeOf(one), async (context) => {
      const { caller, exchange } = context.env;
      if (one.awaitsBuilder === true) awaitBuilder(exchange);
      const { nowMs } = exchange;
      const answer = await one.run(services, inputOf(one, context), { actor: actor(context), nowMs, caller });
      return context.json(answer, one.status);
    });
  }
}

function routeOf<Services>(one: Operation<Services>) {
  const { id, method, path, tag, summary, description, params, query, errors = [], isBodyOptional } = one;
  const request = {
    ...(params && { params }),
    ...(query && { query }),
    ...(one.body && { body: { ...body(one.body), ...(isBodyOptional && { required: false }) } }),
  } as NonNullable<RouteConfig['request']>;
  return operation({
    operationId: id,
    method,
    path,
    tags: [tag],
    summary,
    description,
    ...(Object.keys(request).length > 0 && { request }),
    responses: { [one.status]: answering(one.answer, one.answers) },
    errors,
  });
}

/** All fields of the request, which Hono has validated by the schemas of the operation. */
function inputOf<Services>({ params, query, body: fields }: Operation<Services>, { req }: ApiContext): never {
  const valid = (part: 'param' | 'query' | 'json'): object | undefined => req.valid(part as never);
  return {
    ...(params && valid('param')),
    ...(query && valid('query')),
    ...(fields && (valid('json') ?? fields.parse({}))),
  } as never;
}
