// The composition root of the management API: the services behind its operations, each given only what it needs.

import { createAuditedStore } from '../proxy/state/audit.ts';
import { createTokens } from '../proxy/auth/tokens.ts';
import type { Management } from '../proxy/manage/api-request.ts';
import { createManagement } from '../proxy/manage/management.ts';
import type { StateStore } from '../proxy/state/state-store.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';

export function composeManagement(config: Config, { now, randomBytes }: Context, state: StateStore): Management {
  const nowMs = (): number => now().getTime();
  const store = createAuditedStore({ store: state, now: nowMs });
  return createManagement({
    tokensOf: (actor) => createTokens({ store, now: nowMs, randomBytes, actor }),
    defaultLimits: () => ({ read: config.limitsRead.value, write: config.limitsWrite.value }),
    sessions: { authenticate: async () => undefined },
  });
}
