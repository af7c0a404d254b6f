// A team, as the state stores it: its packages and its members. The members see the packages of all their teams.

import { z } from 'zod';
import type { Branded } from '../../build/contract/brand.ts';
import { idsOf } from '../../build/shared/text/base62.ts';
import { isUserId, type UserId } from '../core/tokens/person.ts';
import { rowParser, type RowOf } from '../state/rows.ts';
import { parsePackagePattern } from '../core/views/package-pattern.ts';

/** `tea_` and 16 base62 characters. */
export type TeamId = Branded<string, 'TeamId'>;

export const { mint: mintTeamId, is: isTeamId, parse: parseTeamId } = idsOf<TeamId>('tea');

const teamRecord = z.strictObject({
  id: z.custom<TeamId>(isTeamId),
  /** no other team has it, in upper or lower case */
  name: z.string().min(1),
  /** patterns in their canonical form: sorted, in lower case, at least one */
  packages: z.array(z.string().refine((text) => parsePackagePattern(text) === text)).min(1),
  /** sorted */
  members: z.array(z.custom<UserId>(isUserId)),
  created_at: z.iso.datetime(),
  created_by: z.string(),
  updated_at: z.iso.datetime(),
});
export type TeamRecord = RowOf<typeof teamRecord>;

/** Throws StateError for any other value: a wrong row must not let people see more. */
export const parseTeamRecord = rowParser(teamRecord, 'A team record');

export const teamPrefix = 'team/';

export function teamKey(id: TeamId): string {
  return `${teamPrefix}${id}`;
}
