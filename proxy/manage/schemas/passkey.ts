// Passkeys as the management API shows and takes them.

import { z } from '@hono/zod-openapi';
import { longestPasskeyName } from '../../passkeys/name.ts';
import { idSchema } from './id.ts';
import { time, timeSchema } from './time.ts';
import { code, password } from './user.ts';

export const passkeySchema = z
  .object({
    id: idSchema('pk', 'the passkey'),
    name: z.string().openapi({ description: 'as you call it', example: 'Laptop' }),
    host: z
      .string()
      .openapi({ description: 'the host of the console where it works', example: 'packages.example.org' }),
    created_at: timeSchema('it was added'),
    last_used_at: time.nullable().openapi({ description: 'the time of its last use; null: never' }),
    backed_up: z.boolean().openapi({ description: 'true: your other devices have it, too' }),
  })
  .openapi('Passkey');

export const passkeyPatch = z
  .strictObject({
    name: z.string().min(1).max(longestPasskeyName).openapi({ description: 'the new name', example: 'Laptop' }),
  })
  .openapi('PasskeyPatch');

export const passkeyRemoval = z.strictObject({ password, code }).openapi('PasskeyRemoval');
