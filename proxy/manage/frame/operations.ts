// Finds the operation of a method and a path before the body is read. The server reads no body from a caller without
// the permission.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { OperationId } from '../../auth/permissions.ts';
import type { Api } from './api.ts';

interface OperationPath {
  readonly pattern: RegExp;
  /** upper-case methods to their operations */
  readonly methods: ReadonlyMap<string, OperationId>;
}

export type Operations = readonly OperationPath[];

/** The operations registered with `api` below /api. */
export function operationsOf(api: Api): Operations {
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
export function findOperation(operations: Operations, method: string, path: string): OperationId {
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
