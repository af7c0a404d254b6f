// Registering, listing, changing and removing repositories. The command line and the management API both call this.
// Every change is one commit with its audit event; credentials go in and never come out.

import { RegistryError, invalidInput } from '../../build/contract/errors.ts';
import type { JsonObject, JsonValue } from '../../build/contract/json.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { ChangeParts } from '../state/audit.ts';
import { assertUsable, credentialsKind, sealCredentials, type RepositoryCredentials } from './credentials.ts';
import type { ForgePlace } from './forge-place.ts';
import { activeKey } from './job.ts';
import { moveRepository } from './move-repository.ts';
import {
  mintRepositoryId,
  repositoryKey,
  type RepositoryFilters,
  type RepositoryRecord,
  type RepositorySource,
  type RepositoryType,
} from './repository.ts';
import { listRepositories, findAtForge, findRepository } from './list-repositories.ts';
import { addressKey, formerKey, newRows, ownAddress, ownRows } from './repository-places.ts';
import { rowsOf } from './repository-rows.ts';
import type { RepositorySources } from './repository-sources.ts';

export interface RepositoryDraft {
  readonly type: RepositoryType;
  readonly url: string;
  readonly credentials?: RepositoryCredentials | null;
  readonly filters?: RepositoryPatch['filters'];
  /** seconds */
  readonly interval?: number | null;
  /** for a connection: where the repository is at its forge */
  readonly forge?: ForgePlace;
}

/** Missing fields stay unchanged; in `filters` each one by itself, and null removes one. */
export interface RepositoryPatch {
  readonly credentials?: RepositoryCredentials | null;
  readonly filters?: { readonly [Name in keyof RepositoryFilters]?: RepositoryFilters[Name] | null };
  readonly interval?: number | null;
}

export interface Repositories {
  readonly create: (draft: RepositoryDraft) => Promise<RepositoryRecord>;
  /** The record that `create` would store, sealed for its id, without storing it: for a check. */
  readonly prepare: (draft: RepositoryDraft) => Promise<RepositoryRecord>;
  /** All repositories, oldest first. */
  readonly list: () => Promise<readonly RepositoryRecord[]>;
  readonly get: (id: string) => Promise<RepositoryRecord>;
  readonly lastRead: RepositorySources['lastRead'];
  readonly update: (id: string, patch: RepositoryPatch) => Promise<RepositoryRecord>;
  /** The repository with this identity at a forge, whatever its name is now. */
  readonly atForge: (place: ForgePlace) => Promise<RepositoryRecord | undefined>;
  /** Its address at the forge is this one now. */
  readonly move: (id: string, place: ForgePlace) => Promise<void>;
  /**
   * `confirm`: the id once more. Gives the packages that are then withdrawn. Throws CONFIRMATION_REQUIRED with them.
   */
  readonly remove: (
    id: string,
    confirm: string | undefined,
  ) => Promise<{ readonly record: RepositoryRecord; readonly packages: readonly string[] }>;
}

export interface RepositoriesOptions extends ChangeParts {
  readonly sources: RepositorySources;
  readonly sealer: Sealer;
}

/** Every call may throw RegistryError with words for the person who made it. */
export function createRepositories(options: RepositoriesOptions): Repositories {
  return {
    create: (draft) => create(options, draft),
    prepare: (draft) => prepare(options, draft),
    list: () => listRepositories(options.store),
    get: async (id) => (await findRepository(options.store, id)).record,
    lastRead: options.sources.lastRead,
    update: (id, patch) => update(options, id, patch),
    atForge: (place) => findAtForge(options.store, place),
    move: (id, place) => moveRepository(options, id, place),
    remove: (id, confirm) => remove(options, id, confirm),
  };
}

async function create(options: RepositoriesOptions, draft: RepositoryDraft): Promise<RepositoryRecord> {
  const { store, sources, actor } = options;
  const record = await newRecord(options, draft);
  const key = repositoryKey(record.id);
  const places = newRows(sources, record);
  for (;;) {
    const former = await store.get(formerKey(sources, record, record.url));
    const stored = former === undefined ? record : { ...record, published_as: ownAddress(record) };
    const done = await store.commit(
      {
        conditions: [
          { key, revision: null },
          ...places.map((place) => ({ key: place.key, revision: null })),
          { key: formerKey(sources, record, record.url), revision: former?.revision ?? null },
        ],
        puts: [{ key, value: { ...stored } as unknown as JsonObject }, ...places],
        deletes: [],
      },
      { actor, action: 'repository.create', subject: record.id, details: detailsOf(record) },
    );
    if (done) return stored;
    const taken = await Promise.all(places.map((place) => store.get(place.key)));
    const other = taken.find((entry) => entry !== undefined);
    // otherwise a repository was renamed to or from this address in between
    if (other !== undefined) throw registeredAlready(record, other.value);
  }
}

