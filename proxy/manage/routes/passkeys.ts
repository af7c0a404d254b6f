// One's own passkeys over HTTP: list, rename, remove. Only a browser adds and uses them, on the pages of the console.

import { answering, body } from '../frame/json-content.ts';
import { z } from 'zod';
import { showPasskey } from '../../auth/passkey.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import { operation, type Api } from '../frame/api.ts';
import { paginate, pageOf, pageQuery } from '../../registry/page.ts';
import { idSchema, time, timeSchema } from '../../registry/fields.ts';
import { clientAddressOf, person } from './authentication.ts';
import { longestPasskeyName } from '../../passkeys/name.ts';
import { code, password } from '../schemas/user.ts';
import { ageOrder } from '../../state/rows.ts';

// Passkeys as the management API shows and takes them.

const passkeySchema = z
  .object({
    id: idSchema('pk', 'the passkey'),
    name: z.string().meta({ description: 'as you call it', example: 'Laptop' }),
    host: z.string().meta({ description: 'the host of the console where it works', example: 'packages.example.org' }),
    created_at: timeSchema('it was added'),
    last_used_at: time.nullable().meta({ description: 'the time of its last use; null: never' }),
    backed_up: z.boolean().meta({ description: 'true: your other devices have it, too' }),
  })
  .meta({ id: 'Passkey' });

const passkeyPatch = z
  .strictObject({
    name: z.string().min(1).max(longestPasskeyName).meta({ description: 'the new name', example: 'Laptop' }),
  })
  .meta({ id: 'PasskeyPatch' });

const passkeyRemoval = z.strictObject({ password, code }).meta({ id: 'PasskeyRemoval' });

export interface PasskeyServices {
  readonly passkeys: Passkeys;
}

const tags = ['Authentication'];
const params = z.strictObject({ id: idSchema('pk', 'the passkey') });

const listPasskeys = operation({
  operationId: 'listPasskeys',
  method: 'get',
  path: '/api/auth/passkeys',
  tags,
  summary: 'List your passkeys',
  description: 'Oldest first. You add them in the console, because a browser has to make them.',
  request: { query: pageQuery },
  responses: { 200: answering(pageOf(passkeySchema), 'a page of passkeys') },
});

const renamePasskey = operation({
  operationId: 'renamePasskey',
  method: 'patch',
  path: '/api/auth/passkeys/{id}',
  tags,
  summary: 'Rename one of your passkeys',
  description: 'Only you see the name.',
  request: { params, body: body(passkeyPatch) },
  responses: { 200: answering(passkeySchema, 'the passkey') },
  errors: ['NOT_FOUND'],
});

const removePasskey = operation({
  operationId: 'removePasskey',
  method: 'post',
  path: '/api/auth/passkeys/{id}/remove',
  tags,
  summary: 'Remove one of your passkeys',
  description:
    'Requires the password and a code of the authenticator, or a recovery code. Ends all other sessions. In the ' +
    'console, another passkey is enough.',
  request: { params, body: body(passkeyRemoval) },
  responses: { 200: answering(passkeySchema, 'the removed passkey') },
  errors: ['NOT_FOUND', 'INVALID_CREDENTIALS', 'TOO_MANY_ATTEMPTS', 'LAST_ADMIN'],
});

export function registerPasskeys(api: Api, { passkeys }: PasskeyServices): void {
  api.openapi(listPasskeys, async (context) => {
    const own = (await passkeys.list(person(context).userId)).map(showPasskey);
    const { data, next_cursor } = paginate(own, context.req.valid('query'), ageOrder);
    return context.json({ data: [...data], next_cursor }, 200);
  });
  api.openapi(renamePasskey, async (context) => {
    const { name } = context.req.valid('json');
    const renamed = await passkeys.rename(person(context).userId, context.req.valid('param').id, name);
    return context.json(showPasskey(renamed), 200);
  });
  api.openapi(removePasskey, async (context) => {
    const proof = { ...context.req.valid('json'), address: clientAddressOf(context) };
    return context.json(showPasskey(await passkeys.remove(person(context), context.req.valid('param').id, proof)), 200);
  });
}
