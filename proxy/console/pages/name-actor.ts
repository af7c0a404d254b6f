// Who did something, in words for the reader. The addresses of people are for those who may list them.

import { parseTokenRecord, tokenKeyPrefix } from '../../auth/token.ts';
import { readUser } from '../../auth/user-records.ts';
import type { StateStore } from '../../state/state-store.ts';
import type { PageRequest } from '../frame/definitions.ts';

/** `actor`: in the form of the audit log. A token has its description in `tokens`, or is `a token`. */
export async function nameActor(
  state: Pick<StateStore, 'get'>,
  actor: string,
  { caller, may }: Pick<PageRequest, 'caller' | 'may'>,
  tokens: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  const [, kind, id = ''] = /^([a-z]+):(.*)$/s.exec(actor) ?? [];
  if (kind === 'cli') return `${id} on the command line`;
  if (kind === 'token') return tokens.has(id) ? `the token ${tokens.get(id)}` : 'a token';
  if (kind !== 'user') return 'the server';
  if (id === caller?.userId) return 'you';
  if (!may('listUsers')) return 'another person';
  return (await readUser(state, id))?.record.email ?? `${id}, who is deleted`;
}

/** Id → description, for those who see every token; empty without an actor that is a token. */
export async function readTokenNames(
  state: Pick<StateStore, 'range'>,
  actors: readonly string[],
  { may }: Pick<PageRequest, 'may'>,
): Promise<ReadonlyMap<string, string>> {
  if (!may('listUsers') || !actors.some((actor) => actor.startsWith('token:'))) return new Map();
  const records = (await state.range(tokenKeyPrefix)).map(({ value }) => parseTokenRecord(value));
  return new Map(records.filter(({ description }) => description !== '').map((one) => [one.id, one.description]));
}
