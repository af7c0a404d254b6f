// The two lists that keep versions out, as one build reads them: the tombstones and the versions withdrawn by hand. A
// build that recovers one list goes by the announcement for the other, so that both can come back when both are lost.

import type { AnnouncedLists, GuardedList } from '../contract/announced-lists.ts';
import type { WithheldVersion } from '../contract/withheld.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';
import type { Output } from '../output/output.ts';
import { readPurged } from '../package/purged.ts';
import type { BuildRequest } from '../scan/build-request.ts';
import { readWithheld } from '../version-lists/withheld.ts';
import type { PublishContext } from './run.ts';

type Lists = Pick<PublishContext, 'purged' | 'withheld'>;
type ListRequest = Pick<BuildRequest, 'withhold' | 'purge' | 'recoverPurged' | 'recovers'>;

/**
 * The lists with the requested changes. Throws BuildRefused if a list is damaged or lacks announced rows, and the
 * request recovers neither list.
 */
export async function readLists(
  output: Output,
  announced: AnnouncedLists,
  { withhold, purge, recoverPurged, recovers }: ListRequest,
  now: Date,
): Promise<Lists> {
  const withheld = await readWithheld(output, {
    announced: announced.withheld,
    change: withhold === undefined ? undefined : { request: withhold, now },
    mayBeLost: recovers === 'purged',
  });
  const purged = await readPurged(output, {
    announced: announced.purged,
    more: purge,
    recovery: recoverPurged,
    mayBeLostAt: recovers === 'withheld' ? now : undefined,
  });
  return { withheld, purged };
}

/** The lists without any change. `recovers`: of the build that reads the lists before it recovers one. */
export async function readPresentLists(
  output: Output,
  announced: AnnouncedLists,
  recovers: GuardedList | undefined,
  now: Date,
): Promise<Lists> {
  const mayBeLost = recovers !== undefined;
  return {
    withheld: await readWithheld(output, { announced: announced.withheld, mayBeLost }),
    purged: await readPurged(output, { announced: announced.purged, mayBeLostAt: mayBeLost ? now : undefined }),
  };
}

/** The recovery of a list also takes the withdrawals in the state: a `package restore` removes its record there. */
export function withRecorded(tree: TreeMemory, recovery: BuildRequest['recoverPurged']): TreeMemory {
  if (recovery === undefined) return tree;
  const { purged, withheld } = tree.announced;
  const isNamed = new Set(withheld.map(versionKey));
  const more = recovery.withheld.filter((row) => !isNamed.has(versionKey(row)));
  return { ...tree, announced: { purged, withheld: [...withheld, ...more] } };
}

const versionKey = ({ name, version_normalized: normalized }: WithheldVersion): string => `${name} ${normalized}`;
