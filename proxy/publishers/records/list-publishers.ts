// Lists and finds publishers, for callers that only read.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import {
  parsePublisherId,
  parsePublisherRecord,
  publisherKey,
  publisherPrefix,
  type PublisherRecord,
} from '../model/publisher.ts';

export interface StoredPublisher {
  readonly record: PublisherRecord;
  readonly revision: number;
}

/** Oldest first. */
export async function listPublishers(state: Pick<StateStore, 'range'>): Promise<readonly StoredPublisher[]> {
  const rows = await state.range(publisherPrefix);
  return rows
    .map(({ value, revision }) => ({ record: parsePublisherRecord(value), revision }))
    .toSorted((one, other) => (orderOf(one.record) < orderOf(other.record) ? -1 : 1));
}

export function orderOf({ created_at, id }: PublisherRecord): string {
  return `${created_at} ${id}`;
}

/** Throws NOT_FOUND. */
export async function findPublisher(state: Pick<StateStore, 'get'>, text: string): Promise<StoredPublisher> {
  const id = parsePublisherId(text);
  const entry = id === undefined ? undefined : await state.get(publisherKey(id));
  if (entry === undefined)
    throw new RegistryError('NOT_FOUND', {
      message: `There is no trusted publisher with the id ${JSON.stringify(text.slice(0, 80))}.`,
    });
  return { record: parsePublisherRecord(entry.value), revision: entry.revision };
}
