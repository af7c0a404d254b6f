// A lease for work that one process at a time does among all that share a state. The holder writes the lease's row
// again and again; when the writes stop, another process takes the lease (liveness.ts). The lease only saves duplicate
// work: a suspended process wakes up and believes that it still has the lease. The builder's lock guards the packages.

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import type { StateStore } from '../core/state/state-store.ts';
import type { Liveness } from './liveness.ts';
import { describeOwner } from './process-owner.ts';

export type Lease = ReturnType<typeof createLease>;

export interface LeaseOptions {
  readonly state: Pick<StateStore, 'get' | 'commit'>;
  /** the name of the work, in a word */
  readonly name: string;
  readonly liveness: Liveness;
  readonly randomBytes: RandomBytes;
}

export const leasePrefix = 'lease/';

export function createLease({ state, name, liveness, randomBytes }: LeaseOptions) {
  const key = `${leasePrefix}${name}`;
  const holder = randomBase62(16, randomBytes);
  return {
    /** Takes a free lease, or renews the own one. False: another process has it. */
    hold: async (): Promise<boolean> => {
      const entry = await state.get(key);
      const current = parseHolder(entry?.value);
      const isFree =
        entry === undefined ||
        current?.holder === holder ||
        current === undefined ||
        !(await liveness.isAlive({ key, revision: entry.revision, owner: current.owner }));
      if (!isFree) return false;
      return state.commit({
        conditions: [{ key, revision: entry?.revision ?? null }],
        puts: [{ key, value: { holder, owner: await describeOwner() } }],
        deletes: [],
        quiet: true,
      });
    },
    /** Releases the lease immediately. */
    release: async (): Promise<void> => {
      const entry = await state.get(key);
      if (entry === undefined || parseHolder(entry.value)?.holder !== holder) return;
      await state.commit({ conditions: [{ key, revision: entry.revision }], puts: [], deletes: [key], quiet: true });
    },
  };
}

/** A malformed row has no holder. */
export function parseHolder(
  value: JsonValue | undefined,
): { readonly holder: string; readonly owner: string } | undefined {
  if (!isJsonObject(value) || typeof value['holder'] !== 'string' || typeof value['owner'] !== 'string')
    return undefined;
  return { holder: value['holder'], owner: value['owner'] };
}
