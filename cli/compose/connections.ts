// The composition root of connections to forges: records, refreshes, and when.

import type { Sealer } from '../../proxy/keys/sealer.ts';
import { createConnections, type ForgeConnections } from '../../proxy/forges/connections.ts';
import { planConnection, type ConnectionPlan } from '../../proxy/forges/plan-connection.ts';
import type { ConnectionDraft } from '../../proxy/forges/parse-connection.ts';
import { createRefreshSchedule, type RefreshSchedule } from '../../proxy/forges/refresh/refresh-schedule.ts';
import { createRefresher, type Refresher } from '../../proxy/forges/refresh/refresher.ts';
import { createHooks, type Hooks } from '../../proxy/hooks/hooks.ts';
import { createAuditedStore, type Actor } from '../../proxy/state/audit.ts';
import { createDraftStore } from '../../proxy/state/draft-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { createLiveness } from '../../proxy/sync/liveness.ts';
import { createRepositories } from '../../proxy/sync/repositories.ts';
import { createRepositorySources } from '../builds/repository-sources.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { composeConnectionAccess } from './connection-access.ts';
import type { ConnectedHook, HookSecrets } from '../../proxy/forges/refresh/refresh-parts.ts';
import { hookPath, type HookOwner } from '../../proxy/hooks/hook-record.ts';
import { publicUrlOf } from '../config/public-url.ts';

export interface Connecting {
  readonly connectionsOf: (actor: Actor) => ForgeConnections;
  readonly planOf: (actor: Actor) => (draft: ConnectionDraft) => Promise<ConnectionPlan>;
  readonly refresher: Refresher;
}

type Clock = Pick<Context, 'now' | 'randomBytes'>;

export interface ConnectingParts {
  readonly state: StateStore;
  readonly sealer: Sealer;
  /** false: nothing is installed at forges, as in a dry run */
  readonly installsHooks: boolean;
}

export function composeConnecting(config: Config, context: Clock, parts: ConnectingParts): Connecting {
  const { state, sealer, installsHooks } = parts;
  const { randomBytes } = context;
  const now = (): number => context.now().getTime();
  const store = createAuditedStore({ store: state, now });
  const access = composeConnectionAccess(config, context, { state, sealer });
  const sources = createRepositorySources(config);
  const issued = createHooks({ store, sealer, now, randomBytes, actor: 'system:connection' });
  const hooks = composeConnectedHooks(config, issued);
  const hookUrl = hooks?.sharedUrl;
  const refresher = createRefresher({
    state,
    store,
    access,
    repositoriesOf: (actor) => createRepositories({ store, sources, sealer, now, randomBytes, actor }),
    hooks: installsHooks ? hooks : undefined,
    liveness: createLiveness({ monotonicMs: () => performance.now() }),
    now,
    random: () => (randomBytes(1)[0] ?? 0) / 256,
    randomBytes,
  });
  return {
    connectionsOf: (actor) => createConnections({ store, access, sealer, hookUrl, now, randomBytes, actor }),
    planOf: (actor) => (draft) => {
      const draftState = createDraftStore(state);
      const onDraft = composeConnecting(config, context, { state: draftState, sealer, installsHooks: false });
      const { refresher, connectionsOf } = onDraft;
      return planConnection({ draft: draftState, connections: connectionsOf(actor), refresher }, draft);
    },
    refresher,
  };
}

/** Refreshes connections when they are due. `onError`: receives the errors of this background work. */
export function composeRefreshSchedule(
  context: Clock,
  state: StateStore,
  refresher: Refresher,
  onError: (error: unknown) => void,
): RefreshSchedule {
  return createRefreshSchedule({ state, refresher, now: () => context.now().getTime(), onError });
}

// The webhooks of this registry that connections install at forges. A connection has a secret of its own for the
// address of all repositories, so that its end withdraws no other one.

/** undefined: this registry does not know the address at which a forge reaches it, or takes no webhooks. */
function composeConnectedHooks(config: Config, hooks: Pick<Hooks, 'issue'>): HookSecrets | undefined {
  const url = publicUrlOf(config)?.url.replace(/\/$/, '');
  if (url === undefined || !config.features.value.includes('hooks')) return undefined;
  return {
    sharedUrl: `${url}${hookPath({ of: 'registry' })}`,
    of: (hook) => ({
      url: `${url}${hookPath(hook.of === 'repository' ? hook : { of: 'registry' })}`,
      makeSecret: async () => (await hooks.issue(ownerOf(hook))).secret,
    }),
  };
}

function ownerOf(hook: ConnectedHook): HookOwner {
  return hook.of === 'repository' ? hook : { of: 'registry', name: hook.id };
}
