// Who did something, in words for the reader. The addresses of people, and the descriptions of tokens, are for those
// who may list people.

import { actorOf } from '../../auth/caller.ts';
import { parseTokenId, parseTokenRecord, tokenKey } from '../../core/tokens/token.ts';
import { readUser } from '../../auth/user-records.ts';
import { parsePublisherId, parsePublisherRecord, publisherKey } from '../../publishers/model/publisher.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { PageRequest } from '../frame/definitions.ts';

type Reader = Pick<StateStore, 'get'>;
type Viewer = Pick<PageRequest, 'caller' | 'may'>;

/**
 * Names each of `actors`, which are in the form of the audit log: `you`, an email, `the token CI of the shop`, `root
 * (command line)`, `a CI job of the trusted publisher Release`, `the server`.
 */
export async function readActorNames(
  state: Reader,
  actors: readonly string[],
  request: Viewer,
): Promise<(actor: string) => string> {
  const different = [...new Set(actors)];
  const entries = await Promise.all(
    different.map(async (actor) => [actor, await nameActor(state, actor, request)] as const),
  );
  const names = new Map(entries);
  return (actor) => names.get(actor) ?? 'the server';
}

export async function nameActor(state: Reader, actor: string, { caller, may }: Viewer): Promise<string> {
  const [, kind, id = ''] = /^([a-z]+):(.*)$/s.exec(actor) ?? [];
  if (kind === 'cli') return `${id} (command line)`;
  if (kind === 'token') return may('listUsers') ? nameToken(state, id) : 'a token';
  if (kind === 'publisher') return may('listPublishers') ? namePublisher(state, id) : 'a CI job';
  if (kind !== 'user') return 'the server';
  if (caller !== undefined && actor === actorOf(caller)) return 'you';
  if (!may('listUsers')) return 'another person';
  return (await readUser(state, id))?.record.email ?? 'a person who was removed';
}

/** Its jobs act in its name. */
async function namePublisher(state: Reader, text: string): Promise<string> {
  const id = parsePublisherId(text);
  const entry = id === undefined ? undefined : await state.get(publisherKey(id));
  const name = entry === undefined ? text : parsePublisherRecord(entry.value).name;
  return `a CI job of the trusted publisher ${name}`;
}

async function nameToken(state: Reader, text: string): Promise<string> {
  const id = parseTokenId(text);
  const entry = id === undefined ? undefined : await state.get(tokenKey(id));
  const description = entry === undefined ? '' : parseTokenRecord(entry.value).description;
  return `the token ${description === '' ? text : description}`;
}
