// The port to the storage of tokens, users and the audit log: a small ordered key-value store. Every change is one
// atomic check-and-commit. One contract suite runs against every implementation.

import type { JsonValue } from '../../../build/contract/json.ts';
import type { StateIdentity } from './state-identity.ts';

/** Keys are ASCII, `family/part/…`, ordered by bytes. */
export interface StateEntry {
  readonly key: string;
  readonly value: JsonValue;
  /** changes with every put of this key */
  readonly revision: number;
}

export interface StateChange {
  /** all must hold, otherwise nothing is changed; revision null: the key must not exist */
  readonly conditions: readonly { readonly key: string; readonly revision: number | null }[];
  readonly puts: readonly { readonly key: string; readonly value: JsonValue }[];
  readonly deletes: readonly string[];
  /**
   * For bookkeeping that no cache depends on, for example last uses and counts: the generation is unchanged, so that
   * caches stay valid.
   */
  readonly quiet?: boolean;
}

export interface RangeOptions {
  /** start behind this key */
  readonly after?: string;
  readonly limit?: number;
  readonly reverse?: boolean;
}

/** The options for opening a store. */
export interface StateOpening {
  /** true: creates a missing state; false: a missing state is the error STATE_MISSING */
  readonly make: boolean;
  /** the identity of a state that is made, or that an older version made without one */
  readonly fresh: StateIdentity;
}

export interface StateStore {
  /** The identity of this state; undefined: an older version made the state, and it is read-only now. */
  readonly identity: StateIdentity | undefined;
  readonly get: (key: string) => Promise<StateEntry | undefined>;
  /** Entries whose key starts with `prefix`, in key order. */
  readonly range: (prefix: string, options?: RangeOptions) => Promise<readonly StateEntry[]>;
  /** Resolves to true after the change is durable, or to false after a condition failed and nothing was changed. */
  readonly commit: (change: StateChange) => Promise<boolean>;
  /**
   * Increments with every commit of any process that is not quiet; cheap enough for every request. Rows read under one
   * generation stay valid during it, except rows that are written quietly.
   */
  readonly generation: () => number;
  readonly close: () => Promise<void>;
}
