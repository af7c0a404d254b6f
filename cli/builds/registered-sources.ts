// Prepares registered repositories for a build, each with its own git environment. A repository that cannot be read is
// reported alone; the others are read.

import { RegistryError } from '../../build/contract/errors.ts';
import { createAddressPolicy } from '../../build/egress/address-policy.ts';
import { resolveBySystem, type Resolve } from '../../build/egress/guarded-agent.ts';
import { parseGitRemote } from '../../build/sources/git-url.ts';
import type { RegisteredSource } from '../../build/sources/options.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import { ForgePause, ForgeRefusal } from '../../proxy/forges/client/forge-failure.ts';
import { unsealCredentials, type RepositoryCredentials, normalizeKey } from '../../proxy/sync/credentials.ts';
import type { ConnectionId } from '../../proxy/sync/forge-place.ts';
import type { RepositoryRecord } from '../../proxy/sync/repository.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../io/environment.ts';
import { checkedAddresses, gitEnvironment } from './git-access.ts';
import { insideRoots, isBuilt, readEntry, sourceText } from './repository-sources.ts';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeOwner, whereaboutsOf } from '../../proxy/sync/process-owner.ts';

// The folder for private keys while ssh reads them, because ssh reads a key only from a file. Each process has its own
// folder, named after the process, and removes the folder at its end. The next process removes the folder of a killed
// process: immediately if that process has visibly ended. The folder of another container or host is removed after a
// period in which every user of it must have ended.

type KeyFolder = Awaited<ReturnType<typeof openKeyFolder>>;

const touchMs = 60_000;
/** Many times as long: clocks of hosts differ, and a machine may be busy. */
const abandonedMs = 15 * touchMs;

/** Below the data folder `data`. */
export async function openKeyFolder(data: string, now: () => number) {
  const all = join(data, 'build', 'ssh');
  const own = join(all, nameOf(await describeOwner()));
  await sweep(all, now());
  let touching: NodeJS.Timeout | undefined;
  const touch = (): void => {
    // once missed is of no matter
    utimes(own, now() / 1000, now() / 1000).catch(() => undefined);
  };
  return {
    /** Gives the file, for its user alone; undefined if the credentials are not a key. */
    write: async (id: string, credentials: RepositoryCredentials | undefined): Promise<string | undefined> => {
      if (credentials === undefined || !('private_key' in credentials)) return undefined;
      await mkdir(own, { recursive: true, mode: 0o700 });
      touching ??= setInterval(touch, touchMs).unref();
      await writeFile(join(own, id), normalizeKey(credentials.private_key), { mode: 0o600 });
      return join(own, id);
    },
    remove: async (): Promise<void> => {
      clearInterval(touching);
      await rm(own, { recursive: true, force: true });
    },
  };
}

async function sweep(all: string, nowMs: number): Promise<void> {
  for (const name of await readdir(all).catch(() => [])) {
    const folder = join(all, name);
    const whereabouts = await whereaboutsOf(ownerOf(name));
    const touched = await stat(folder).catch(() => undefined); // its process may remove it at this moment
    const isAbandoned =
      whereabouts === 'ended' ||
      (whereabouts === 'elsewhere' && touched !== undefined && nowMs - touched.mtimeMs > abandonedMs);
    if (isAbandoned) await rm(folder, { recursive: true, force: true });
  }
}

/** An owner as the name of a folder. */
function nameOf(owner: string): string {
  return owner.replaceAll('/', '_').replaceAll(' ', '.');
}

function ownerOf(name: string): string {
  return name.replaceAll('_', '/').replaceAll('.', ' ');
}

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
