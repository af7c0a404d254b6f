// A team, as the state stores it: its packages and its members. The members see the packages of all their teams.

import { z } from 'zod';
import type { Branded } from '../../build/contract/brand.ts';
import type { JsonValue } from '../../build/contract/json.ts';
import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import type { UserId } from '../core/tokens/person.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import { parsePackagePattern } from '../core/views/package-pattern.ts';

/** `tea_` and 16 base62 characters. */
export type TeamId = Branded<string, 'TeamId'>;

export interface TeamRecord {
  readonly id: TeamId;
  /** no other team has it, in upper or lower case */
  readonly name: string;
  /** patterns in their canonical form: sorted, in lower case, at least one */
  readonly packages: readonly string[];
  /** sorted */
  readonly members: readonly UserId[];
  readonly created_at: string;
  readonly created_by: string;
  readonly updated_at: string;
}

const teamRecord = z.strictObject({
  id: z.string().regex(/^tea_[0-9A-Za-z]{16}$/),
  name: z.string().min(1),
  packages: z.array(z.string().refine((text) => parsePackagePattern(text) === text)).min(1),
  members: z.array(z.string().regex(/^usr_[0-9A-Za-z]{16}$/)),
  created_at: z.iso.datetime(),
  created_by: z.string(),
  updated_at: z.iso.datetime(),
});

/** A record as stored. Throws StateError for any other value: a wrong row must not let people see more. */
export function parseTeamRecord(value: JsonValue): TeamRecord {
  const parsed = teamRecord.safeParse(value);
  if (parsed.success) return parsed.data as unknown as TeamRecord;
  throw malformedRecord('A team record');
}

export function mintTeamId(randomBytes: RandomBytes): TeamId {
  return `tea_${randomBase62(16, randomBytes)}` as TeamId;
}

export function parseTeamId(text: string): TeamId | undefined {
  return /^tea_[0-9A-Za-z]{16}$/.test(text) ? (text as TeamId) : undefined;
}

export const teamPrefix = 'team/';

export function teamKey(id: TeamId): string {
  return `${teamPrefix}${id}`;
}
