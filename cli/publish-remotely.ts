// Sends a ZIP to a remote registry, which publishes it before it answers.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

import type { JsonObject } from '../build/contract/json.ts';
import { askRemote } from './ask-remote.ts';
import type { Remote } from './remote.ts';

/** `created`: false where these very bytes were published already. Throws RegistryError and RemoteFailure. */
export async function publishRemotely(remote: Remote, zip: { readonly path: string; readonly size: number }, version: string | undefined): Promise<{ readonly record: JsonObject; readonly created: boolean }> {
  const headers = { 'content-type': 'application/zip', 'content-length': String(zip.size), 'content-digest': `sha-256=:${await digestOf(zip.path)}:` };
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
  const { status, body } = await askRemote(remote, { method: 'POST', path: `/api/artifacts${query}`, headers, body: createReadStream(zip.path) });
  return { record: body, created: status === 201 };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('base64');
}
