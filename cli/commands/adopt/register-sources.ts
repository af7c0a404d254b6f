// Registers the git repositories that another registry names, where they can be read from here without credentials.
// Builds and servers go on from them.

import { RegistryError } from '../../../build/contract/errors.ts';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { compareNormalized } from '../../../build/contract/ordering.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';
import { runBatch } from '../../../build/shared/concurrency/batch.ts';
import { compareText } from '../../../build/shared/text/compare-text.ts';
import { withoutCredentials, withoutPassword } from '../../../build/sources/address-secrets.ts';
import { parseGitUrl } from '../../../build/sources/git-url.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { openStateToChange } from '../../state/state-to-change.ts';
import type { RegisteredSource } from '../../adopt/adoption-report.ts';
import { composeRepositories } from '../repository/repository-command.ts';

/** Checks at the same time, and seconds between two syncs. */
const [atOnce, intervalSeconds] = [2, 3600];

/** Address → names of packages. */
export type GitSources = Map<string, readonly string[]>;

/** Notes the git repository of the newest version that has one, also of one without an archive. */
export function noteSource(sources: GitSources, name: PackageName, records: readonly JsonObject[]): void {
  const versions = records.flatMap(({ version, source }) => {
    const normalized = normalizeVersion(String(version));
    return normalized === undefined ? [] : [{ normalized, source }];
  });
  for (const { source } of versions.toSorted((one, other) => compareNormalized(other.normalized, one.normalized))) {
    if (!isJsonObject(source) || source['type'] !== 'git' || typeof source['url'] !== 'string') continue;
    const address = withoutPassword(source['url']);
    const parsed = parseGitUrl(address);
    const url = 'url' in parsed ? parsed.url : withoutCredentials(address);
    sources.set(url, [...(sources.get(url) ?? []), name]);
    return;
  }
}

export async function registerSources(
  sources: GitSources,
  config: Config,
  context: Context,
): Promise<readonly RegisteredSource[]> {
  const state = await openStateToChange(config);
  const { syncing } = composeRepositories({ config, state }, context);
  const repositories = syncing.repositoriesOf(context.actor);
  const register = async (url: string): Promise<Pick<RegisteredSource, 'id' | 'because'>> => {
    const parsed = parseGitUrl(url);
    if ('refusal' in parsed) return { id: null, because: parsed.refusal };
    const draft = { type: 'git', url, interval: intervalSeconds } as const;
    try {
      const { ok, message } = await syncing.verifier.verify(await repositories.prepare(draft));
      if (ok) return { id: (await repositories.create(draft)).id, because: null };
      return { id: null, because: `${message ?? 'it cannot be read'} ${advice}` };
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      const { id } = error.details; // of the repository that has this address already
      return typeof id === 'string' ? { id, because: 'already registered' } : { id: null, because: error.message };
    }
  };
  try {
    const inOrder = [...sources].toSorted(([one], [other]) => compareText(one, other));
    return await runBatch(inOrder, atOnce, async ([url, packages]) => ({
      url,
      packages: packages.toSorted(),
      ...(await register(url)),
    }));
  } finally {
    await syncing.close();
    await state.close();
  }
}

const advice = 'If it needs credentials, register it with `libretto repository add`.';
