// A person's sessions.

import type { SessionCaller } from './caller.ts';

export interface Sessions {
  /** Whose session this Authorization header is; undefined: nobody's. Rejects only when the state fails. */
  readonly authenticate: (authorization: string, nowMs: number) => Promise<SessionCaller | undefined>;
}
