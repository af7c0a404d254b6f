// The versions of a mirrored package in the mirror's cache. Sends no request.

import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { normalizeVersion } from '../../build/contract/version.ts';
import { createPrecedence } from '../../proxy/core/tree/precedence.ts';
import type { ReadPrivateNames } from '../../proxy/core/tree/private-names.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { MirroredRelease } from '../../proxy/auth/explain-view.ts';
import type { MirroredReleases } from '../../proxy/auth/explain-token.ts';
import { composeKeys } from '../compose/keys.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { cachedRecords } from '../../proxy/mirror/documents/cached-versions.ts';
import { mirrorFolder, mirrorRules } from './compose-mirror.ts';
import { otherRepositories } from './composer-repositories.ts';

export interface ReleasesParts {
  readonly state: StateStore;
  readonly settings: Pick<Settings, 'current'>;
  readonly privateNames: ReadPrivateNames;
}

export function mirroredReleases(
  config: Config,
  context: Context,
  { state, settings, privateNames }: ReleasesParts,
): MirroredReleases {
  const others = otherRepositories({
    config,
    environment: context.environment,
    state,
    sealer: composeKeys(config, context).sealer,
  });
  return async (name) => {
    const rules = mirrorRules(await settings.current(), await others(), context.environment);
    if (rules.upstreams.length === 0) return undefined;
    const belonging = createPrecedence(rules)(name, await privateNames());
    if (belonging.to !== 'upstreams') return undefined;
    const urls = belonging.ids.flatMap((id) => rules.upstreams.find((upstream) => upstream.id === id)?.url ?? []);
    return storedReleases(name, urls, mirrorFolder(config));
  };
}

/**
 * The stored releases of the first repository that has the package. Repositories with a single document have no files
 * for one name.
 */
async function storedReleases(
  name: PackageName,
  urls: readonly string[],
  folder: string,
): Promise<readonly MirroredRelease[]> {
  for (const url of urls) {
    const { records } = await cachedRecords(name, folder, url);
    if (records.length > 0) return records.flatMap(releaseOf);
  }
  return [];
}

function releaseOf({ version, time }: JsonObject): readonly MirroredRelease[] {
  const normalized = typeof version === 'string' ? normalizeVersion(version) : undefined;
  if (typeof version !== 'string' || normalized === undefined) return [];
  const releasedMs = Date.parse(String(time));
  return [{ version, version_normalized: normalized, releasedMs: Number.isNaN(releasedMs) ? undefined : releasedMs }];
}
