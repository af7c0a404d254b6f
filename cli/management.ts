// The composition root of the management API: the services behind its operations, each given only what it needs.

import { createArtifacts } from '../proxy/artifacts/artifacts.ts';
import { createChildPublisher } from '../proxy/artifacts/child-publisher.ts';
import { createAuditedStore } from '../proxy/state/audit.ts';
import { createTokens } from '../proxy/auth/tokens.ts';
import type { Management } from '../proxy/manage/api-request.ts';
import { createManagement } from '../proxy/manage/management.ts';
import { createUploads } from '../proxy/manage/upload.ts';
import type { StateStore } from '../proxy/state/state-store.ts';
import { composeBuilder } from './compose-builder.ts';
import { composeKeys, composePeople } from './compose-people.ts';
import type { Config } from './config.ts';
import type { Syncing } from './compose-sync.ts';
import type { Context } from './context.ts';

export function composeManagement(config: Config, context: Context, state: StateStore, syncing: Syncing): Management {
  const { now, randomBytes } = context;
  const nowMs = (): number => now().getTime();
  const store = createAuditedStore({ store: state, now: nowMs });
  const people = composePeople(context, state, composeKeys(config, context));
  return createManagement({
    ...syncing,
    people,
    sessions: people.sessions,
    artifactsOf: (actor) => createArtifacts({ store, now: nowMs, randomBytes, actor, publisher: createChildPublisher(composeBuilder(config, context)), dataDirectory: config.data.value }),
    uploads: createUploads(config.data.value),
    tokensOf: (actor) => createTokens({ store, now: nowMs, randomBytes, actor }),
    defaultLimits: () => ({ read: config.limitsRead.value, write: config.limitsWrite.value }),
  });
}
