// The management API: turns a request of the pipeline into its answer. The handler authenticates the caller, checks the
// policy table, and only then reads the body.

import { errorTable, RegistryError } from '../../build/contract/errors.ts';
import { jsonAnswer, type Answer } from '../core/http/answer.ts';
import type { TokenKind } from '../core/tokens/token-format.ts';
import { callerOf, decideFor, isTerminal, roleRefusal, teamsRefusal, viewOf, type Caller } from '../auth/caller.ts';
import { assertWithoutBuilder, decidePermission, hasCondition, type OperationId } from '../auth/permissions.ts';
import type { Sessions } from '../auth/sessions.ts';
import { createApi } from './frame/api.ts';
import type { ApiRequest, Management } from './frame/api-request.ts';
import { errorHeaders } from './frame/error-headers.ts';
import { findOperation, operationsOf } from './frame/operations.ts';
import { registerRoutes, type Services } from './routes.ts';
import { toAnswer, toWebRequest } from './frame/web-answer.ts';

/** `register`: a test adds operations of its own. */
export function createManagement(services: Services, register = registerRoutes): Management {
  const api = createApi();
  register(api, services);
  const operations = operationsOf(api);
  const decide = async (exchange: ApiRequest): Promise<Answer> => {
    const { url = '/', method = 'GET' } = exchange.incoming;
    const operation = findOperation(operations, method, literalPath(url));
    const caller = await identify(services.sessions, exchange);
    assertAllowed(operation, caller);
    if (services.dataDirectory === undefined) assertWithoutBuilder(operation);
    return toAnswer(await api.fetch(await toWebRequest(exchange), { exchange, caller, operation }));
  };
  return {
    answer: (exchange) =>
      decide(exchange).catch((error: unknown) => {
        if (error instanceof RegistryError) return jsonAnswer(error.status, error.body(), errorHeaders(error));
        throw error;
      }),
    isSession: async (authorization, nowMs) =>
      (await services.sessions.authenticate(authorization, nowMs)) !== undefined,
  };
}

/** Web requests resolve `..`, `%2e%2e` and backslashes: the checked path must be the executed one. Throws NOT_FOUND. */
function literalPath(target: string): string {
  const path = target.split('?', 1)[0] ?? '/';
  if (new URL(`http://localhost${path}`).pathname !== path) throw new RegistryError('NOT_FOUND');
  return path;
}

async function identify(sessions: Sessions, { incoming, token, nowMs }: ApiRequest): Promise<Caller> {
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
