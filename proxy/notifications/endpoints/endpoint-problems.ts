// What is wrong with the endpoints, for the overview: a receiver that is notified of nothing any more tells nobody
// itself.

import type { StateStore } from '../../core/state/state-store.ts';
import { type DisabledReason, type EndpointRecord, listEndpoints } from '../model/endpoint.ts';
import { readStatus } from '../model/endpoint-status.ts';

export interface EndpointProblem {
  readonly endpoint: EndpointRecord;
  readonly kind: Exclude<DisabledReason, 'by hand'> | 'paused';
  /** a sentence: the reason, and what to do */
  readonly message: string;
}

/** [] without a problem. What a person turned off is none. */
export async function endpointProblems(
  state: Pick<StateStore, 'get' | 'range'>,
  nowMs: number,
): Promise<readonly EndpointProblem[]> {
  const records = await listEndpoints(state);
  return (await Promise.all(records.map((record) => problemOf(state, record, nowMs)))).flat();
}

async function problemOf(
  state: Pick<StateStore, 'get'>,
  endpoint: EndpointRecord,
  nowMs: number,
): Promise<readonly EndpointProblem[]> {
  if (endpoint.disabled === 'by hand') return [];
  if (endpoint.disabled === 'gone')
    return [{ endpoint, kind: 'gone', message: 'Its receiver answered 410. Turn it on again, or remove it.' }];
  if (endpoint.disabled === 'token ended')
    return [{ endpoint, kind: 'token ended', message: 'Choose another view and turn it on again, or remove it.' }];
  const { paused_until: paused, error } = await readStatus(state, endpoint.id);
  const isPaused = paused !== null && Date.parse(paused) > nowMs;
  return isPaused ? [{ endpoint, kind: 'paused', message: error ?? 'Its receiver cannot be reached.' }] : [];
}
