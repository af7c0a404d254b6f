// Registers every operation of the management API: one file for each group, with its services.

import type { Sessions } from '../auth/sessions.ts';
import type { Counters } from '../core/limits/counters.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { type Api, actor, operation, type ApiContext } from './frame/api.ts';
import { artifactOperations, type ArtifactServices } from '../artifacts/operations.ts';
import { registerUpload, type UploadServices } from './routes/upload.ts';
import { auditOperations, type AuditServices } from '../audit/operations.ts';
import { registerAuthentication, type AuthenticationServices } from './routes/authentication.ts';
import { connectionOperations, type ConnectionServices } from '../forges/operations.ts';
import { registerDescription, type DescriptionServices } from './routes/description.ts';
import { registerDeviceSignIn, type DeviceServices } from './routes/device-sign-in.ts';
import { hookOperations, type HookServices } from '../hooks/operations.ts';
import { registerOwnTokens, type OwnTokenServices } from './routes/own-tokens.ts';
import { packageOperations, type PackageServices } from '../packages/operations.ts';
import { purgeOperations, type PurgeServices } from '../packages/purge-operations.ts';
import { registerPackageTexts } from './routes/package-texts.ts';
import { heldOperations } from '../policy/admin/held-operations.ts';
import { policyOperations } from '../policy/admin/operations.ts';
import { registerPolicy, type PolicyServices } from './routes/policy.ts';
import { describeProtocol } from './routes/protocol.ts';
import { registerPasskeys, type PasskeyServices } from './routes/passkeys.ts';
import { endpointOperations, type EndpointServices } from '../notifications/operations.ts';
import { publisherOperations, type PublisherServices } from '../publishers/operations.ts';
import { registerIdTokens, type IdTokenServices } from './routes/id-tokens.ts';
import type { SearchServices } from '../search/find-anything.ts';
import { searchRegistry } from '../search/operations.ts';
import { repositoryOperations, type RepositoryServices } from '../sync/operations.ts';
import { settingOperations, type SettingServices } from '../settings/operations.ts';
import { registerStatus, type StatusServices } from './routes/status.ts';
import { teamOperations, type TeamServices } from '../teams/operations.ts';
import { tokenOperations, type TokenServices } from '../tokens/operations.ts';
import { registerTwoFactor } from './routes/two-factor.ts';
import { usageOperations } from '../usage/operations.ts';
import type { UsageServices } from '../usage/read-usage.ts';
import { userOperations, type UserServices } from '../people/operations.ts';
import type { RouteConfig } from '@hono/zod-openapi';
import { awaitBuilder } from '../core/protocol/feature.ts';
import type { Operation } from '../registry/operation.ts';
import { answering, body } from './frame/json-content.ts';

/** The operations of a noun (registry/operation.ts) as routes of the management API. */
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

export interface Services
  extends
    ArtifactServices,
    AuditServices,
    AuthenticationServices,
    ConnectionServices,
    DescriptionServices,
    DeviceServices,
    EndpointServices,
    HookServices,
    IdTokenServices,
    OwnTokenServices,
    PackageServices,
    PasskeyServices,
    PolicyServices,
    Omit<PublisherServices, 'oidc'>,
    PurgeServices,
    RepositoryServices,
    SearchServices,
    SettingServices,
    StatusServices,
    TeamServices,
    TokenServices,
    UploadServices,
    UsageServices,
    Omit<UserServices, 'people'> {
  readonly sessions: Sessions;
  readonly state: StateStore;
  readonly counters: Pick<Counters, 'peek' | 'degraded'>;
}

export function registerRoutes(api: Api, services: Services): void {
  describeProtocol(api);
  registerDescription(api, services);
  registerUpload(api, services);
  addOperations(api, services, artifactOperations);
  addOperations(api, services, auditOperations);
  registerAuthentication(api, services);
  registerDeviceSignIn(api, services);
  registerOwnTokens(api, services);
  addOperations(api, services, connectionOperations);
  addOperations(api, services, packageOperations);
  addOperations(api, services, usageOperations);
  addOperations(api, services, [searchRegistry]);
  registerPackageTexts(api, services);
  registerPasskeys(api, services);
  addOperations(api, services, [...policyOperations, ...heldOperations]);
  registerPolicy(api, services);
  addOperations(api, services, publisherOperations);
  registerIdTokens(api, services);
  addOperations(api, services, purgeOperations);
  addOperations(api, services, repositoryOperations);
  addOperations(api, services, hookOperations);
  addOperations(api, services, endpointOperations);
  addOperations(api, services, settingOperations);
  registerStatus(api, services);
  addOperations(api, services, teamOperations);
  addOperations(api, services, tokenOperations);
  registerTwoFactor(api, services);
  addOperations(api, services, userOperations);
}
