// Sends a ZIP to a remote registry, which publishes it before it answers.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { request } from 'undici';

import type { JsonObject } from '../build/contract/json.ts';
import { readReply, RemoteFailure, type Remote } from './remote.ts';

/** A registry waits a minute for another build, and then builds. */
const answerTimeoutMs = 600_000;

/** `created`: false where these very bytes were published already. Throws RegistryError and RemoteFailure. */
export async function publishRemotely(remote: Remote, zip: { readonly path: string; readonly size: number }, version: string | undefined): Promise<{ readonly record: JsonObject; readonly created: boolean }> {
  const headers = {
    authorization: `Bearer ${remote.token}`,
    'content-type': 'application/zip',
    'content-length': String(zip.size),
    'content-digest': `sha-256=:${await digestOf(zip.path)}:`,
  };
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
  try {
    const answer = await request(`${remote.url}/api/artifacts${query}`, { method: 'POST', headers, body: createReadStream(zip.path), headersTimeout: answerTimeoutMs, bodyTimeout: answerTimeoutMs });
    const text = await answer.body.text();
    const { status, body } = readReply(remote, answer.statusCode, text);
    return { record: body, created: status === 201 };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string' || error.name === 'RegistryError') throw error;
    throw new RemoteFailure(`${remote.url} cannot be reached, or broke off: ${error.message || error.code}.`, { cause: error });
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('base64');
}
