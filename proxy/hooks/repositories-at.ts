// Finds registered git repositories by the clone address in a hook. The addresses are read again after a change of the
// state, and not for each hook.

import type { StateStore } from '../core/state/state-store.ts';
import { listRepositories } from '../sync/list-repositories.ts';
import type { RepositoryId, RepositoryRecord } from '../sync/repository.ts';
import { normalizeCloneUrl } from './clone-url.ts';
import type { HookInbox, NormalizedCloneUrl } from './inbox.ts';

type ByAddress = ReadonlyMap<NormalizedCloneUrl, readonly RepositoryId[]>;

export function createRepositoriesAt(
  state: Pick<StateStore, 'range' | 'generation'>,
): Pick<HookInbox, 'repositoriesAt' | 'repositoriesBelow'> {
  let known: { readonly generation: number; readonly found: Promise<ByAddress> } | undefined;
  const read = (): Promise<ByAddress> => {
    const generation = state.generation();
    if (known?.generation === generation) return known.found;
    const found = listRepositories(state).then(byAddress);
    known = { generation, found };
    found.catch(() => (known = undefined));
    return found;
  };
  return {
    repositoriesAt: async (addresses) => {
      const found = await read();
      return [...new Set(addresses.flatMap((address) => found.get(address) ?? []))];
    },
    repositoriesBelow: async (owner) =>
      [...(await read())].filter(([address]) => address.startsWith(`${owner}/`)).flatMap(([, ids]) => ids),
  };
}

function byAddress(records: readonly RepositoryRecord[]): ByAddress {
  const found = new Map<NormalizedCloneUrl, RepositoryId[]>();
  for (const { id, type, url } of records) {
    const address = type === 'git' ? normalizeCloneUrl(url) : undefined;
    if (address !== undefined) found.set(address, [...(found.get(address) ?? []), id]);
  }
  return found;
}
