// The documents of the commands for teams.

import { z } from 'zod';
import { teamSchema } from '../../proxy/manage/schemas/team.ts';
import * as part from './parts.ts';

const { orNull, text } = part;

const team = teamSchema.extend({
  members: z
    .array(
      z.object({
        id: text('the id of the member'),
        email: orNull(z.string(), 'the email address; null: the user no longer exists'),
      }),
    )
    .describe('the members. Admins see all packages, also as members'),
});

export const teamDocuments = {
  'team create': team,
  'team list': z.object({ teams: z.array(team).describe('oldest first') }),
  'team show': team,
  'team update': team,
  'team remove': z.object({ id: text('the id of the team') }),
  'team add-member': team,
  'team remove-member': team,
};
