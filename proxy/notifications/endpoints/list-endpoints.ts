// Lists and finds endpoints, for callers that only read.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import {
  endpointKey,
  endpointPrefix,
  parseEndpointId,
  parseEndpointRecord,
  type EndpointRecord,
} from '../model/endpoint.ts';

/** Oldest first. */
export async function listEndpoints(state: Pick<StateStore, 'range'>): Promise<readonly EndpointRecord[]> {
  const records = (await state.range(endpointPrefix)).map(({ value }) => parseEndpointRecord(value));
  return records.toSorted((one, other) => (`${one.created_at} ${one.id}` < `${other.created_at} ${other.id}` ? -1 : 1));
}

/** The record with its revision in the state. Throws NOT_FOUND. */
export async function findEndpoint(
  state: Pick<StateStore, 'get'>,
  text: string,
): Promise<{ readonly record: EndpointRecord; readonly revision: number }> {
  const id = parseEndpointId(text);
  const entry = id === undefined ? undefined : await state.get(endpointKey(id));
  if (entry === undefined)
    throw new RegistryError('NOT_FOUND', {
      message: `There is no notification endpoint with the id ${JSON.stringify(text.slice(0, 80))}.`,
    });
  return { record: parseEndpointRecord(entry.value), revision: entry.revision };
}
