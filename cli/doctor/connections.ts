// The check of connections to forges: a failed refresh, missing webhooks, and repositories that the forge has no more.

import {
  connectionProblems,
  problemTitles,
  type ConnectionProblem,
} from '../../proxy/forges/model/connection-problems.ts';
import { listConnections } from '../../proxy/forges/model/connection.ts';
import type { Config } from '../config/config.ts';
import { counted } from '../io/output.ts';
import { withStateIfAny } from '../state/open-state.ts';
import { ok, warning, type Finding } from './finding.ts';

/** Returns no finding if nothing is connected. */
export async function check(config: Config): Promise<readonly Finding[]> {
  return withStateIfAny(config, [], async (state) => {
    const { length } = await listConnections(state);
    if (length === 0) return [];
    const problems = await connectionProblems(state);
    if (problems.length > 0) return problems.map(finding);
    return [ok('connection', `${counted(length, 'connection')} to forges; the last refresh of each succeeded`)];
  });
}

function finding({ connection: { id, owner, web }, kind, message }: ConnectionProblem): Finding {
  const advice: Readonly<Record<ConnectionProblem['kind'], string>> = {
    failed:
      `All repositories stay registered. After the repair run \`libretto connection refresh ${id}\`; new credentials: ` +
      `\`libretto connection update ${id} --token-file FILE\`.`,
    hooks:
      `Give the credentials the permission to manage webhooks, and run \`libretto connection refresh ${id}\`; or do ` +
      `without: \`libretto connection update ${id} --no-hooks\`.`,
    reported: `\`libretto connection show ${id}\` names them first. Remove one with \`libretto repository remove ID\`.`,
  };
  return warning('connection', `${owner} at ${web} ${problemTitles[kind]}: ${message}`, advice[kind]);
}
