// /health: whether this process serves, for load balancers and people. 200 as long as it answers at all; `status` says how well.

import type { Publication } from '../../build/contract/publication.ts';
import { jsonAnswer, type Answer } from '../answer.ts';
import { whenReady, type Eventually } from '../eventually.ts';
import type { Counters } from '../limits/counters.ts';
import type { Tree } from '../protocol/tree.ts';

export interface Health {
  /** degraded: it serves, but something beside it is missing; the other fields say what */
  readonly status: 'ok' | 'degraded';
  /** of the newest publication; null before the first, and where it cannot be read */
  readonly serial: number | null;
  /** RFC 3339 UTC */
  readonly published_at: string | null;
  /** empty: nothing was published yet. unreadable: what was published is gone or damaged */
  readonly tree: 'ok' | 'empty' | 'unreadable';
  /** local: the shared counters cannot be reached and this process counts alone */
  readonly counters: 'ok' | 'local';
}

/** Looks for what every client asks for first, packages.json; it is parsed again only where it has changed. */
export function healthAnswer(tree: Tree, counters: Counters, nowMs: number): Eventually<Answer> {
  const counting = counters.degraded() ? 'local' : 'ok';
  const broken = (cause: unknown): Answer => ({ ...jsonAnswer(200, healthOf(undefined, 'unreadable', counting)), cause });
  try {
    const publication = tree.publication();
    if (publication === undefined) return jsonAnswer(200, healthOf(undefined, 'empty', counting));
    const answer = whenReady(tree.hasRoot(nowMs), (there) => jsonAnswer(200, healthOf(publication, there ? 'ok' : 'unreadable', counting)));
    return answer instanceof Promise ? answer.catch(broken) : answer;
  } catch (cause) {
    return broken(cause);
  }
}

function healthOf(publication: Publication | undefined, tree: Health['tree'], counters: Health['counters']): Health {
  return {
    status: tree === 'ok' && counters === 'ok' ? 'ok' : 'degraded',
    serial: publication?.serial ?? null,
    published_at: publication?.published_at ?? null,
    tree,
    counters,
  };
}
