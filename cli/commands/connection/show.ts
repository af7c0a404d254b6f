// `libretto connection show`: one connection, and each repository that its forge lists.

import { connectedRepositoryDocument } from '../../../proxy/forges/connection-document.ts';
import { readConnected } from '../../../proxy/forges/model/connected.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { describeConnected, describeConnection } from '../../text/connection-text.ts';
import { runConnectionCommand } from './connection-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runConnectionCommand(context, given, async ({ connections, state, show, id, json }) => {
    const record = await connections.get(id);
    const repositories = (await readConnected(state, record.id)).map(connectedRepositoryDocument);
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
