// The management API: turns a request of the pipeline into its answer. The handler authenticates the caller, checks the
// policy table, and only then reads the body.

import { errorTable, RegistryError } from '../../build/contract/errors.ts';
import { jsonAnswer, type Answer } from '../core/http/answer.ts';
import type { TokenKind } from '../core/tokens/token-format.ts';
import { callerOf, decideFor, isTerminal, roleRefusal, teamsRefusal, viewOf, type Caller } from '../auth/caller.ts';
import { assertWithoutBuilder, decidePermission, hasCondition, type OperationId } from '../auth/permissions.ts';
import { recentMs } from '../auth/confirmations.ts';
import type { Sessions } from '../auth/sessions.ts';
import { createApi, type Api } from './frame/api.ts';
import type { FeatureRequest, FeatureRoute } from '../core/protocol/feature.ts';
import { errorHeaders } from './frame/error-headers.ts';
import { registerRoutes, type Services } from './routes.ts';
import { toAnswer, toWebRequest } from './frame/web-answer.ts';

// Finds the operation of a method and a path before the body is read. The server reads no body from a caller without
// the permission.

interface OperationPath {
  readonly pattern: RegExp;
  /** upper-case methods to their operations */
  readonly methods: ReadonlyMap<string, OperationId>;
}

type Operations = readonly OperationPath[];

/** The operations registered with `api` below /api. */
function operationsOf(api: Api): Operations {
  const byPath = new Map<string, Map<string, OperationId>>();
  for (const definition of api.openAPIRegistry.definitions) {
    if (definition.type !== 'route' || !definition.route.path.startsWith('/api/')) continue;
    const { path, method, operationId } = definition.route;
    const methods = byPath.get(path) ?? new Map<string, OperationId>();
    byPath.set(path, methods.set(method.toUpperCase(), operationId as OperationId));
  }
  return [...byPath].map(([path, methods]) => ({ pattern: patternOf(path), methods }));
}

/**
 * Throws NOT_FOUND for an unknown path, METHOD_NOT_ALLOWED for another method. HEAD counts as GET. Literal paths win
 * over `{id}`.
 */
function findOperation(operations: Operations, method: string, path: string): OperationId {
  const found = operations.filter(({ pattern }) => pattern.test(path));
  if (found.length === 0) throw new RegistryError('NOT_FOUND');
  const wanted = method === 'HEAD' ? 'GET' : method;
  for (const { methods } of found) {
    const id = methods.get(wanted);
    if (id !== undefined) return id;
  }
  const allowed = found
    .flatMap(({ methods }) => [...methods.keys()])
    .flatMap((known) => (known === 'GET' ? ['GET', 'HEAD'] : [known]));
  throw new RegistryError('METHOD_NOT_ALLOWED', { details: { allow: [...new Set(allowed)].join(', ') } });
}

/** Ids begin with their type, so that no other word of a path matches. */
const id = '[a-z]{2,4}_[0-9A-Za-z]{1,64}';
const placeholders: ReadonlyMap<string, string> = new Map([
  ['{id}', id],
  ['{job}', id],
]);

function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) =>
      part.startsWith('{')
        ? (placeholders.get(part) ?? '[^/]+')
        : part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`),
    );
  return new RegExp(`^${parts.join('/')}$`);
}

/** Answers the paths below /api. `register`: a test adds operations of its own. */
export function createManagement(services: Services, register = registerRoutes): FeatureRoute['answer'] {
  const api = createApi();
  register(api, services);
  const operations = operationsOf(api);
  const decide = async (exchange: FeatureRequest): Promise<Answer> => {
    const { url = '/', method = 'GET' } = exchange.incoming;
    const operation = findOperation(operations, method, literalPath(url));
    const caller = await identify(services.sessions, exchange);
    assertAllowed(operation, caller);
    if (hasCondition(operation, 'recent')) assertRecent(caller, exchange.nowMs);
    if (services.dataDirectory === undefined) assertWithoutBuilder(operation);
    return toAnswer(await api.fetch(await toWebRequest(exchange), { exchange, caller, operation }));
  };
  return (exchange) =>
    decide(exchange).catch((error: unknown) => {
      if (error instanceof RegistryError) return jsonAnswer(error.status, error.body(), errorHeaders(error));
      throw error;
    });
}

/** Web requests resolve `..`, `%2e%2e` and backslashes: the checked path must be the executed one. Throws NOT_FOUND. */
function literalPath(target: string): string {
  const path = target.split('?', 1)[0] ?? '/';
  if (new URL(`http://localhost${path}`).pathname !== path) throw new RegistryError('NOT_FOUND');
  return path;
}

async function identify(sessions: Sessions, { incoming, token, nowMs }: FeatureRequest): Promise<Caller> {
  if (token !== undefined) return callerOf(token);
  const { authorization } = incoming.headers;
  if (authorization === undefined || authorization === '') return { kind: 'nobody' };
  return (await sessions.authenticate(authorization, nowMs)) ?? { kind: 'invalid' };
}

/** Runs before validation: a caller without permission learns nothing about the expected body. */
function assertAllowed(operation: OperationId, caller: Caller): void {
  const decision = decideFor(operation, caller);
  if (decision === 'authenticate')
    throw new RegistryError(caller.kind === 'invalid' ? 'INVALID_TOKEN' : 'AUTHENTICATION_REQUIRED');
  if (decision === 'refused' || (isTerminal(caller) && hasCondition(operation, 'session')))
    throw new RegistryError('INSUFFICIENT_SCOPE', { message: refusalText(operation, caller) });
}

/** The console asks for the password or a passkey instead. */
function assertRecent(caller: Caller, nowMs: number): void {
  if (caller.kind !== 'user' || isTerminal(caller) || nowMs < caller.signedInMs + recentMs) return;
  throw new RegistryError('AUTHENTICATION_REQUIRED', {
    message: 'You signed in more than five minutes ago. Sign in again (POST /api/auth/login), or do it in the console.',
  });
}

function refusalText(operation: OperationId, caller: Caller): string {
  const byRole = caller.kind === 'user' ? roleRefusal(operation, caller) : undefined;
  if (byRole !== undefined) return byRole;
  if (isTerminal(caller) && hasCondition(operation, 'session'))
    return 'A token of `libretto login` may not do that. Sign in to the console, and do it there.';
  if (caller.kind === 'user') return teamsRefusal;
  if (viewOf(caller) !== undefined) return 'This token is limited to a part of the registry, and may not do that.';
  return caller.kind === 'token'
    ? `A ${caller.token.kind} token may not do that.${nextStep(operation, caller.token.kind)}`
    : errorTable.INSUFFICIENT_SCOPE.message;
}

/** With a blank in front; nothing where no token may do it. */
function nextStep(operation: OperationId, kind: TokenKind): string {
  return kind === 'read' && decidePermission(operation, 'write token', false) !== 'refused'
    ? ' Use a write token: `libretto token create --kind write` makes one.'
    : '';
}
