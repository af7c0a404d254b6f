// Sends a ZIP to a remote registry, which publishes it before it answers.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

import { examineStaged } from '../../build/artifacts/examine-staged.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import { requestRemote } from './request-remote.ts';
import type { Remote } from './remote.ts';

/** `created`: false if these very bytes were published already. Throws RegistryError and RemoteFailure. */
export async function publishRemotely(
  remote: Remote,
  zip: { readonly path: string; readonly size: number },
  version: string | undefined,
): Promise<{ readonly record: JsonObject; readonly created: boolean }> {
  const headers = {
    'content-type': 'application/zip',
    'content-length': String(zip.size),
    'content-digest': `sha-256=:${await digestOf(zip.path)}:`,
  };
  const query = new URLSearchParams(await identityOf(zip.path, version));
  // The file is open before the request. A stream that opens the file itself may open it after a refused connection,
  // when the file no longer exists. Its error would then be unhandled.
  const file = await open(zip.path);
  try {
    const { status, body } = await requestRemote(remote, {
      method: 'POST',
      path: `/api/artifacts${query.size === 0 ? '' : `?${query}`}`,
      headers,
      body: file.createReadStream({ autoClose: false }),
    });
    return { record: body, created: status === 201 };
  } finally {
    await file.close();
  }
}

/**
 * A token with a limited scope has to declare the package before the registry reads the ZIP. The registry refuses a ZIP
 * that this function cannot examine, with the reason.
 */
async function identityOf(path: string, version: string | undefined): Promise<Record<string, string>> {
  const examined = await examineStaged({ path, version });
  if (!('outcome' in examined)) return { name: examined.name, version: examined.version };
  return version === undefined ? {} : { version };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('base64');
}
