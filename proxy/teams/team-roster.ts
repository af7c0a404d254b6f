// The row with the number of teams. Every change of a team writes it, and has the condition that it is unchanged. So a
// change that depends on other teams, such as a name that must be free, never meets a concurrent one.

import { z } from 'zod';
import type { JsonValue } from '../../build/contract/json.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { listRows, parseRow } from '../state/rows.ts';
import { parseTeamRecord, teamPrefix, type TeamRecord } from './team.ts';

export const teamRosterKey = 'team-roster';
const rosterRow = z.strictObject({ teams: z.number().int().min(0) });

export interface TeamRoster {
  /** oldest first */
  readonly teams: readonly TeamRecord[];
  /** of the row; null: there never was a team */
  readonly revision: number | null;
}

/** The row as stored. Throws StateError when it is malformed. */
export function parseTeamRoster(value: JsonValue): number {
  return parseRow(rosterRow, value, 'The count of teams').teams;
}

/** The row is read first: a change in between makes a commit fail, and its caller starts again. */
export async function readTeamRoster(store: Pick<StateStore, 'get' | 'range'>): Promise<TeamRoster> {
  const entry = await store.get(teamRosterKey);
  return { teams: await listTeams(store), revision: entry?.revision ?? null };
}

/** Oldest first. */
export async function listTeams(store: Pick<StateStore, 'range'>): Promise<readonly TeamRecord[]> {
  return (await listRows(store, teamPrefix, parseTeamRecord)).map(({ record }) => record);
}
