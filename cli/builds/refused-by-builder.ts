// The refusals that a command passes to the server as a document: the server answers them to the person who asked.

import { refused, type RefusedArtifact } from '../../build/artifacts/outcome.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import { UsageError } from '../io/usage-error.ts';
import { orDamagedList } from './damaged-list.ts';

/** CONFLICT with the reason for a refusal; TREE_DAMAGED as orDamagedList. Rejects with any other error. */
export async function orRefused<Outcome>(work: Promise<Outcome>): Promise<Outcome | RefusedArtifact> {
  try {
    return await orDamagedList(work);
  } catch (error) {
    if (error instanceof BuildRefused || error instanceof UsageError) return refused('CONFLICT', error.message);
    throw error;
  }
}
