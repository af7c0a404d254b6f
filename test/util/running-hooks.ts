// The addresses for webhooks on a real socket. The inbox behind them keeps what it receives in a list, so that a test
// sees what a webhook asks for; its secrets and repositories are those that the test names.

import { randomBytes } from 'node:crypto';
import { normalizeCloneUrl } from '../../proxy/hooks/clone-url.ts';
import type { HookAddress, HookInbox, ReceivedDelivery } from '../../proxy/hooks/inbox.ts';
import { createBodyBuffers, type BodyBufferLimits } from '../../proxy/hooks/receive/body-buffers.ts';
import { createHookReceiver } from '../../proxy/hooks/receive/receive-hook.ts';
import type { Certificate } from '../../proxy/core/http/http2/secure-server.ts';
import { createFailedAuthLimiter } from '../../proxy/core/limits/failed-auth-limiter.ts';
import { mintRepositoryId, type RepositoryId } from '../../proxy/sync/repository.ts';
import type { SentHook } from './hook-senders.ts';
import { runProxy, type Reply, type RunningProxy } from './running-proxy.ts';

export interface RunningHooks extends AsyncDisposable {
  readonly proxy: RunningProxy;
  /** Registers a repository with its hook, whose secret is `secret`. */
  readonly register: (url: string) => { readonly id: RepositoryId; readonly path: string };
  /** the secret of every hook */
  readonly secret: string;
  /** Makes another secret, which is valid beside the first one. */
  readonly rotate: () => string;
  /** what the inbox received, oldest first */
  readonly received: readonly ReceivedDelivery[];
  readonly send: (path: string, hook: SentHook) => Promise<Reply>;
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

interface Registered extends Pick<RunningHooks, 'secret' | 'register' | 'rotate' | 'received'> {
  readonly inbox: HookInbox;
}

/** `isShared`: somebody has made the hook for all repositories. */
function createInbox(isShared: boolean): Registered {
  const secrets = [newSecret()];
  const urls = new Map<RepositoryId, string>();
  const received: ReceivedDelivery[] = [];
  const hasHook = (hook: HookAddress): boolean => (hook.of === 'registry' ? isShared : urls.has(hook.id));
  return {
    secret: secrets[0] ?? '',
    received,
    register: (url) => {
      const id = mintRepositoryId(randomBytes);
      urls.set(id, url);
      return { id, path: `/hooks/${id}` };
    },
    rotate: () => {
      const next = newSecret();
      secrets.unshift(next);
      return next;
    },
    inbox: {
      secretsOf: async (hook) => (hasHook(hook) ? secrets.map((text) => ({ id: 'whs_test', reveal: () => text })) : []),
      repositoriesAt: async (addresses) =>
        [...urls].filter(([, url]) => addresses.some((one) => one === normalizeCloneUrl(url))).map(([id]) => id),
      repositoriesBelow: async (owner) =>
        [...urls].filter(([, url]) => normalizeCloneUrl(url)?.startsWith(`${owner}/`)).map(([id]) => id),
      receive: async (delivery) => {
        const isRepeated = received.some(({ id, provider }) => id === delivery.id && provider === delivery.provider);
        received.push(delivery);
        return isRepeated ? 'repeated' : 'accepted';
      },
    },
  };
}

export async function runHooks(
  options: {
    readonly now?: () => number;
    readonly trustedProxies?: readonly string[];
    readonly kept?: BodyBufferLimits;
    /** served with TLS, over HTTP/2 too; `send` does not work with it */
    readonly certificate?: Certificate;
    /** false: nobody has made the hook for all repositories */
    readonly isShared?: boolean;
  } = {},
): Promise<RunningHooks> {
  const { now, trustedProxies, kept, certificate, isShared = true } = options;
  const { inbox, ...registered } = createInbox(isShared);
  const receive = createHookReceiver({
    inbox,
    wrongProofs: createFailedAuthLimiter(),
    randomBytes,
    ...(kept && { keptBodies: createBodyBuffers(kept) }),
  });
  const proxy = await runProxy({
    ...(now && { now }),
    ...(trustedProxies && { trustedProxies }),
    ...(certificate && { certificate }),
    features: [receive],
  });
  return {
    ...registered,
    proxy,
    send: (path, { headers, body }) => proxy.send('POST', path, headers, body),
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}
