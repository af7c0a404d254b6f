// The frame of the management API: one Hono application. An operation can only be registered together with its row of
// permissions, its schemas and its errors. Documentation, checks and behaviour therefore cannot differ.

import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';

import { RegistryError, type ErrorCode } from '../../../build/contract/errors.ts';
import { actorOf, type Caller } from '../../auth/caller.ts';
import { callersOf, hasCondition, type CallerClass, type OperationId } from '../../auth/permissions.ts';
import type { PersonRight } from '../../core/tokens/person.ts';
import type { Actor } from '../../state/audit.ts';
import type { FeatureRequest } from '../../core/protocol/feature.ts';
import { refusalOf } from '../../registry/operation.ts';
import { errorHeaders } from './error-headers.ts';
import { callerErrors, errorResponses } from './error-responses.ts';

export interface ApiEnvironment {
  /** `operation`: the operation whose permission was checked */
  readonly Bindings: { readonly exchange: FeatureRequest; readonly caller: Caller; readonly operation: OperationId };
}

export type Api = OpenAPIHono<ApiEnvironment>;
export type ApiContext = HonoContext<ApiEnvironment>;

export function createApi(): Api {
  const api = new OpenAPIHono<ApiEnvironment>({
    defaultHook: (result) => {
      if (!result.success) throw refusalOf(result.error);
    },
  });
  api.onError((error, context) => {
    const known = asRegistryError(error);
    // an internal error: the pipeline logs it and answers 500 with the request's id
    if (known === undefined) throw error;
    return context.json(known.body(), known.status as 400, Object.fromEntries(pairs(errorHeaders(known))));
  });
  return api;
}

function pairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as [string, string]] : []));
}

/** The error that crosses the border; undefined for a bug. */
function asRegistryError(error: unknown): RegistryError | undefined {
  if (error instanceof RegistryError) return error;
  if (error instanceof HTTPException)
    return new RegistryError(error.status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : 'BAD_REQUEST', {
      message: error.message,
    });
  return undefined;
}

export type OperationRoute = Omit<RouteConfig, 'operationId' | 'security' | 'middleware'> & {
  readonly operationId: OperationId;
  /** codes of this operation; the common codes of its kind are added */
  readonly errors?: readonly ErrorCode[];
};

/** A route with its guard and its documented errors; pass it to `api.openapi` together with the handler. */
export function operation<const Route extends OperationRoute>(route: Route): Route {
  const { errors = [], ...config } = route;
  const allowed = callersOf(route.operationId);
  const open = allowed.includes('nobody');
  const documented = {
    ...config,
    middleware: onlyAs(route.operationId),
    security: open ? [{}] : securityOf(route.operationId, allowed),
    responses: {
      ...errorResponses([
        ...errors,
        ...(hasCondition(route.operationId, 'builder') ? ['NOT_AVAILABLE' as const] : []),
        ...commonErrors(config, open),
      ]),
      ...config.responses,
    },
  };
  // the route's own definition gives the type of the handler; the additions are documentation
  return documented as unknown as Route;
}

/** Does nothing if Hono and the permission table parse a path differently. */
function onlyAs(id: OperationId): MiddlewareHandler<ApiEnvironment> {
  return async ({ env }, next) => {
    if (env.operation !== id) throw new RegistryError('NOT_FOUND');
    await next();
  };
}

function commonErrors(
  { request, method }: { readonly request?: RouteConfig['request'] | undefined; readonly method: string },
  open: boolean,
): readonly ErrorCode[] {
  return [
    ...(open ? [] : callerErrors),
    ...(request === undefined ? [] : (['INVALID_INPUT'] as const)),
    ...(request?.body === undefined ? [] : (['UNSUPPORTED_MEDIA_TYPE', 'BODY_TOO_LARGE'] as const)),
    ...pipelineErrors(method),
  ];
}

/** The errors that any request of this method can get before its handler runs. */
export function pipelineErrors(method: string): readonly ErrorCode[] {
  const unwanted = method === 'get' ? (['UNEXPECTED_BODY'] as const) : [];
  return [
    'BAD_REQUEST',
    'DUPLICATE_HEADER',
    ...unwanted,
    'REQUEST_TIMEOUT',
    'NETWORK_NOT_ALLOWED',
    'RATE_LIMIT_EXCEEDED',
    'HEADERS_TOO_LARGE',
    'UPSTREAM_UNAVAILABLE',
    'STATE_BUSY',
    'STORAGE_FULL',
    'STORAGE_READ_ONLY',
    'TREE_DAMAGED',
    'OVERLOADED',
    'INTERNAL_ERROR',
  ];
}

function securityOf(id: OperationId, allowed: readonly (CallerClass | PersonRight)[]): Record<string, string[]>[] {
  const forTokens = allowed.includes('read token') || allowed.includes('write token');
  const forPeople = allowed.some((caller) => caller === 'admin' || caller === 'maintainer' || caller === 'viewer');
  return [
    ...(forPeople ? [{ session: [] }] : []),
    ...(forPeople && !hasCondition(id, 'session') ? [{ personalToken: [] }] : []),
    ...(forTokens ? [{ token: [] }] : []),
  ];
}

/** The author of a change. */
export function actor(context: ApiContext): Actor {
  return actorOf(context.env.caller);
}
