// What a refresh of one connection works with.

import type { ConnectionId } from '../../sync/forge-place.ts';
import type { RepositoryId } from '../../sync/repository.ts';
import type { Forge, OfferedHook } from '../client/forge.ts';
import type { ConnectionRecord } from '../model/connection.ts';
import type { RefreshStep } from './refresh-step.ts';
import type { RefreshState } from './refresh-rows.ts';
import type { Registrar } from './registrar.ts';

/** The owner of a webhook: the owner of a connection, or one repository. */
export type ConnectedHook =
  | { readonly of: 'connection'; readonly id: ConnectionId }
  | { readonly of: 'repository'; readonly id: RepositoryId };

/** Makes the webhooks of this registry that the forge is to call. */
export interface HookSecrets {
  readonly of: (hook: ConnectedHook) => OfferedHook;
  /** the address of this registry for the webhooks of owners */
  readonly sharedUrl: string;
}

export interface RefreshParts {
  readonly connection: ConnectionRecord;
  readonly state: RefreshState;
  readonly forge: Forge;
  readonly registrar: Registrar;
  /** undefined: this registry has no public address that a forge could call */
  readonly hooks: HookSecrets | undefined;
  /** epoch milliseconds */
  readonly now: () => number;
  /** 0 ≤ … < 1 */
  readonly random: () => number;
  readonly onStep: (step: RefreshStep) => void;
  /** Called before each request. Throws to stop the refresh: another process has it, or this one ends. */
  readonly keep: () => Promise<void>;
}
