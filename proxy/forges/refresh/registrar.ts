// Registers the repositories of a connection, with the same service that people register with.

import { RegistryError } from '../../../build/contract/errors.ts';
import { moveRepository, type MoveParts } from '../../sync/move-repository.ts';
import type { ForgePlace } from '../../sync/forge-place.ts';
import type { Repositories } from '../../sync/repositories.ts';
import { parseRepositoryId, repositoryKey, type RepositoryId, type RepositoryRecord } from '../../sync/repository.ts';
import { connectionKey, type ConnectionRecord } from '../model/connection.ts';
import { cloneUrl } from '../model/forge-address.ts';
import type { ForgeRepository, SkipReason } from '../model/forge-repository.ts';

export interface Registrar {
  readonly register: (
    connection: ConnectionRecord,
    listed: ForgeRepository,
  ) => Promise<{ readonly repository: RepositoryId } | { readonly skip: SkipReason }>;
  /** The repository has another name at the forge now. */
  readonly move: (id: RepositoryId, connection: ConnectionRecord, listed: ForgeRepository) => Promise<void>;
  /** False: a person has removed it from this registry. */
  readonly isRegistered: (id: RepositoryId) => Promise<boolean>;
}

export interface RegistrarParts extends MoveParts {
  readonly repositories: Pick<Repositories, 'create' | 'get'>;
}

export function createRegistrar(parts: RegistrarParts): Registrar {
  return {
    register: (connection, listed) => register(parts, connection, listed),
    move: (id, connection, listed) => moveRepository(parts, id, placeOf(connection, listed)),
    isRegistered: async (id) => (await parts.store.get(repositoryKey(id))) !== undefined,
  };
}

function placeOf({ id: connection, web }: ConnectionRecord, { id, path }: ForgeRepository): ForgePlace {
  return { connection, id, url: cloneUrl(web, path) };
}

async function register(
  parts: RegistrarParts,
  connection: ConnectionRecord,
  listed: ForgeRepository,
): Promise<{ repository: RepositoryId } | { skip: SkipReason }> {
  const forge = placeOf(connection, listed);
  try {
    const interval = connection.sync_interval;
    const { id } = await parts.repositories.create({ type: 'git', url: forge.url, interval, forge });
    return { repository: id };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    if (error.code === 'CONFLICT') return takeOver(parts, forge, error);
    if (refusals.has(error.code)) return { skip: 'refused' };
    throw error;
  }
}

const refusals: ReadonlySet<string> = new Set(['INVALID_INPUT', 'EGRESS_DENIED']);

/**
 * The address is registered already. It is ours if it is the same repository of the forge: registered by a refresh that
 * was killed before its own row, or by a connection that was removed since.
 */
async function takeOver(
  parts: RegistrarParts,
  forge: ForgePlace,
  { details }: RegistryError,
): Promise<{ repository: RepositoryId } | { skip: SkipReason }> {
  const id = typeof details['id'] === 'string' ? parseRepositoryId(details['id']) : undefined;
  if (id === undefined) return { skip: 'taken' };
  const record: RepositoryRecord = await parts.repositories.get(id);
  if (record.forge?.id !== forge.id) return { skip: 'taken' };
  const isOurs = record.forge.connection === forge.connection;
  if (!isOurs && (await parts.store.get(connectionKey(record.forge.connection))) !== undefined)
    return { skip: 'taken' };
  if (!isOurs) await moveRepository(parts, id, forge);
  return { repository: id };
}
