// People and tokens in a text by name, for readers who may list them. Others read the ids.

import { maySee } from '../../auth/caller-tokens.ts';
import { decideFor, type Caller, type Operator } from '../../auth/caller.ts';
import { readUser } from '../../auth/user-records.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { parseTokenId, parseTokenRecord, tokenKey } from '../../core/tokens/token.ts';

export type Reader = Caller | Operator;

/** As sentences of this registry name them: the name of a file in such a sentence stays as it is. */
const actors = /(?<=^|; | and )(user|token):(\w+)(?=$| (?:uploaded|approved|rejected|and) )/g;

/** `user:usr_…` becomes the email, and `token:tok_…` the description. */
export async function withNames(store: Pick<StateStore, 'get'>, reader: Reader, text: string): Promise<string> {
  const names = new Map<string, string | undefined>();
  for (const [actor, kind, id = ''] of text.matchAll(actors))
    names.set(actor, kind === 'user' ? await emailOf(store, reader, id) : await descriptionOf(store, reader, id));
  return text.replaceAll(actors, (actor) => names.get(actor) ?? actor);
}

/** With people and tokens by name. */
export function named<One extends { readonly because: string }>(
  store: Pick<StateStore, 'get'>,
  reader: Reader,
  all: readonly One[],
): Promise<readonly One[]> {
  return Promise.all(all.map(async (one) => ({ ...one, because: await withNames(store, reader, one.because) })));
}

async function emailOf(store: Pick<StateStore, 'get'>, reader: Reader, id: string): Promise<string | undefined> {
  if (reader.kind !== 'operator' && decideFor('listUsers', reader) !== 'allowed') return undefined;
  return (await readUser(store, id))?.record.email;
}

async function descriptionOf(
  store: Pick<StateStore, 'get'>,
  reader: Reader,
  text: string,
): Promise<string | undefined> {
  const id = parseTokenId(text);
  const entry = id && (await store.get(tokenKey(id)));
  const record = entry && parseTokenRecord(entry.value);
  if (record === undefined || record.description === '' || !maySee(reader, record)) return undefined;
  return `the token ${record.description} (${text})`;
}
