// A request whose answer waits for the builder.

import type { FeatureRequest } from './feature.ts';

/**
 * Lifts the idle limit of its connection, because clients of a silent connection may have stopped reading and the
 * server cuts such connections. The answer ends it: the server then gives the connection its usual time again.
 */
export function awaitBuilder({ incoming }: Pick<FeatureRequest, 'incoming'>): void {
  incoming.socket.setTimeout(0);
}
