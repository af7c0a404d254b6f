// Making, listing, changing and removing connections. The command line, the management API and the console call this.
// Every change is one commit with its audit event; credentials go in and never come out.

import { invalidInput, RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { AuditedStore, ChangeParts } from '../state/audit.ts';
import type { StateEntry } from '../core/state/state-store.ts';
import { type ConnectionId, mintConnectionId } from '../sync/forge-place.ts';
import { listRepositories } from '../sync/list-repositories.ts';
import type { RepositoryRecord } from '../sync/repository.ts';
import { dueAgain } from '../sync/sync-again.ts';
import type { ConnectionAccess } from './client/connection-access.ts';
import { connectionTokenKey } from './client/token-row.ts';
import {
  connectionKey,
  connectionPlaceKey,
  type ConnectionRecord,
  findConnection,
  listConnections,
} from './model/connection.ts';
import { sealConnectionCredentials } from './model/credentials.ts';
import { parseSeen, seenPrefix } from './model/forge-repository.ts';
import { firstProgress, pagePrefix, parseProgress, progressKey } from './model/progress.ts';
import { readProgress } from './model/read-progress.ts';
import {
  checkFields,
  defaultFields,
  parseDraft,
  type ConnectionDraft,
  type ConnectionFields,
} from './parse-connection.ts';
import { removeConnection } from './remove-connection.ts';
import { ForgePause, ForgeRefusal } from './client/forge-failure.ts';
import type { Forge } from './client/forge.ts';
import { forgeTitles, type OwnerKind } from './model/forge-name.ts';

/** The kind of the owner. Throws INVALID_INPUT, EGRESS_DENIED and UPSTREAM_UNAVAILABLE. */
async function checkAtForge(
  forge: Forge,
  { forge: name, owner, credentials_kind: kind }: Pick<ConnectionRecord, 'forge' | 'owner' | 'credentials_kind'>,
): Promise<OwnerKind> {
  try {
    if (kind === 'app') {
      await forge.list('installation', undefined, undefined);
      return 'installation';
    }
    const found = await forge.findOwner();
    if (found !== undefined) return found;
  } catch (error) {
    throw asRegistryError(error);
  }
  const title = forgeTitles[name];
  throw invalidInput({ path: 'owner', message: `${title} has no ${owner}, or the token does not see it` });
}

/** In the words of this registry; another error unchanged. */
function asRegistryError(error: unknown): unknown {
  if (error instanceof ForgePause)
    return new RegistryError('UPSTREAM_UNAVAILABLE', { message: error.message, cause: error });
  if (!(error instanceof ForgeRefusal)) return error;
  if (error.isDenied) return new RegistryError('EGRESS_DENIED', { message: error.message, cause: error });
  if (error.message.includes('private key')) return invalidInput({ path: 'credentials', message: error.message });
  const path = error.status === 401 || error.status === 403 ? 'credentials' : error.status === 404 ? 'owner' : 'url';
  return invalidInput({ path, message: error.message });
}

export type ForgeConnections = ReturnType<typeof createConnections>;

export interface ConnectionsOptions extends ChangeParts {
  readonly access: Pick<ConnectionAccess, 'open'>;
  readonly sealer: Sealer;
  /** the address of this registry that the owner's webhook calls; undefined: a forge cannot reach this registry */
  readonly hookUrl: string | undefined;
}

/** Every call may throw RegistryError with words for the person who made it. */
export function createConnections(options: ConnectionsOptions) {
  const { store } = options;
  return {
    /** Checks the credentials and the owner at the forge first. */
    create: (draft: ConnectionDraft) => create(options, draft),
    /** All connections, oldest first. */
    list: () => listConnections(store),
    get: async (id: string) => (await findConnection(store, id)).record,
    /** Missing fields stay unchanged. The next refresh begins at once, and reads every page. */
    update: (id: string, patch: ConnectionFields) => update(options, id, patch),
    /** Makes the next refresh due now. */
    refreshSoon: (id: string) => refreshSoon(options, id),
    /**
     * `confirm`: the id once more. Its repositories stay registered and published, and keep their own webhooks; that of
     * the owner is removed at the forge. Throws CONFIRMATION_REQUIRED with their numbers.
     */
    remove: (id: string, confirm: string | undefined) => removeConnection(options, id, confirm),
  };
}

async function create(options: ConnectionsOptions, draft: ConnectionDraft): Promise<ConnectionRecord> {
  const { store, actor } = options;
  const record = await newRecord(options, draft);
  const { id, owner, web } = record;
  const [key, place] = [connectionKey(id), connectionPlaceKey(record)];
  const done = await store.commit(
    {
      conditions: [
        { key, revision: null },
        { key: place, revision: null },
      ],
      puts: [
        { key, value: { ...record } as unknown as JsonObject },
        { key: place, value: id },
      ],
      deletes: [],
    },
    { actor, action: 'connection.create', subject: id, details: detailsOf(record) },
  );
  if (done) return record;
  const other = (await store.get(place))?.value ?? null;
  throw new RegistryError('CONFLICT', {
    message:
      `${owner} at ${web} is connected already` +
      (other === null
        ? '.'
        : `, as ${String(other)}. \`libretto connection refresh ${String(other)}\` goes on with it, and with ` +
          '--dry-run it only shows the plan.'),
    details: { id: other },
  });
}

/** The record with what the forge says about its owner. */
async function newRecord(options: ConnectionsOptions, draft: ConnectionDraft): Promise<ConnectionRecord> {
  const { access, sealer, actor, now, randomBytes } = options;
  const place = parseDraft(draft);
  assertReachable(options, draft);
  const { forge, credentials } = draft;
  const id = mintConnectionId(randomBytes);
  const time = new Date(now()).toISOString();
  const record = {
    id,
    forge,
    ...place,
    ...defaultFields,
    ...given(draft),
    credentials: '',
    credentials_kind: credentials.kind,
    created_at: time,
    created_by: actor,
    updated_at: time,
  };
  // sealed after the check: the first key of a registry is not made for a refused connection
  const owner_kind = await checkAtForge(access.open(record, credentials), record);
  return { ...record, owner_kind, credentials: sealConnectionCredentials(sealer, credentials, id) };
}

function assertReachable({ hookUrl }: ConnectionsOptions, { hooks }: ConnectionFields): void {
  if (hooks !== true || hookUrl !== undefined) return;
  const message = 'a forge cannot reach this registry: set publicUrl, and leave the feature hooks on';
  throw invalidInput({ path: 'hooks', message });
}

/** The given fields, without the credentials. */
function given({ credentials: _sealed, ...patch }: ConnectionFields): object {
  const fields = Object.keys(defaultFields).map((name) => [name, patch[name as keyof typeof patch]] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function detailsOf(record: ConnectionRecord): JsonObject {
  const { forge, web, owner, credentials_kind } = record;
  const fields = Object.keys(defaultFields).map((name) => [name, record[name as keyof ConnectionFields]]);
  return { forge, url: web, owner, ...Object.fromEntries(fields), credentials: credentials_kind };
}

async function update(options: ConnectionsOptions, id: string, patch: ConnectionFields): Promise<ConnectionRecord> {
  const { store, access, sealer, actor, now } = options;
  const { credentials } = patch;
  if (Object.values(patch).every((value) => value === undefined))
    throw invalidInput({ path: '', message: 'nothing to change was given' });
  for (;;) {
    const { record, revision } = await findConnection(store, id);
    checkFields(patch, record.forge);
    assertReachable(options, patch);
    let edited: ConnectionRecord = { ...record, ...given(patch), updated_at: new Date(now()).toISOString() };
    if (credentials !== undefined) {
      edited = { ...edited, credentials: '', credentials_kind: credentials.kind };
      const owner_kind = await checkAtForge(access.open(edited, credentials), edited);
      edited = { ...edited, owner_kind, credentials: sealConnectionCredentials(sealer, credentials, record.id) };
    }
    const key = connectionKey(record.id);
    const rows = [...(await store.range(pagePrefix(record.id))), ...(await skippedRows(store, record.id))];
    const due = rows.map((entry) => entry.key);
    const done = await store.commit(
      {
        conditions: [{ key, revision }],
        puts: [
          { key, value: { ...edited } as unknown as JsonObject },
          { key: progressKey(record.id), value: (await anew(options, edited)) as unknown as JsonObject },
          ...(credentials === undefined ? [] : await dueAgain(store, await readBy(store, record.id))),
        ],
        deletes: credentials === undefined ? due : [...due, connectionTokenKey(record.id)],
      },
      { actor, action: 'connection.update', subject: record.id, details: detailsOf(edited) },
    );
    if (done) return edited;
  }
}

/** The repositories that the credentials of the connection read. */
async function readBy(store: AuditedStore, connection: ConnectionId): Promise<readonly RepositoryRecord[]> {
  const records = await listRepositories(store);
  return records.filter(({ forge, credentials }) => forge?.connection === connection && credentials === null);
}

/** The rows of repositories that the next refresh is to read again. */
async function skippedRows(store: AuditedStore, id: ConnectionId): Promise<readonly StateEntry[]> {
  return (await store.range(seenPrefix(id))).filter(({ value }) => {
    const { state, reason } = parseSeen(value);
    return state === 'skipped' && reason !== 'unregistered';
  });
}

/** The progress from the beginning, with what the last refresh found. Wanted webhooks are tried anew. */
async function anew({ store }: ConnectionsOptions, { id, hooks }: ConnectionRecord): Promise<object> {
  const { counts, finished_at, owner_hook } = await readProgress(store, id);
  return { ...firstProgress, counts, finished_at, ...(hooks ? {} : { owner_hook }) };
}

async function refreshSoon(options: ConnectionsOptions, text: string): Promise<ConnectionRecord> {
  const { store, actor, now } = options;
  for (;;) {
    const { record, revision } = await findConnection(store, text);
    const key = progressKey(record.id);
    const entry = await store.get(key);
    const before = entry === undefined ? firstProgress : parseProgress(entry.value);
    const progress = { ...before, next_at: new Date(now()).toISOString() };
    const done = await store.commit(
      {
        conditions: [
          { key: connectionKey(record.id), revision },
          { key, revision: entry?.revision ?? null },
        ],
        puts: [{ key, value: progress as unknown as JsonObject }],
        deletes: [],
      },
      { actor, action: 'connection.refresh', subject: record.id, details: {} },
    );
    if (done) return record;
  }
}
