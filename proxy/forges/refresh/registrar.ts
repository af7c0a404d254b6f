// Registers the repositories of a connection, with the same service that people register with.

import { isDeepStrictEqual } from 'node:util';
import { RegistryError } from '../../../build/contract/errors.ts';
import type { AuditedStore } from '../../state/audit.ts';
import type { ForgePlace } from '../../sync/forge-place.ts';
import type { Repositories } from '../../sync/repositories.ts';
import { repositoryKey, type RepositoryId, type RepositoryRecord } from '../../sync/repository.ts';
import { connectionKey, type ConnectionRecord } from '../model/connection.ts';
import { cloneUrl } from '../model/forge-address.ts';
import { parseSeen, seenKey, type ForgeRepository, type SkipReason } from '../model/forge-repository.ts';

type Folders = ConnectionRecord['subdirectories'];

export type Registrar = ReturnType<typeof createRegistrar>;

export interface RegistrarParts {
  readonly store: Pick<AuditedStore, 'get'>;
  readonly repositories: RegistrarRepositories;
}

export type RegistrarRepositories = Pick<Repositories, 'create' | 'get' | 'update' | 'atForge' | 'move'>;

export function createRegistrar(parts: RegistrarParts) {
  return {
    register: (connection: ConnectionRecord, listed: ForgeRepository, folders: Folders) =>
      register(parts, connection, listed, folders),
    /** Takes over a repository that is registered already; undefined: it is not, or belongs to another connection. */
    adopt: async (connection: ConnectionRecord, listed: ForgeRepository): Promise<RepositoryId | undefined> => {
      const taken = await takeOverKnown(parts, placeOf(connection, listed));
      return taken === undefined || 'skip' in taken ? undefined : taken.repository;
    },
    /** The repository has another name at the forge now. */
    move: (id: RepositoryId, connection: ConnectionRecord, listed: ForgeRepository) =>
      parts.repositories.move(id, placeOf(connection, listed)),
    /** Changes the folders that are packages from `before`; others, which a person gave to the repository, stay. */
    readFolders: (id: RepositoryId, before: Folders, folders: Folders) => readFolders(parts, id, before, folders),
    /** False: a person has removed it from this registry. */
    isRegistered: async (id: RepositoryId) => (await parts.store.get(repositoryKey(id))) !== undefined,
  };
}

function placeOf({ id: connection, web }: ConnectionRecord, { id, path }: ForgeRepository): ForgePlace {
  return { connection, web, id, url: cloneUrl(web, path) };
}

async function register(
  parts: RegistrarParts,
  connection: ConnectionRecord,
  listed: ForgeRepository,
  folders: Folders,
): Promise<{ repository: RepositoryId } | { skip: SkipReason }> {
  const forge = placeOf(connection, listed);
  const known = await takeOverKnown(parts, forge);
  if (known !== undefined) return known;
  try {
    const interval = connection.sync_interval;
    const filters = { subdirectories: folders };
    const { id } = await parts.repositories.create({ type: 'git', url: forge.url, interval, forge, filters });
    return { repository: id };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    if (error.code === 'CONFLICT') return { skip: 'taken' };
    if (refusals.has(error.code)) return { skip: 'refused' };
    throw error;
  }
}

async function readFolders({ repositories }: RegistrarParts, id: RepositoryId, before: Folders, folders: Folders) {
  const { subdirectories = null } = (await repositories.get(id)).filters;
  const isOwn = subdirectories !== null && !isDeepStrictEqual(subdirectories, before);
  if (isOwn || isDeepStrictEqual(subdirectories, folders)) return;
  await repositories.update(id, { filters: { subdirectories: folders } }).catch((error: unknown) => {
    // this registry refuses its address now: its next sync says so
    if (!(error instanceof RegistryError)) throw error;
  });
}

async function takeOverKnown(parts: RegistrarParts, forge: ForgePlace) {
  const known = await parts.repositories.atForge(forge);
  return known === undefined ? undefined : takeOver(parts, known, forge);
}

const refusals: ReadonlySet<string> = new Set(['INVALID_INPUT', 'EGRESS_DENIED']);

/**
 * The same repository of the forge is registered already. It is ours if a refresh registered it that was killed before
 * its own row, if its connection was removed since, or if it left the owner of the other connection.
 */
async function takeOver(
  { store, repositories }: RegistrarParts,
  { id, url, forge: before }: RepositoryRecord,
  forge: ForgePlace,
): Promise<{ repository: RepositoryId } | { skip: SkipReason }> {
  const isOurs = before?.connection === forge.connection;
  if (!isOurs && before !== undefined && (await isHeld(store, before))) return { skip: 'taken' };
  if (!isOurs || url !== forge.url) await repositories.move(id, forge);
  return { repository: id };
}

/** True if the connection still has the repository among those of its owner. */
async function isHeld(store: Pick<AuditedStore, 'get'>, { connection, id }: ForgePlace): Promise<boolean> {
  if ((await store.get(connectionKey(connection))) === undefined) return false;
  const seen = await store.get(seenKey(connection, id));
  return seen === undefined || parseSeen(seen.value).state !== 'removed';
}
