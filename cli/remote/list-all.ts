// Reads every page of a list of a remote registry.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { requestRemote } from './request-remote.ts';
import { RemoteFailure, type Remote } from './remote.ts';

/** `path`: of the list, perhaps with a query. Throws RegistryError with the registry's refusal, and RemoteFailure. */
export async function listAll(remote: Remote, path: string): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  const seen = new Set<string>();
  for (let cursor: JsonValue | undefined = ''; typeof cursor === 'string';) {
    const { body }: { readonly body: JsonObject } = await requestRemote(remote, {
      method: 'GET',
      path: cursor === '' ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`,
    });
    if (!Array.isArray(body['data']))
      throw new RemoteFailure(`${remote.url} answered, but not like a Libretto registry. Check the address.`);
    for (const item of body['data'] as readonly JsonValue[]) if (isJsonObject(item)) found.push(item);
    cursor = body['next_cursor'];
    if (typeof cursor === 'string' && (seen.size === seen.add(cursor).size || seen.size > 10_000))
      throw new RemoteFailure(`The list of ${remote.url} has no end. Check the address.`);
  }
  return found;
}
