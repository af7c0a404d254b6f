// Runs the refresh of one connection in one process at a time, with a lease as the schedule of syncs has one.

import type { Actor, ChangeParts } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { createLease, type Lease } from '../../sync/lease.ts';
import { beatMs, type Liveness } from '../../sync/liveness.ts';
import type { ConnectionId } from '../../sync/forge-place.ts';
import type { ConnectionAccess } from '../client/connection-access.ts';
import { connectionKey, parseConnectionRecord } from '../model/connection.ts';
import { refresh, type RefreshEnd } from './refresh.ts';
import type { HookSecrets } from './refresh-parts.ts';
import type { RefreshStep } from './refresh-step.ts';
import { ConnectionRemoved } from './refresh-rows.ts';
import { createRegistrar, type RegistrarRepositories } from './registrar.ts';

export interface RefresherOptions extends Omit<ChangeParts, 'actor'> {
  readonly state: StateStore;
  readonly access: Pick<ConnectionAccess, 'open'>;
  readonly repositoriesOf: (actor: Actor) => RegistrarRepositories;
  readonly hooks: HookSecrets | undefined;
  readonly liveness: Liveness;
  /** 0 ≤ … < 1 */
  readonly random: () => number;
}

export interface RefreshOrder {
  readonly actor: Actor;
  readonly signal: AbortSignal;
  readonly onStep?: (step: RefreshStep) => void;
}

/** `busy`: another process refreshes this connection. `stopped`: by the signal, or because the connection is gone. */
export type RefreshOutcome = RefreshEnd | { readonly end: 'busy' | 'stopped' };

export interface Refresher {
  readonly refresh: (id: ConnectionId, order: RefreshOrder) => Promise<RefreshOutcome>;
}

class RefreshStopped extends Error {}

export function createRefresher(options: RefresherOptions): Refresher {
  const { state, liveness, randomBytes } = options;
  return {
    refresh: async (id, order) => {
      const lease = createLease({ state, name: `connection-${id}`, liveness, randomBytes });
      if (!(await lease.hold())) return { end: 'busy' };
      try {
        return await refreshHeld(options, id, order, lease);
      } catch (error) {
        if (error instanceof RefreshStopped || error instanceof ConnectionRemoved) return { end: 'stopped' };
        throw error;
      } finally {
        await lease.release();
      }
    },
  };
}

async function refreshHeld(
  { state, store, access, repositoriesOf, hooks, now, random }: RefresherOptions,
  id: ConnectionId,
  { actor, signal, onStep = () => undefined }: RefreshOrder,
  lease: Lease,
): Promise<RefreshEnd> {
  const entry = await state.get(connectionKey(id));
  if (entry === undefined) throw new ConnectionRemoved();
  const connection = parseConnectionRecord(entry.value);
  let heldMs = now();
  return refresh({
    connection,
    state,
    forge: access.open(connection),
    registrar: createRegistrar({ store, repositories: repositoriesOf(actor) }),
    hooks,
    now,
    random,
    onStep,
    keep: async () => {
      if (signal.aborted) throw new RefreshStopped();
      if (now() - heldMs < beatMs) return;
      if (!(await lease.hold())) throw new RefreshStopped();
      heldMs = now();
    },
  });
}
