// Who did something, in words for the reader. The addresses of people are for those who may list them.

import { readUser } from '../../auth/user-records.ts';
import type { StateStore } from '../../state/state-store.ts';
import type { PageRequest } from '../frame/definitions.ts';

/** `actor`: in the form of the audit log. */
export async function nameActor(
  state: Pick<StateStore, 'get'>,
  actor: string,
  { caller, may }: Pick<PageRequest, 'caller' | 'may'>,
): Promise<string> {
  const [, kind, id = ''] = /^([a-z]+):(.*)$/s.exec(actor) ?? [];
  if (kind === 'cli') return `${id} on the command line`;
  if (kind === 'token') return 'a token';
  if (kind !== 'user') return 'the server';
  if (id === caller?.userId) return 'you';
  if (!may('listUsers')) return 'another person';
  return (await readUser(state, id))?.record.email ?? `${id}, who is deleted`;
}
