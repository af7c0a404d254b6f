// Installs webhooks: one at the owner where the forge and the credentials allow it, else one at each registered
// repository. A refusal is kept for people, and does not stop the refresh.

import type { ForgeRepository, ListedRepository } from '../model/forge-repository.ts';
import type { RefreshProgress } from '../model/progress.ts';
import type { RefreshParts } from './refresh-parts.ts';
import { changeProgress, writeSeen } from './refresh-rows.ts';

export interface HookInstaller {
  /** Tries the owner once. */
  readonly ofOwner: (progress: RefreshProgress) => Promise<RefreshProgress>;
  /** The row with its webhook, if it needs one of its own. */
  readonly ofRepository: (repository: ForgeRepository, seen: ListedRepository) => Promise<ListedRepository>;
  /** True if a later refresh should try again. */
  readonly isMissing: (seen: ListedRepository) => boolean;
}

const none: HookInstaller = {
  ofOwner: (progress) => Promise.resolve(progress),
  ofRepository: (_repository, seen) => Promise.resolve(seen),
  isMissing: () => false,
};

export function createHookInstaller(parts: RefreshParts): HookInstaller {
  const { connection, hooks } = parts;
  if (!connection.hooks || hooks === undefined) return none;
  const { state, forge, keep } = parts;
  let isOwners = false;
  let isRefused = false;
  const needsOwn = ({ state, hook }: ListedRepository): boolean => !isOwners && state === 'registered' && !hook;
  const note = (change: Partial<RefreshProgress>): Promise<RefreshProgress> =>
    changeProgress(state, connection.id, change);
  return {
    ofOwner: async (progress) => {
      isOwners = progress.owner_hook === 'installed';
      if (progress.owner_hook !== null) return progress;
      await keep();
      const hook = hooks.of({ of: 'connection', id: connection.id });
      const answer = await forge.putHook(connection.owner_kind, undefined, hook);
      isOwners = answer.outcome === 'installed';
      return note({ owner_hook: answer.outcome, hook_error: null });
    },
    ofRepository: async (repository, seen) => {
      // what one repository refuses, the next one refuses too
      if (!needsOwn(seen) || seen.repository === null || isRefused) return seen;
      await keep();
      const hook = hooks.of({ of: 'repository', id: seen.repository });
      const answer = await forge.putHook(connection.owner_kind, repository, hook);
      isRefused = answer.outcome === 'refused';
      if (answer.outcome === 'refused') {
        await note({ hook_error: answer.message });
        return seen;
      }
      const installed = { ...seen, hook: true };
      await writeSeen(state, connection.id, installed);
      await note({ hook_error: null });
      return installed;
    },
    isMissing: needsOwn,
  };
}
