// The contract of state-store.ts, run on every state store there is.

import { createDraftStore } from '../../proxy/state/draft-store.ts';
import { createMemoryStore } from '../../proxy/state/memory-store.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { describeStateStore } from './state-store.ts';

describeStateStore('memory', async () => ({ store: createMemoryStore(), remove: () => Promise.resolve() }));

describeStateStore('LMDB', async () => {
  const folder = temporaryFolder('state');
  return { store: await openLmdbStore(folder.at('state')), remove: folder.remove };
});

describeStateStore('a draft', async () => ({ store: createDraftStore(createMemoryStore()), remove: () => Promise.resolve() }));
