// Making, listing, changing and removing endpoints. The command line, the management API and the console call this.
// Every change is one commit with its audit event (I8). A secret leaves this service once, after the commit is durable
// (I7).

import { invalidInput, RegistryError } from '../../../build/contract/errors.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { AddressPolicy } from '../../../build/egress/address-policy.ts';
import { Secret } from '../../../build/shared/text/secret.ts';
import { parseTokenRecord, tokenKey, tokenStatus, type TokenId } from '../../core/tokens/token.ts';
import type { Sealer } from '../../keys/sealer.ts';
import type { AuditedStore, ChangeParts } from '../../state/audit.ts';
import type { StateChange } from '../../core/state/state-store.ts';
import { deliveryPrefix, duePrefix } from '../model/delivery.ts';
import {
  endpointKey,
  mintEndpointId,
  type EndpointId,
  type EndpointRecord,
  findEndpoint,
  listEndpoints,
} from '../model/endpoint.ts';
import { mintEndpointSecret, rotated } from '../model/endpoint-secret.ts';
import { statusKey } from '../model/endpoint-status.ts';
import {
  assertFitting,
  defaultEvents,
  parseFields,
  shownAddress,
  type EndpointDraft,
  type EndpointFields,
} from './parse-endpoint.ts';

export interface IssuedEndpoint {
  readonly record: EndpointRecord;
  /** the shared secret, or the public key; undefined: the messages of chat services are not signed */
  readonly secret: Secret | undefined;
}

export interface EndpointPatch extends EndpointFields {
  /** true: sends again, also after an end by 410. false: new events wait for nobody, and are not stored */
  readonly enabled?: boolean | undefined;
}

export type Endpoints = ReturnType<typeof createEndpoints>;

export interface EndpointsOptions extends ChangeParts {
  readonly sealer: Sealer;
  readonly policy: AddressPolicy;
}

/** Every call may throw RegistryError: NOT_FOUND, INVALID_INPUT, EGRESS_DENIED. */
export function createEndpoints(options: EndpointsOptions) {
  const { store } = options;
  return {
    /** An id for a draft. */
    newId: () => mintEndpointId(options.randomBytes),
    /** Throws CONFLICT too: for a draft whose id has an endpoint already. */
    create: (draft: EndpointDraft) => create(options, draft),
    /** All endpoints, oldest first. */
    list: () => listEndpoints(store),
    get: async (id: string) => (await findEndpoint(store, id)).record,
    update: (id: string, patch: EndpointPatch) => update(options, id, patch),
    /** Makes a new secret. The former one signs too for 24 hours, or ends at once with `dropOld`. */
    rotate: (id: string, dropOld: boolean = false) => rotate(options, id, dropOld),
    /** Removes the endpoint with its deliveries. */
    remove: (id: string) => remove(options, id),
  };
}

async function create(options: EndpointsOptions, draft: EndpointDraft): Promise<IssuedEndpoint> {
  const { store, actor } = options;
  const issued = newEndpoint(options, draft);
  const { record } = issued;
  const key = endpointKey(record.id);
  for (;;) {
    const conditions = [{ key, revision: null }, ...(await viewCondition(options, record.view))];
    const done = await store.commit(
      { conditions, puts: [{ key, value: stored(record) }], deletes: [] },
      { actor, action: 'notification.create', subject: record.id, details: detailsOf(record) },
    );
    if (done) return issued;
    if (draft.id !== undefined && (await store.get(key)) !== undefined) throw madeAlready(record.id);
  }
}

function newEndpoint(options: EndpointsOptions, draft: EndpointDraft): IssuedEndpoint {
  const { sealer, policy, now, randomBytes, actor } = options;
  const { form = 'standard', signature = 'v1' } = draft;
  const { url, name, events = defaultEvents, packages = null, ...rest } = parseFields(draft, form, policy);
  const { stability = null, view = null } = rest;
  if (url === undefined) throw invalidInput({ path: 'url', message: 'is missing' });
  if (form !== 'standard' && draft.signature !== undefined)
    throw invalidInput({ path: 'signature', message: 'the messages of chat services are not signed: leave it out' });
  assertFitting({ events }, view);
  const nowMs = now();
  const id = draft.id ?? mintEndpointId(randomBytes);
  const key = endpointKey(id);
  const minted = form === 'standard' ? mintEndpointSecret(options, signature, key, nowMs) : undefined;
  const at = new Date(nowMs).toISOString();
  const record: EndpointRecord = {
    id,
    name: name ?? url.hostname,
    form,
    url: sealer.seal(new Secret(url.href), key),
    shown_url: shownAddress(url, form),
    scheme: signature,
    secrets: minted === undefined ? [] : [minted.stored],
    events,
    packages,
    stability,
    view,
    disabled: null,
    created_at: at,
    created_by: actor,
    updated_at: at,
  };
  return { record, secret: minted?.shown };
}

function madeAlready(id: EndpointId): RegistryError {
  const message = `The notification endpoint ${id} was made already. Its secret is not shown again.`;
  return new RegistryError('CONFLICT', { message });
}

