// The documents of the commands for teams.

import { z } from 'zod';
import { createTeam, teamSchema } from '../../proxy/teams/operations.ts';
import { inConsole } from './parts.ts';

const changed = z.union([teamSchema, inConsole]);

export const teamDocuments = {
  'team create': z.union([createTeam.answer, inConsole]),
  'team list': z.object({ teams: z.array(teamSchema).describe('oldest first') }),
  'team show': teamSchema,
  'team update': changed,
  'team remove': changed,
  'team add-member': changed,
  'team remove-member': changed,
};
