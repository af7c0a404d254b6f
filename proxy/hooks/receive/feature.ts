// The feature `hooks`: the addresses that git hosts tell about a push. `POST /hooks/{repository id}` is for the hook of
// one repository, `POST /hooks` for hooks of organisations, groups and whole servers.

import type { Feature, FeatureRoute } from '../../core/protocol/feature.ts';
import { parseRepositoryId } from '../../sync/repository.ts';
import type { HookAddress } from '../inbox.ts';
import type { ReceiveHook } from './receive-hook.ts';

export function createHookFeature(receive: ReceiveHook): Feature {
  const routeTo = (address: HookAddress): FeatureRoute => ({
    kind: 'hooks',
    open: true,
    ownCredentials: true,
    answer: (asked) => receive(address, asked),
  });
  return {
    kinds: ['hooks'],
    routeOf: (path) => {
      if (path === '/hooks') return routeTo({ of: 'registry' });
      const id = path.startsWith('/hooks/') ? parseRepositoryId(path.slice('/hooks/'.length)) : undefined;
      return id === undefined ? undefined : routeTo({ of: 'repository', id });
    },
  };
}
