// What people give for a team, and its checks.

import { z } from 'zod';
import { invalidInput, type FieldFault } from '../../build/contract/errors.ts';
import { maxEntries, parseLimits } from '../core/views/token-limits.ts';
import type { Fixed } from '../registry/operation.ts';
import type { TeamRecord } from './team.ts';

export const mostTeams = 500;
export const mostMembers = 1000;
export const longestName = 100;

/** The fields that people give; checkedFields() checks what a schema cannot say. */
export const fields = {
  name: z
    .string()
    .min(1)
    .max(longestName)
    .meta({ description: 'the name of the team; no other team has it', example: 'Shop' }),
  packages: z.array(z.string().max(300)).meta({
    minItems: 1,
    maxItems: maxEntries,
    description: 'the packages that the members see: names, or patterns such as `acme/*`. `*`: all packages',
    example: ['acme/shop-*', 'acme/core'],
  }),
  members: z
    .array(z.string().min(1).max(254))
    .max(mostMembers)
    .meta({ description: 'users, by id or email address', example: ['ada@example.org'] }),
};

export const teamDraft = z
  .strictObject({ ...fields, members: fields.members.optional() })
  .meta({ id: 'TeamDraft', example: { name: 'Shop', packages: ['acme/shop-*'], members: ['ada@example.org'] } });

/** What can be changed later. An absent field stays unchanged. */
export const teamPatch = z
  .strictObject({ name: fields.name.optional(), packages: fields.packages.optional() })
  .meta({ id: 'TeamPatch', example: { packages: ['acme/shop-*', 'acme/core'] } });

export type TeamDraft = Fixed<z.output<typeof teamDraft>>;
export type TeamPatch = Fixed<z.output<typeof teamPatch>>;

/** The fields in their canonical form. Throws INVALID_INPUT with every fault. */
export function checkedFields({ name, packages }: TeamPatch): Partial<Pick<TeamRecord, 'name' | 'packages'>> {
  const issues: FieldFault[] = [];
  const trimmed = name?.trim();
  if (trimmed !== undefined && !isName(trimmed))
    issues.push({
      path: 'name',
      message: `must be one line of 1 to ${longestName} characters, and not begin with tea_`,
    });
  const parsed = packages === undefined ? { limits: {} } : parseLimits({ packages });
  if ('issues' in parsed) issues.push(...parsed.issues);
  if (issues.length > 0 || 'issues' in parsed) throw invalidInput(...issues);
  const found = parsed.limits.packages ?? undefined;
  return { ...(trimmed !== undefined && { name: trimmed }), ...(found && { packages: found }) };
}

/** An id in place of a name would find another team. */
function isName(text: string): boolean {
  return text !== '' && text.length <= longestName && !/\p{C}/u.test(text) && !text.startsWith('tea_');
}
