// The repositories of a remote registry, through its API: the documents are those that the commands show of a data
// folder.

import { setTimeout as sleep } from 'node:timers/promises';

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { JobDocument, RepositoryDocument } from '../../proxy/sync/repository-document.ts';
import { askRemote } from './ask-remote.ts';
import { RemoteFailure, type Remote } from './remote.ts';

const pauseMs = 1000;

/** Every call throws RegistryError with the registry's refusal, and RemoteFailure. */
export async function listRemotely(remote: Remote): Promise<readonly RepositoryDocument[]> {
  return (await listAll(remote, '/api/repositories')) as unknown as readonly RepositoryDocument[];
}

export async function showRemotely(
  remote: Remote,
  id: string,
): Promise<{ readonly document: RepositoryDocument; readonly jobs: readonly JobDocument[] }> {
  const { body } = await askRemote(remote, { method: 'GET', path: pathOf(id) });
  const jobs = await listAll(remote, `${pathOf(id)}/jobs`);
  return { document: body as unknown as RepositoryDocument, jobs: jobs as unknown as readonly JobDocument[] };
}

/** Resolves with the job when it is over. The sync continues if the caller stops waiting. */
export async function syncRemotely(remote: Remote, id: string): Promise<JobDocument> {
  let job = (await askRemote(remote, { method: 'POST', path: `${pathOf(id)}/sync` })).body;
  while (job['state'] === 'queued' || job['state'] === 'running') {
    await sleep(pauseMs);
    job = (
      await askRemote(remote, { method: 'GET', path: `${pathOf(id)}/jobs/${encodeURIComponent(String(job['id']))}` })
    ).body;
  }
  return job as unknown as JobDocument;
}

function pathOf(id: string): string {
  return `/api/repositories/${encodeURIComponent(id)}`;
}

async function listAll(remote: Remote, path: string): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let cursor: JsonValue | undefined = ''; typeof cursor === 'string';) {
    const { body }: { readonly body: JsonObject } = await askRemote(remote, {
      method: 'GET',
      path: cursor === '' ? path : `${path}?cursor=${encodeURIComponent(cursor)}`,
    });
    if (!Array.isArray(body['data']))
      throw new RemoteFailure(`${remote.url} answered, but not like a Libretto registry. Check the address.`);
    found.push(...(body['data'] as readonly JsonValue[]).filter(isJsonObject));
    cursor = body['next_cursor'];
  }
  return found;
}
