// /health: whether this process serves, for load balancers and people. 200 as long as it answers at all; `status` says how well.

import { jsonAnswer, type Answer } from '../answer.ts';
import type { Counters } from '../limits/counters.ts';
import type { Tree } from '../protocol/tree.ts';

export interface Health {
  /** degraded: it serves, but something beside it is missing; the other fields say what */
  readonly status: 'ok' | 'degraded';
  /** of the newest publication; null before the first */
  readonly serial: number | null;
  /** RFC 3339 UTC */
  readonly published_at: string | null;
  readonly tree: 'ok' | 'empty' | 'unreadable';
  /** local: the shared counters cannot be reached and this process counts alone */
  readonly counters: 'ok' | 'local';
}

export function healthAnswer(tree: Tree, counters: Counters): Answer {
  const counting = counters.degraded() ? 'local' : 'ok';
  try {
    const publication = tree.publication();
    const state = publication === undefined ? 'empty' : 'ok';
    const health: Health = {
      status: state === 'ok' && counting === 'ok' ? 'ok' : 'degraded',
      serial: publication?.serial ?? null,
      published_at: publication?.published_at ?? null,
      tree: state,
      counters: counting,
    };
    return jsonAnswer(200, health);
  } catch (cause) {
    const health: Health = { status: 'degraded', serial: null, published_at: null, tree: 'unreadable', counters: counting };
    return { ...jsonAnswer(200, health), cause };
  }
}
