// `libretto connection show`: one connection, and each repository that its forge lists.

import {
  connectedRepositoryDocument,
  type ConnectedRepositoryDocument,
} from '../../../proxy/forges/connection-document.ts';
import { allSeen } from '../../../proxy/forges/refresh/refresh-rows.ts';
import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { describeConnected, describeConnection } from '../../text/connection-text.ts';
import { runConnectionCommand } from './connection-command.ts';

export function run(context: Context, given: Given): Promise<number> {
  return runConnectionCommand(context, given, async ({ connections, state, show, id, json }) => {
    const record = await connections.get(id);
    const repositories: ConnectedRepositoryDocument[] = [];
    for await (const seen of allSeen(state, record.id)) repositories.push(connectedRepositoryDocument(seen));
    repositories.sort((one, other) => (one.path < other.path ? -1 : 1));
    const connection = await show(record);
    if (json) printJson(context.stdout, { ...connection, repositories });
    else
      printLines(context.stdout, [
        ...describeConnection(connection),
        ...(repositories.length === 0 ? [] : ['', ...describeConnected(repositories)]),
      ]);
    return 0;
  });
}
