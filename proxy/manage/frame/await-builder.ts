// A request whose answer waits for the builder.

import type { ApiRequest } from './api-request.ts';

/**
 * Lets its connection be silent for as long as that takes: the server cuts others off that are silent for long, since
 * their clients may have stopped reading. The answer ends it: the server then gives the connection its usual time
 * again.
 */
export function awaitBuilder({ incoming }: ApiRequest): void {
  incoming.socket.setTimeout(0);
}
