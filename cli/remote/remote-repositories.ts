// The repositories of a remote registry, through its API: the documents are those that the commands show of a data
// folder.

import { setTimeout as sleep } from 'node:timers/promises';

import type { JobDocument, RepositoryDocument } from '../../proxy/sync/repository-document.ts';
import { requestRemote } from './request-remote.ts';
import { listAll } from './list-all.ts';
import type { Remote } from './remote.ts';

const pauseMs = 1000;

/** Every call throws RegistryError with the registry's refusal, and RemoteFailure. */
export async function listRemotely(remote: Remote): Promise<readonly RepositoryDocument[]> {
  return (await listAll(remote, '/api/repositories')) as unknown as readonly RepositoryDocument[];
}

export async function showRemotely(
  remote: Remote,
  id: string,
): Promise<{ readonly document: RepositoryDocument; readonly jobs: readonly JobDocument[] }> {
  const { body } = await requestRemote(remote, { method: 'GET', path: pathOf(id) });
  const jobs = await listAll(remote, `${pathOf(id)}/jobs`);
  return { document: body as unknown as RepositoryDocument, jobs: jobs as unknown as readonly JobDocument[] };
}

/** Resolves with the job when it is over. The sync continues if the caller stops waiting. */
export async function syncRemotely(remote: Remote, id: string): Promise<JobDocument> {
  let job = (await requestRemote(remote, { method: 'POST', path: `${pathOf(id)}/sync` })).body;
  while (job['state'] === 'queued' || job['state'] === 'running') {
    await sleep(pauseMs);
    job = (
      await requestRemote(remote, {
        method: 'GET',
        path: `${pathOf(id)}/jobs/${encodeURIComponent(String(job['id']))}`,
      })
    ).body;
  }
  return job as unknown as JobDocument;
}

function pathOf(id: string): string {
  return `/api/repositories/${encodeURIComponent(id)}`;
}
