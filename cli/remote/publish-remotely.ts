// Publishes a ZIP on a remote registry, which publishes it before it answers; or checks without sending it whether the
// registry would accept it.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { examineStaged } from '../../build/artifacts/examine-staged.ts';
import { type JsonObject, isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { requestRemote } from './request-remote.ts';
import { type Remote, refuseReadToken } from './remote.ts';
import type { PlannedArtifact } from '../../build/artifacts/plan-artifact.ts';
import { RegistryError, undefinedIf } from '../../build/contract/errors.ts';
import { isDevVersion, normalizeVersion } from '../../build/contract/version.ts';

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

/** Throws RegistryError with the refusal that the upload would get, as far as the registry shows it, and RemoteFailure. */
export async function planRemotely(remote: Remote, planned: PlannedArtifact): Promise<PlannedArtifact> {
  refuseReadToken(remote);
  const { name, version, reference } = planned;
  const normalized = normalizeVersion(version) ?? version;
  const published = (await publishedVersions(remote, name)).find(
    (one) => isJsonObject(one) && one['version_normalized'] === normalized,
  );
  const known = isJsonObject(published) ? published['reference'] : undefined;
  if (known !== undefined && known !== reference && !isDevVersion(normalized))
    throw new RegistryError('VERSION_EXISTS', {
      message:
        `${name} ${version} is published already on ${remote.url}, with other content. A released version never ` +
        'changes: publish a new version.',
    });
  return { ...planned, exists: known === reference };
}

/** Empty for a package that the registry does not have, or does not show to this token. */
async function publishedVersions(remote: Remote, name: string): Promise<readonly JsonValue[]> {
  const asked = requestRemote(remote, { method: 'GET', path: `/api/packages/${name}` });
  const versions = (await asked.catch(undefinedIf('NOT_FOUND')))?.body['versions'];
  return Array.isArray(versions) ? versions : [];
}
