// Teams in requests and responses of the management API.

import { z } from 'zod';
import { longestName, mostMembers } from '../../teams/team-fields.ts';
import { maxEntries } from '../../core/views/token-limits.ts';
import { actorSchema, idSchema } from './id.ts';
import { timeSchema } from './time.ts';

const name = z
  .string()
  .min(1)
  .max(longestName)
  .meta({ description: 'the name of the team; no other team has it', example: 'Shop' });
const packages = z.array(z.string().max(300)).meta({
  minItems: 1,
  maxItems: maxEntries,
  description: 'the packages that the members see: names, or patterns such as `acme/*`. `*`: all packages',
  example: ['acme/shop-*', 'acme/core'],
});
const people = z
  .array(z.string().min(1).max(254))
  .max(mostMembers)
  .meta({ description: 'users, by id or email address', example: ['ada@example.org'] });

export const teamSchema = z
  .object({
    id: idSchema('tea', 'the team'),
    name,
    packages,
    members: z
      .array(idSchema('usr', 'a member'))
      .meta({ description: 'the members. Admins see all packages, also as members' }),
    created_at: timeSchema('the team was made'),
    created_by: actorSchema('made the team'),
    updated_at: timeSchema('the team was last changed'),
  })
  .meta({ id: 'Team' });

export const createdTeam = teamSchema
  .extend({
    people_packages: z.enum(['all', 'teams']).meta({
      description:
        'the setting `people.packages` now. The first team changes it from `all` to `teams`: people without a team then ' +
        'see no packages',
    }),
  })
  .meta({ id: 'MadeTeam' });

export const teamDraft = z
  .strictObject({ name, packages, members: people.optional() })
  .meta({ id: 'TeamDraft', example: { name: 'Shop', packages: ['acme/shop-*'], members: ['ada@example.org'] } });

export const teamPatch = z
  .strictObject({ name: name.optional(), packages: packages.optional() })
  .meta({ id: 'TeamPatch', example: { packages: ['acme/shop-*', 'acme/core'] } });

export const teamMembers = z
  .strictObject({ members: people.min(1) })
  .meta({ id: 'TeamMembers', example: { members: ['ada@example.org'] } });
