// Checks against a remote registry whether it would accept a ZIP, without sending it.

import type { PlannedArtifact } from '../../build/artifacts/plan-artifact.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { isDevVersion, normalizeVersion } from '../../build/contract/version.ts';
import { requestRemote } from './request-remote.ts';
import { refuseReadToken, type Remote } from './remote.ts';

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
  try {
    const { body } = await requestRemote(remote, { method: 'GET', path: `/api/packages/${name}` });
    return Array.isArray(body['versions']) ? body['versions'] : [];
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'NOT_FOUND') return [];
    throw error;
  }
}
