// The rows that lead from a place to the registered repository there: from its address, from the address that its
// published versions carry, and from its id at a forge. A place has one repository, and a repository that moves takes
// its rows with it.

import { createHash } from 'node:crypto';
import type { JsonValue } from '../../build/contract/json.ts';
import type { StateChange, StateEntry, StateStore } from '../core/state/state-store.ts';
import type { ForgePlace } from './forge-place.ts';
import type { RepositoryId, RepositoryRecord, RepositorySource } from './repository.ts';
import type { RepositorySources } from './repository-sources.ts';

type Places = Pick<RepositorySources, 'placeOf'>;

/** Two repositories with one address would publish the same packages, so an address may have only one. */
export function addressKey(sources: Places, source: RepositorySource): string {
  return rowKey(sources.placeOf(source));
}

/** Of a repository that lives elsewhere now: its versions still carry this address. */
export function formerKey(sources: Places, { type, filters }: RepositorySource, address: string): string {
  return rowKey(`former ${sources.placeOf({ type, url: address, filters })}`);
}

/** The identity at a forge: it stays after a rename, and after the removal of the connection. */
export function forgeKey({ web, id }: Pick<ForgePlace, 'web' | 'id'>): string {
  return rowKey(`forge ${web} ${id}`);
}

function rowKey(place: string): string {
  return `repository-place/${createHash('sha256').update(place).digest('hex')}`;
}

/** The rows of a new repository besides its record. */
export function newRows(sources: Places, record: RepositoryRecord): readonly StateEntryOf[] {
  const keys = [addressKey(sources, record), ...(record.forge === undefined ? [] : [forgeKey(record.forge)])];
  return keys.map((key) => ({ key, value: record.id }));
}

interface StateEntryOf {
  readonly key: string;
  readonly value: JsonValue;
}

/** The keys of the rows that lead to this repository, with conditions that they still do. */
export async function ownRows(
  store: Pick<StateStore, 'get'>,
  sources: Places,
  record: RepositoryRecord,
): Promise<Pick<StateChange, 'conditions' | 'deletes'>> {
  const { id, forge, published_as: former } = record;
  const keys = [
    addressKey(sources, record),
    ...(former === undefined ? [] : [formerKey(sources, record, former)]),
    ...(forge === undefined ? [] : [forgeKey(forge)]),
  ];
  const entries = await Promise.all(keys.map((key) => store.get(key)));
  const own = entries.filter((entry): entry is StateEntry => entry?.value === id);
  return { conditions: own.map(({ key, revision }) => ({ key, revision })), deletes: own.map(({ key }) => key) };
}

/** The rows of `after`, in place of those of `before`. `mayTake`: of the repository whose row has the new address. */
export async function movedRows(
  store: Pick<StateStore, 'get'>,
  sources: Places,
  { before, after }: { readonly before: RepositoryRecord; readonly after: RepositoryRecord },
  mayTake: (other: RepositoryId) => Promise<boolean>,
): Promise<Pick<StateChange, 'conditions' | 'puts' | 'deletes'>> {
  const { id, forge, published_as: former } = after;
  const { conditions, deletes } = await ownRows(store, sources, before);
  const address = addressKey(sources, after);
  const there = await store.get(address);
  const isFree = there === undefined || there.value === id || (await mayTake(there.value as RepositoryId));
  const keys = [
    ...(isFree ? [address] : []),
    ...(former === undefined ? [] : [formerKey(sources, after, former)]),
    ...(forge === undefined ? [] : [forgeKey(forge)]),
  ];
  return {
    conditions: [
      ...conditions.filter(({ key }) => key !== address),
      { key: address, revision: there?.revision ?? null },
    ],
    puts: keys.map((key) => ({ key, value: id })),
    deletes: deletes.filter((key) => !keys.includes(key)),
  };
}

/**
 * Versions of an earlier repository carry the address, so that those of this one need another. git asks the address.
 */
export function ownAddress({ id, url }: RepositoryRecord): string {
  return `${url}/~${id}`;
}
