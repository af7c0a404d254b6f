// Prepares registered repositories for a build, each with its own git environment. A repository that cannot be read is
// reported alone; the others are read.

import { RegistryError } from '../../build/contract/errors.ts';
import { createAddressPolicy } from '../../build/egress/address-policy.ts';
import { resolveBySystem, type Resolve } from '../../build/egress/guarded-agent.ts';
import { parseGitRemote } from '../../build/sources/git-url.ts';
import type { RegisteredSource } from '../../build/sources/options.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import { ForgePause, ForgeRefusal } from '../../proxy/forges/client/forge-failure.ts';
import { unsealCredentials, type RepositoryCredentials } from '../../proxy/sync/credentials.ts';
import type { ConnectionId } from '../../proxy/sync/forge-place.ts';
import type { RepositoryRecord } from '../../proxy/sync/repository.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../io/environment.ts';
import { checkedAddresses, gitEnvironment } from './git-access.ts';
import { openKeyFolder, type KeyFolder } from './key-folder.ts';
import { insideRoots, isBuilt, readEntry, sourceText } from './repository-sources.ts';

export interface RegisteredOptions {
  readonly config: Config;
  readonly environment: Environment;
  readonly sealer: Sealer;
  /** the credentials of a connection; undefined: it was removed */
  readonly connectionCredentials: (id: ConnectionId) => Promise<RepositoryCredentials | undefined>;
  readonly resolve?: Resolve;
}

export interface RegisteredSources {
  readonly sources: readonly RegisteredSource[];
  /** id → the reason why the build must not read it now */
  readonly refusals: ReadonlyMap<string, RegistryError>;
  /** Removes the private keys that were written for ssh. */
  readonly close: () => Promise<void>;
}

/**
 * `wanted`: only the access to these is prepared; default: to all. Private keys are in files of this process until it
 * is closed.
 */
export async function prepareSources(
  records: readonly RepositoryRecord[],
  options: RegisteredOptions,
  wanted?: readonly string[],
): Promise<RegisteredSources> {
  const keys = await openKeyFolder(options.config.data.value, Date.now);
  const refusals = new Map<string, RegistryError>();
  const prepare = async (record: RepositoryRecord): Promise<RegisteredSource> => {
    const { id } = record;
    try {
      const source = { id, source: sourceText(record), options: readEntry(record).options, environment: {} };
      return wanted === undefined || wanted.includes(id)
        ? { ...source, environment: await accessOf(record, options, keys) }
        : source;
    } catch (error) {
      const refusal = asRefusal(error, record);
      refusals.set(id, refusal);
      return { id, source: sourceText(record), options: {}, environment: {}, refusal: refusal.message };
    }
  };
  const sources = await Promise.all(records.filter(isBuilt).map(prepare));
  return { sources, refusals, close: keys.remove };
}

/** The built repositories, in the form of sources. */
export function sourceTexts(records: readonly RepositoryRecord[]): readonly string[] {
  return records.filter(isBuilt).map(sourceText);
}

/** The environment of git; empty for a folder of this machine. */
async function accessOf(record: RepositoryRecord, options: RegisteredOptions, keys: KeyFolder): Promise<Environment> {
  const { config, environment, resolve = resolveBySystem } = options;
  if (record.type !== 'git') {
    const real = await insideRoots(record.url, config.sourceRoots.value);
    if (real !== record.url)
      throw new RegistryError('OUTSIDE_SOURCE_ROOTS', {
        message: `${record.url} now points to another folder. Register the folder again.`,
      });
    return {};
  }
  const { url, published_as: former } = record;
  const remote = parseGitRemote(url);
  const addresses = await checkedAddresses(url, createAddressPolicy(config.egressAllow.value), resolve);
  const credentials = await credentialsOf(record, options);
  const keyFile = await keys.write(record.id, credentials);
  const renamed = former === undefined ? undefined : { from: former, to: url };
  return gitEnvironment({ remote, addresses, credentials, keyFile, renamed }, environment);
}

/** Its own credentials, else those of its connection. */
async function credentialsOf(
  { id, credentials, forge }: RepositoryRecord,
  { sealer, connectionCredentials }: RegisteredOptions,
): Promise<RepositoryCredentials | undefined> {
  if (credentials !== null) return unsealCredentials(sealer, credentials, id);
  return forge === undefined ? undefined : connectionCredentials(forge.connection);
}

function asRefusal(error: unknown, { url }: RepositoryRecord): RegistryError {
  if (error instanceof RegistryError) return error;
  if (error instanceof ForgeRefusal || error instanceof ForgePause)
    return new RegistryError('BUILD_FAILED', { message: `${url} cannot be read: ${error.message}` });
  const { code, hostname, message } = error as NodeJS.ErrnoException & { hostname?: string };
  if (hostname !== undefined)
    return new RegistryError('BUILD_FAILED', {
      message: `${hostname} has no address (${code ?? message}). Check the address ${url} and the network.`,
    });
  return new RegistryError('BUILD_FAILED', { message: `${url} cannot be read: ${message}.` });
}