async function update(options: EndpointsOptions, text: string, patch: EndpointPatch): Promise<EndpointRecord> {
  const { store, sealer, policy, now, actor } = options;
  if (Object.values(patch).every((value) => value === undefined))
    throw invalidInput({ path: '', message: 'nothing to change was given' });
  for (;;) {
    const { record, revision } = await findEndpoint(store, text);
    const key = endpointKey(record.id);
    const { url, ...fields } = parseFields(patch, record.form, policy);
    const edited: EndpointRecord = {
      ...record,
      ...fields,
      ...(url && { url: sealer.seal(new Secret(url.href), key), shown_url: shownAddress(url, record.form) }),
      ...(patch.enabled !== undefined && { disabled: patch.enabled ? null : 'by hand' }),
      ...(fields.view !== undefined && record.disabled === 'token ended' && { disabled: null }),
      updated_at: new Date(now()).toISOString(),
    };
    assertFitting(edited, edited.view);
    const isChecked = fields.view !== undefined || patch.enabled === true;
    const isReset = url !== undefined || patch.enabled === true;
    const done = await store.commit(
      {
        conditions: [{ key, revision }, ...(await viewCondition(options, isChecked ? edited.view : null))],
        puts: [{ key, value: stored(edited) }],
        // another address begins without the pause of the former one
        deletes: isReset ? [statusKey(record.id)] : [],
      },
      { actor, action: 'notification.update', subject: record.id, details: detailsOf(edited) },
    );
    if (done) return edited;
  }
}

async function rotate(options: EndpointsOptions, text: string, dropOld: boolean): Promise<IssuedEndpoint> {
  const { store, now, actor } = options;
  for (;;) {
    const { record, revision } = await findEndpoint(store, text);
    if (record.form !== 'standard')
      throw invalidInput({ path: 'form', message: 'the messages of chat services are not signed: there is no secret' });
    const key = endpointKey(record.id);
    const minted = mintEndpointSecret(options, record.scheme, key, now());
    const edited = { ...record, secrets: rotated(record, minted.stored, { dropOld, nowMs: now() }) };
    const done = await store.commit(
      { conditions: [{ key, revision }], puts: [{ key, value: stored(edited) }], deletes: [] },
      {
        actor,
        action: 'notification.rotate',
        subject: record.id,
        details: { secret: minted.stored.id, drop_old: dropOld },
      },
    );
    if (done) return { record: edited, secret: minted.shown };
  }
}

/** A delivery that is handed over at this moment may stay behind; pruning removes it. */
async function remove(options: EndpointsOptions, text: string): Promise<EndpointRecord> {
  const { store } = options;
  for (;;) {
    const { record, revision } = await findEndpoint(store, text);
    const { id } = record;
    const gone = [endpointKey(id), statusKey(id), ...(await rowsOf(store, id))];
    const conditions = [{ key: endpointKey(id), revision }];
    if (!(await commitRemoval(options, record, { conditions, puts: [], deletes: gone }))) continue;
    // an attempt or an event may have stored rows since they were read; without the endpoint no more can come
    const left = await rowsOf(store, id);
    if (left.length > 0) await commitRemoval(options, record, { conditions: [], puts: [], deletes: left });
    return record;
  }
}

/** The keys of the deliveries of an endpoint. */
async function rowsOf(store: AuditedStore, id: EndpointRecord['id']): Promise<readonly string[]> {
  const rows = await Promise.all([store.range(deliveryPrefix(id)), store.range(duePrefix(id))]);
  return rows.flat().map(({ key }) => key);
}

function commitRemoval(
  { store, actor }: EndpointsOptions,
  { id, name, shown_url: url }: EndpointRecord,
  change: StateChange,
): Promise<boolean> {
  return store.commit(change, { actor, action: 'notification.remove', subject: id, details: { name, url } });
}

const tokenOfPerson =
  'this token is of `libretto login`, and sees what its person sees at the moment. Create a read token for the endpoint';

/** The token of a view must be active, and have limits of its own. Throws INVALID_INPUT. */
async function viewCondition(
  { store, now }: EndpointsOptions,
  view: TokenId | null,
): Promise<readonly { readonly key: string; readonly revision: number }[]> {
  if (view === null) return [];
  const entry = await store.get(tokenKey(view));
  if (entry === undefined) throw invalidInput({ path: 'view', message: 'there is no such token' });
  const token = parseTokenRecord(entry.value);
  if (token.person !== undefined) throw invalidInput({ path: 'view', message: tokenOfPerson });
  const status = tokenStatus(token, now());
  if (status !== 'active') throw invalidInput({ path: 'view', message: `this token is ${status}` });
  return [{ key: entry.key, revision: entry.revision }];
}

function stored(record: EndpointRecord): JsonObject {
  return { ...record } as unknown as JsonObject;
}

function detailsOf({ name, form, shown_url, events, packages, stability, view, disabled }: EndpointRecord): JsonObject {
  return { name, form, url: shown_url, events, packages, stability, view, disabled };
}
