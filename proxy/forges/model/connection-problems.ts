// What is wrong with the connections, for `doctor`, `status` and the overview: without a look at each connection, an
// owner would silently stop being in step.

import type { StateStore } from '../../core/state/state-store.ts';
import { countConnected, readConnected } from './connected.ts';
import { type ConnectionRecord, listConnections } from './connection.ts';
import { readProgress } from './read-progress.ts';

export interface ConnectionProblem {
  readonly connection: ConnectionRecord;
  /** `failed`: not in step. `hooks`: webhooks are missing. `reported`: a repository is archived or gone at the forge */
  readonly kind: 'failed' | 'hooks' | 'reported';
  /** a sentence */
  readonly message: string;
}

/** `The connection to acme is not in step`: what follows the name. */
export const problemTitles: Readonly<Record<ConnectionProblem['kind'], string>> = {
  failed: 'is not in step',
  hooks: 'has no webhooks for some repositories',
  reported: 'has repositories that need a decision',
};

/** [] without a problem. */
export async function connectionProblems(
  state: Pick<StateStore, 'get' | 'range'>,
): Promise<readonly ConnectionProblem[]> {
  const records = await listConnections(state);
  return (await Promise.all(records.map((record) => problemsOf(state, record)))).flat();
}

async function problemsOf(
  state: Pick<StateStore, 'get' | 'range'>,
  connection: ConnectionRecord,
): Promise<readonly ConnectionProblem[]> {
  const { error, hook_error: hookError } = await readProgress(state, connection.id);
  const { archived, removed } = countConnected(await readConnected(state, connection.id));
  const parts = [
    ...(archived === 0 ? [] : [`${archived} archived`]),
    ...(removed === 0 ? [] : [`${removed} no longer there`]),
  ];
  return [
    ...(error === null ? [] : [{ connection, kind: 'failed' as const, message: error }]),
    ...(hookError === null || !connection.hooks ? [] : [{ connection, kind: 'hooks' as const, message: hookError }]),
    ...(parts.length === 0
      ? []
      : [
          {
            connection,
            kind: 'reported' as const,
            message: `Repositories at the forge: ${parts.join(', ')}. What they published stays.`,
          },
        ]),
  ];
}