function detailsOf({ type, url, filters, interval, credentials_kind: credentials }: RepositoryRecord): JsonObject {
  return { type, url, filters: filters as JsonObject, credentials, interval };
}

async function prepare(options: RepositoriesOptions, draft: RepositoryDraft): Promise<RepositoryRecord> {
  const record = await newRecord(options, draft);
  const other = await options.store.get(addressKey(options.sources, record));
  if (other !== undefined) throw registeredAlready(record, other.value);
  return record;
}

async function newRecord(
  options: RepositoriesOptions,
  { type, url, filters = {}, credentials = null, interval = null, forge }: RepositoryDraft,
): Promise<RepositoryRecord> {
  const source = await options.sources.check({ type, url, filters: withoutNull(filters) });
  const id = mintRepositoryId(options.randomBytes);
  const time = new Date(options.now()).toISOString();
  return {
    id,
    ...source,
    ...sealed(options, id, source, credentials),
    interval,
    ...(forge === undefined ? {} : { forge }),
    created_at: time,
    created_by: options.actor,
    updated_at: time,
  };
}

/** `other`: the id of the repository with this place; undefined: it was removed in between. */
function registeredAlready({ url }: RepositorySource, other: JsonValue | undefined): RegistryError {
  return new RegistryError('CONFLICT', {
    message: `${url} is registered already${other === undefined ? '' : `, as ${String(other)}`}.`,
    details: { id: other ?? null },
  });
}

function sealed(
  { sealer }: RepositoriesOptions,
  id: string,
  { type, url }: RepositorySource,
  credentials: RepositoryCredentials | null,
): Pick<RepositoryRecord, 'credentials' | 'credentials_kind'> {
  if (credentials === null) return { credentials: null, credentials_kind: null };
  if (type !== 'git' && type !== 'composer')
    throw invalidInput({ path: 'credentials', message: `a folder of this machine takes none (type is ${type})` });
  assertUsable(credentials, { type, url });
  return { credentials: sealCredentials(sealer, credentials, id), credentials_kind: credentialsKind(credentials) };
}

async function update(
  options: RepositoriesOptions,
  id: string,
  { credentials, filters, interval }: RepositoryPatch,
): Promise<RepositoryRecord> {
  const { store, sources, actor } = options;
  if (credentials === undefined && filters === undefined && interval === undefined)
    throw invalidInput({ path: '', message: 'nothing to change was given' });
  for (;;) {
    const { record, revision } = await findRepository(store, id);
    const source =
      filters === undefined
        ? record
        : await sources.check({ ...record, filters: withoutNull({ ...record.filters, ...filters }) });
    const edited: RepositoryRecord = {
      ...record,
      filters: source.filters,
      ...(credentials === undefined ? {} : sealed(options, record.id, record, credentials)),
      ...(interval === undefined ? {} : { interval }),
      updated_at: new Date(options.now()).toISOString(),
    };
    const key = repositoryKey(record.id);
    const details = {
      ...(filters === undefined ? {} : { filters: edited.filters as JsonObject }),
      ...(credentials === undefined ? {} : { credentials: edited.credentials_kind }),
      ...(interval === undefined ? {} : { interval }),
    };
    const done = await store.commit(
      { conditions: [{ key, revision }], puts: [{ key, value: { ...edited } as unknown as JsonObject }], deletes: [] },
      { actor, action: 'repository.update', subject: record.id, details },
    );
    if (done) return edited;
  }
}

function withoutNull(filters: Readonly<Record<string, unknown>>): RepositoryFilters {
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== null && value !== undefined),
  ) as RepositoryFilters;
}

async function remove(
  options: RepositoriesOptions,
  id: string,
  confirm: string | undefined,
): Promise<{ record: RepositoryRecord; packages: readonly string[] }> {
  const { store, sources, actor } = options;
  for (;;) {
    const { record, revision } = await findRepository(store, id);
    const packages = await sources.published(record);
    if (confirm !== record.id)
      throw new RegistryError('CONFIRMATION_REQUIRED', { details: { confirm: record.id, packages } });
    const key = repositoryKey(record.id);
    const active = await store.get(activeKey(record.id));
    const rows = await rowsOf(store, record.id);
    const places = await ownRows(store, sources, record);
    const details = { type: record.type, url: record.url, packages: packages.length };
    const done = await store.commit(
      // a sync that begins or ends in between would leave rows behind
      {
        conditions: [
          { key, revision },
          { key: activeKey(record.id), revision: active?.revision ?? null },
          ...places.conditions,
        ],
        puts: [],
        deletes: [key, ...places.deletes, ...rows],
      },
      { actor, action: 'repository.delete', subject: record.id, details },
    );
    if (done) return { record, packages };
  }
}
