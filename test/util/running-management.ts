// The management API on a real socket over a state in memory: everything is the real one but the disk. Callers are made as they would be made
// in life, and every answer is held against the published document.

import { randomBytes } from 'node:crypto';
import { createAuthenticator } from '../../proxy/auth/authenticate.ts';
import type { TokenKind } from '../../proxy/auth/token-format.ts';
import { createTokens } from '../../proxy/auth/tokens.ts';
import { createManagement } from '../../proxy/manage/management.ts';
import type { Services } from '../../proxy/manage/routes.ts';
import { createAuditedStore, type Actor } from '../../proxy/state/audit.ts';
import { createMemoryStore } from '../../proxy/state/memory-store.ts';
import { runProxy, type Reply, type RunningProxy } from './running-proxy.ts';

export interface RunningManagement extends AsyncDisposable {
  readonly proxy: RunningProxy;
  readonly services: Services;
  /** `as`: the bearer credentials, a token's or a session's; left out: nobody */
  readonly call: (method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | 'PUT', path: string, options?: { readonly as?: string; readonly body?: unknown }) => Promise<Reply>;
  readonly createToken: (kind: TokenKind) => Promise<string>;
}

export async function runManagement(options: { readonly now?: () => number } = {}): Promise<RunningManagement> {
  const now = options.now ?? Date.now;
  const state = createMemoryStore();
  const store = createAuditedStore({ store: state, now });
  const tokensOf = (actor: Actor) => createTokens({ store, now, randomBytes, actor });
  const services: Services = { tokensOf, defaultLimits: () => ({ read: 1000, write: 500 }), sessions: { authenticate: async () => undefined } };
  const proxy = await runProxy({ authenticator: createAuthenticator(state), management: createManagement(services), now });
  return {
    proxy,
    services,
    call: (method, path, { as, body } = {}) => proxy.send(method, path, { authorization: as === undefined ? '' : `Bearer ${as}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }, body === undefined ? undefined : JSON.stringify(body)),
    createToken: async (kind) => (await tokensOf('cli:test').create({ description: `a ${kind} token`, kind })).secret.reveal(),
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}
