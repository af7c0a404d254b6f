// Other Composer repositories as upstreams of the mirror: those of libretto.json, in its order, then the registered
// ones, oldest first. The public registry comes behind them all.

import { isDeepStrictEqual } from 'node:util';

import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import type { ConfiguredCredential, UpstreamCredential } from '../../proxy/mirror/upstream/upstream-credential.ts';
import { addressOf } from '../../proxy/mirror/upstream/upstream-root.ts';
import type { UpstreamSettings } from '../../proxy/mirror/upstream/upstream.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { unsealCredentials, type RepositoryCredentials } from '../../proxy/sync/credentials.ts';
import { listRepositories } from '../../proxy/sync/list-repositories.ts';
import type { RepositoryRecord } from '../../proxy/sync/repository.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../io/environment.ts';
import { readEntry } from '../builds/repository-sources.ts';
import type { ComposerPlace } from '../config/source-shape.ts';
import { UsageError } from '../io/usage-error.ts';
import { environmentCredential } from './environment-credential.ts';

export interface ComposerRepository extends UpstreamSettings {
  /** name → constraint of the versions that are fetched ahead */
  readonly packages: Readonly<Record<string, string>>;
}

/**
 * The repositories of libretto.json. Throws UsageError if one is described twice, BuildRefused if COMPOSER_AUTH cannot
 * be read.
 */
export function configuredRepositories(
  { sources }: Pick<Config, 'sources'>,
  environment: Environment,
): readonly ComposerRepository[] {
  const found = new Map<string, { readonly where: string; readonly repository: ComposerRepository }>();
  for (const [index, { source }] of sources.value.entries()) {
    if (typeof source === 'string' || !('composer' in source)) continue;
    const id = addressOf(source.composer.url);
    const before = found.get(id);
    if (before !== undefined)
      throw new UsageError(
        `libretto.json describes the repository ${id} twice, as ${before.where} and sources[${index}]. Merge ` +
          'both entries into one.',
      );
    found.set(id, {
      where: `sources[${index}]`,
      repository: repositoryOf(id, source.composer, environmentCredential(new URL(source.composer.url), environment)),
    });
  }
  return [...found.values()].map(({ repository }) => repository);
}

/** The repositories of the state. A repository that libretto.json lists too counts for libretto.json. */
export function registeredRepositories(
  records: readonly RepositoryRecord[],
  sealer: Sealer,
): readonly ComposerRepository[] {
  return records.flatMap((record) => {
    const { source } = record.type === 'composer' ? readEntry(record) : { source: '' };
    return typeof source !== 'string' && 'composer' in source
      ? [repositoryOf(record.id, source.composer, sealedCredential(record, sealer))]
      : [];
  });
}

export interface OtherRepositories {
  readonly config: Config;
  readonly environment: Environment;
  readonly state: Pick<StateStore, 'range' | 'generation'>;
  readonly sealer: Sealer;
}

/** All repositories, in the order of their requests; the same list while they are unchanged. */
export function otherRepositories({
  config,
  environment,
  state,
  sealer,
}: OtherRepositories): () => MaybeAsync<readonly ComposerRepository[]> {
  const configured = configuredRepositories(config, environment);
  let known: { readonly generation: number; readonly repositories: readonly ComposerRepository[] } | undefined;
  const load = async (generation: number): Promise<readonly ComposerRepository[]> => {
    const found = [
      ...configured,
      ...withoutListed(registeredRepositories(await listRepositories(state), sealer), configured),
    ];
    const repositories =
      known !== undefined && isDeepStrictEqual(known.repositories, found) ? known.repositories : found;
    known = { generation, repositories };
    return repositories;
  };
  return () => {
    // read before the rows, so that a concurrent commit makes this list stale
    const generation = state.generation();
    return known?.generation === generation ? known.repositories : load(generation);
  };
}

function withoutListed(
  registered: readonly ComposerRepository[],
  configured: readonly ComposerRepository[],
): readonly ComposerRepository[] {
  const listed = new Set(configured.map(({ url }) => addressOf(url)));
  return registered.filter(({ url }) => !listed.has(addressOf(url)));
}

function repositoryOf(
  id: string,
  { url, only = [], except = [], packages = {} }: ComposerPlace,
  credential: ConfiguredCredential | undefined,
): ComposerRepository {
  const wanted = Object.entries(packages).map(([name, constraint]) => [name.toLowerCase(), constraint] as const);
  return {
    id,
    url,
    allow: only,
    deny: except,
    packages: Object.fromEntries(wanted),
    ...(credential === undefined ? {} : { credential }),
  };
}

/** Handles credentials that cannot be opened: they were sealed with another key, or the state was changed by hand. */
function sealedCredential({ id, credentials }: RepositoryRecord, sealer: Sealer): ConfiguredCredential | undefined {
  if (credentials === null) return undefined;
  try {
    return upstreamCredential(unsealCredentials(sealer, credentials, id));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return {
      kind: 'unusable',
      because:
        `the credentials of the repository ${id} cannot be opened (${error.message}). Give them again, or ` +
        'restore the keys folder they were sealed with and start again',
    };
  }
}

export function upstreamCredential(credentials: RepositoryCredentials): UpstreamCredential | undefined {
  if ('header' in credentials) return { kind: 'headers', headers: { [credentials.header]: credentials.token } };
  if ('token' in credentials) return { kind: 'bearer', token: credentials.token };
  return 'password' in credentials
    ? { kind: 'basic', username: credentials.username ?? 'x-access-token', password: credentials.password }
    : undefined;
}
