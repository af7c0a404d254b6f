// The services of connections to forges with a state in memory; all other parts are real, sockets too. The clock is the
// test's, and stands still unless the test moves it.

import { randomBytes } from 'node:crypto';
import { createConnectionAccess, type ConnectionAccess } from '../../../proxy/forges/client/connection-access.ts';
import { createForgeHttp } from '../../../proxy/forges/client/forge-http.ts';
import { createConnections, type ForgeConnections } from '../../../proxy/forges/connections.ts';
import type { ConnectionRecord } from '../../../proxy/forges/model/connection.ts';
import type { ForgeName } from '../../../proxy/forges/model/forge-name.ts';
import type { ListedRepository } from '../../../proxy/forges/model/forge-repository.ts';
import type { ConnectionDraft } from '../../../proxy/forges/parse-connection.ts';
import type { HookSecrets } from '../../../proxy/forges/refresh/refresh-parts.ts';
import { allSeen } from '../../../proxy/forges/refresh/refresh-rows.ts';
import { createRefresher, type RefreshOutcome } from '../../../proxy/forges/refresh/refresher.ts';
import { createKeyRing } from '../../../proxy/keys/key-ring.ts';
import { createSealer } from '../../../proxy/keys/sealer.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import { createLiveness } from '../../../proxy/sync/liveness.ts';
import type { Repositories } from '../../../proxy/sync/repositories.ts';
import { Secret } from '../../../build/shared/text/secret.ts';
import { checkAuditEvents } from '../audit-event-check.ts';
import { assertState } from '../assert-state.ts';
import { repositoryServices } from '../repository-services.ts';
import { temporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import type { FakeForge } from './fake-forge.ts';

export interface ConnectedRegistry extends AsyncDisposable {
  readonly state: StateStore;
  readonly access: ConnectionAccess;
  readonly connections: ForgeConnections;
  readonly repositories: Repositories;
  /** epoch milliseconds */
  clock: number;
  /** Connects the owner of the forge with its token. */
  readonly connect: (name: ForgeName, forge: FakeForge, more?: Partial<ConnectionDraft>) => Promise<ConnectionRecord>;
  /** One refresh; each step as a text, such as `registered acme/tool`. `signal` stops it. */
  readonly refresh: (
    connection: ConnectionRecord,
    signal?: AbortSignal,
  ) => Promise<RefreshOutcome & { readonly steps: readonly string[] }>;
  readonly seen: (connection: ConnectionRecord) => Promise<readonly ListedRepository[]>;
}

export async function connectedRegistry(hooks?: HookSecrets): Promise<ConnectedRegistry> {
  const folder = temporaryFolder('forges');
  const untold: (readonly string[])[] = [];
  const stored = createMemoryStore();
  const registry = { clock: Date.parse('2026-11-23T12:00:00Z') };
  const parts = { state: checkAuditEvents(stored, (keys) => void untold.push(keys)), now: () => registry.clock, hooks };
  const { http, refresher, ...services } = await composed(parts, folder);
  return Object.assign(registry, {
    ...services,
    state: stored,
    connect: (name: ForgeName, { url, owner, token }: FakeForge, more: Partial<ConnectionDraft> = {}) => {
      const credentials = { kind: 'token', token: new Secret(token) } as const;
      return services.connections.create({ forge: name, url, owner, credentials, ...more });
    },
    refresh: async ({ id }: ConnectionRecord, signal = new AbortController().signal) => {
      const steps: string[] = [];
      const onStep = ({ step, path }: { readonly step: string; readonly path: string }): void =>
        void steps.push(`${step} ${path}`);
      return { ...(await refresher.refresh(id, { actor: 'system:connection', signal, onStep })), steps };
    },
    seen: ({ id }: ConnectionRecord) => collect(allSeen(stored, id)),
    [Symbol.asyncDispose]: async () => {
      http.close();
      if (untold.length > 0) throw new Error(`these were changed without an audit event: ${untold.flat().join(', ')}`);
      await assertState(stored);
      await folder.remove();
    },
  });
}

interface Parts {
  readonly state: StateStore;
  readonly now: () => number;
  readonly hooks: HookSecrets | undefined;
}

async function composed({ state, now, hooks }: Parts, folder: TemporaryFolder) {
  const store = createAuditedStore({ store: state, now });
  const sealer = createSealer(createKeyRing({ folder: folder.at('keys'), now, randomBytes }), randomBytes);
  const settings = { egress: { allow: ['127.0.0.0/8'] } };
  const known = { state, store, sealer, now, settings, folder: folder.path, parallel: () => 1 };
  const { repositoriesOf } = await repositoryServices(known);
  const http = createForgeHttp({ allowAddresses: settings.egress.allow, userAgent: 'Libretto/test', now });
  const access = createConnectionAccess({ state, sealer, http, now });
  const liveness = createLiveness({ monotonicMs: now });
  const random = (): number => 0.5;
  const hookUrl = hooks?.sharedUrl ?? 'https://packages.example.org/hooks';
  return {
    http,
    access,
    refresher: createRefresher({ state, store, access, repositoriesOf, hooks, liveness, now, random, randomBytes }),
    connections: createConnections({ store, access, sealer, hookUrl, now, randomBytes, actor: 'cli:test' }),
    repositories: repositoriesOf('cli:test'),
  };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
