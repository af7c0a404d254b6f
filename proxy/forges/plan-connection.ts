// Shows what a connection would register: connects and refreshes on a draft of the state, which is dropped.

import type { StateStore } from '../core/state/state-store.ts';
import type { ForgeConnections } from './connections.ts';
import type { ConnectionDraft } from './parse-connection.ts';
import type { Refresher } from './refresh/refresher.ts';
import type { RefreshStep } from './refresh/refresh-step.ts';

export interface ConnectionPlan {
  /** false: the list was not read to its end */
  readonly finished: boolean;
  /** why not */
  readonly message: string | null;
  readonly steps: readonly RefreshStep[];
}

/** The services on a draft. */
export interface PlanParts {
  readonly draft: StateStore;
  readonly connections: Pick<ForgeConnections, 'create'>;
  readonly refresher: Refresher;
}

/** A person waits for it, and a proxy before this registry may wait for 30 s only. */
const longestMs = 20_000;

/** Throws RegistryError as `Connections.create` does. */
export async function planConnection(
  { draft: state, connections, refresher }: PlanParts,
  draft: ConnectionDraft,
): Promise<ConnectionPlan> {
  try {
    const { id } = await connections.create({ ...draft, hooks: false });
    const steps: RefreshStep[] = [];
    const onStep = (step: RefreshStep): void => void steps.push(step);
    const signal = AbortSignal.timeout(longestMs);
    const outcome = await refresher.refresh(id, { actor: 'system:connection', signal, onStep });
    if (outcome.end === 'finished') return { finished: true, message: null, steps };
    const message =
      outcome.end === 'paused' || outcome.end === 'refused'
        ? outcome.message
        : `The list is long, and ${longestMs / 1000} s were not enough. \`libretto connection add --dry-run\` shows all.`;
    return { finished: false, message, steps };
  } finally {
    await state.close();
  }
}
