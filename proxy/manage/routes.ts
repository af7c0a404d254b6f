// Registers every operation of the management API: one file for each group, with its services.

import type { Sessions } from '../auth/sessions.ts';
import type { Counters } from '../core/limits/counters.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { type Api, actor, operation, type ApiContext } from './frame/api.ts';
import { artifactOperations } from '../artifacts/operations.ts';
import { registerUpload } from './routes/upload.ts';
import { auditOperations } from '../audit/operations.ts';
import { authenticationOperations } from './routes/authentication.ts';
import { connectionOperations } from '../forges/operations.ts';
import { registerDescription } from './routes/description.ts';
import { registerDeviceSignIn } from './routes/device-sign-in.ts';
import { hookOperations } from '../hooks/operations.ts';
import { ownTokenOperations } from './routes/own-tokens.ts';
import { packageOperations } from '../packages/operations.ts';
import { purgeOperations } from '../packages/purge-operations.ts';
import { registerPackageTexts } from './routes/package-texts.ts';
import { heldOperations } from '../policy/admin/held-operations.ts';
import { policyOperations } from '../policy/admin/operations.ts';
import { registerPolicy } from './routes/policy.ts';
import { describeProtocol } from './routes/protocol.ts';
import { passkeyOperations } from './routes/passkeys.ts';
import { endpointOperations } from '../notifications/operations.ts';
import { publisherOperations } from '../publishers/operations.ts';
import { idTokenOperations } from './routes/id-tokens.ts';
import { searchRegistry } from '../search/operations.ts';
import { repositoryOperations } from '../sync/operations.ts';
import { settingOperations } from '../settings/operations.ts';
import { getStatus } from './routes/status.ts';
import { teamOperations } from '../teams/operations.ts';
import { tokenOperations } from '../tokens/operations.ts';
import { twoFactorOperations } from './routes/two-factor.ts';
import { usageOperations } from '../usage/operations.ts';
import { userOperations } from '../people/operations.ts';
import type { RouteConfig } from '@hono/zod-openapi';
import { awaitBuilder } from '../core/protocol/feature.ts';
import type { Operation, Together } from '../registry/operation.ts';
import { answering, body } from './frame/json-content.ts';

/** Adds the operations of a noun (registry/operation.ts) as routes of the management API. */
export function operationsOf<Services>(
  operations: readonly Operation<Services>[],
): (api: Api, services: Services) => void {
  return (api, services) => {
    for (const one of operations)
      api.openapi(routeOf(one), async (context) => {
        const { caller, exchange } = context.env;
        if (one.awaitsBuilder === true) awaitBuilder(exchange);
        const { nowMs, clientAddress } = exchange;
        const call = { actor: actor(context), nowMs, caller, clientAddress };
        const answer = await one.run(services, inputOf(one, context), call);
        return context.json(answer, one.status);
      });
  };
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

/** In the order of the documentation. */
const registrations = [
  registerDescription,
  registerUpload,
  operationsOf(artifactOperations),
  operationsOf(auditOperations),
  operationsOf(authenticationOperations),
  registerDeviceSignIn,
  operationsOf(ownTokenOperations),
  operationsOf(connectionOperations),
  operationsOf(packageOperations),
  operationsOf(usageOperations),
  operationsOf([searchRegistry]),
  registerPackageTexts,
  operationsOf(passkeyOperations),
  operationsOf([...policyOperations, ...heldOperations]),
  registerPolicy,
  operationsOf(publisherOperations),
  operationsOf(idTokenOperations),
  operationsOf(purgeOperations),
  operationsOf(repositoryOperations),
  operationsOf(hookOperations),
  operationsOf(endpointOperations),
  operationsOf(settingOperations),
  operationsOf([getStatus]),
  operationsOf(teamOperations),
  operationsOf(tokenOperations),
  operationsOf(twoFactorOperations),
  operationsOf(userOperations),
] as const;

export type Services = Together<Parameters<(typeof registrations)[number]>[1]> & {
  readonly sessions: Sessions;
  readonly state: StateStore;
  readonly counters: Pick<Counters, 'peek' | 'degraded'>;
};

export function registerRoutes(api: Api, services: Services): void {
  describeProtocol(api);
  for (const register of registrations) register(api, services);
}
