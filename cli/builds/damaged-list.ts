// The server's refusal of a change while published files are damaged or lost: the lists of purged and withdrawn
// versions, a serving index, or ZIPs of uploads.

import { refused, type RefusedArtifact } from '../../build/artifacts/outcome.ts';
import { purgedPath } from '../../build/contract/purged.ts';
import { ListDamaged, PackageDamaged, UploadsLost, WithdrawalRefused } from '../../build/contract/refusals.ts';

/**
 * Turns such a refusal of the build into an outcome: TREE_DAMAGED, with the remedy. The message names only a list,
 * because the sender may not see the packages of other files, nor the missing rows. Rejects with any other error.
 */
export async function orDamagedList<Outcome>(work: Promise<Outcome>): Promise<Outcome | RefusedArtifact> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ListDamaged) return refusedByList(error.list);
    if (error instanceof UploadsLost || error instanceof WithdrawalRefused) return refused('TREE_DAMAGED', lostUploads);
    if (error instanceof PackageDamaged) return refused('TREE_DAMAGED', damagedPackage);
    throw error;
  }
}

const damagedPackage =
  'A published file is damaged on the host of the registry, and nothing was changed. Ask the operator to run ' +
  '`libretto verify`, which names the file and the repair.';

const lostUploads =
  'The folder of uploads has lost its ZIPs on the host of the registry, and nothing was changed. Ask the operator to ' +
  'run `libretto doctor`, which names the folder and the way back.';

function refusedByList(list: string): RefusedArtifact {
  const [versions, command] =
    list === purgedPath
      ? ['purged', '`libretto package recover-purged`']
      : ['withdrawn', '`libretto package withdraw` of a version that `libretto verify` names'];
  return refused(
    'TREE_DAMAGED',
    `index/${list} is damaged or lost on the host of the registry. The file lists the ${versions} versions, ` +
      'and nothing changes until the file is whole. Ask the operator to restore the file from the newest backup, ' +
      `or to run ${command}. \`libretto verify\` names the damage.`,
  );
}
