// Teams in requests and responses of the management API.

import { z } from '@hono/zod-openapi';
import { longestName, mostMembers } from '../../teams/team-fields.ts';
import { maxEntries } from '../../core/views/token-limits.ts';
import { actorWho, idOf } from './id.ts';
import { timeWhen } from './time.ts';

const name = z
  .string()
  .min(1)
  .max(longestName)
  .openapi({ description: 'the name of the team; no other team has it', example: 'Shop' });
const packages = z.array(z.string().max(300)).openapi({
  minItems: 1,
  maxItems: maxEntries,
  description: 'the packages that the members see: names, or patterns such as `acme/*`. `*`: all packages',
  example: ['acme/shop-*', 'acme/core'],
});
const people = z
  .array(z.string().min(1).max(254))
  .max(mostMembers)
  .openapi({ description: 'users, by id or email address', example: ['ada@example.org'] });

export const teamSchema = z
  .object({
    id: idOf('tea', 'the team'),
    name,
    packages,
    members: z
      .array(idOf('usr', 'a member'))
      .openapi({ description: 'the members. Admins see all packages, also as members' }),
    created_at: timeWhen('the team was made'),
    created_by: actorWho('made the team'),
    updated_at: timeWhen('the team was last changed'),
  })
  .openapi('Team');

export const madeTeam = teamSchema
  .extend({
    people_packages: z.enum(['all', 'teams']).openapi({
      description:
        'the setting `people.packages` now. The first team changes it from `all` to `teams`: people without a team then ' +
        'see no packages',
    }),
  })
  .openapi('MadeTeam');

export const teamDraft = z
  .strictObject({ name, packages, members: people.optional() })
  .openapi('TeamDraft', { example: { name: 'Shop', packages: ['acme/shop-*'], members: ['ada@example.org'] } });

export const teamPatch = z
  .strictObject({ name: name.optional(), packages: packages.optional() })
  .openapi('TeamPatch', { example: { packages: ['acme/shop-*', 'acme/core'] } });

export const teamMembers = z
  .strictObject({ members: people.min(1) })
  .openapi('TeamMembers', { example: { members: ['ada@example.org'] } });
