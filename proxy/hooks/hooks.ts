// Making, rotating and removing webhooks. The command line, the management API, the console and connections to forges
// call this. Every change is one commit with its audit event (I8). A secret leaves this service once, in the result of
// `issue`, after the commit is durable (I7).

import type { JsonValue } from '../../build/contract/json.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { ChangeParts } from '../state/audit.ts';
import { findRepository } from '../sync/list-repositories.ts';
import { repositoryKey } from '../sync/repository.ts';
import { deliveryPrefix, refusalKey } from '../sync/repository-rows.ts';
import { hookKey, isValidAt, mintSecret, parseHookRecord, type HookOwner, type HookRecord } from './hook-record.ts';
import { readRow } from '../state/rows.ts';

export type Hooks = ReturnType<typeof createHooks>;

export interface HooksOptions extends ChangeParts {
  readonly sealer: Sealer;
}

/** The time that a provider needs for its change to the new secret. */
const graceMs = 86_400_000;

export function createHooks(options: HooksOptions) {
  return {
    /** undefined: it has no hook. Throws NOT_FOUND for a removed repository. */
    find: async (owner: HookOwner): Promise<HookRecord | undefined> => {
      await conditionOf(options, owner);
      return readRow(options.store, hookKey(owner), parseHookRecord);
    },
    /**
     * Makes the hook, or gives it another secret. The former secret stays valid for 24 hours, or ends at once with
     * `dropOld`; one before it ends. Throws NOT_FOUND for a removed repository.
     */
    issue: (owner: HookOwner, { dropOld = false }: { readonly dropOld?: boolean } = {}) =>
      issue(options, owner, dropOld),
    /** Removes the hook with its secrets and its deliveries. False: there was none. */
    remove: (owner: HookOwner) => remove(options, owner),
  };
}

async function issue(
  options: HooksOptions,
  owner: HookOwner,
  dropOld: boolean,
): Promise<{ record: HookRecord; secret: Secret }> {
  const { store, now, actor } = options;
  const key = hookKey(owner);
  for (;;) {
    const [registered, entry] = await Promise.all([conditionOf(options, owner), store.get(key)]);
    const nowMs = now();
    const before = entry === undefined ? undefined : parseHookRecord(entry.value);
    const { secret, stored } = mintSecret(options, key, nowMs);
    const record: HookRecord = {
      secrets: [stored, ...(dropOld ? [] : endingSecret(before, nowMs))],
      created_at: before?.created_at ?? stored.created_at,
      created_by: before?.created_by ?? actor,
    };
    const done = await store.commit(
      {
        conditions: [...registered, { key, revision: entry?.revision ?? null }],
        puts: [{ key, value: { ...record } as unknown as JsonValue }],
        deletes: [refusalKeyOf(owner)],
      },
      {
        actor,
        action: before === undefined ? 'hook.create' : 'hook.rotate',
        subject: subjectOf(owner),
        details: { secret: stored.id, ...(before === undefined ? {} : { drop_old: dropOld }) },
      },
    );
    if (done) return { record, secret };
  }
}

/** The current secret, with its end. */
function endingSecret(record: HookRecord | undefined, nowMs: number): HookRecord['secrets'] {
  const current = record?.secrets.find((one) => isValidAt(one, nowMs));
  return current === undefined ? [] : [{ ...current, ends_at: new Date(nowMs + graceMs).toISOString() }];
}

async function remove(options: HooksOptions, owner: HookOwner): Promise<boolean> {
  const { store, actor } = options;
  const key = hookKey(owner);
  for (;;) {
    const [registered, entry] = await Promise.all([conditionOf(options, owner), store.get(key)]);
    if (entry === undefined) return false;
    const deliveries = owner.of === 'repository' ? await store.range(deliveryPrefix(owner.id)) : [];
    const done = await store.commit(
      {
        conditions: [...registered, { key, revision: entry.revision }],
        puts: [],
        deletes: [key, refusalKeyOf(owner), ...deliveries.map((one) => one.key)],
      },
      { actor, action: 'hook.remove', subject: subjectOf(owner), details: {} },
    );
    if (done) return true;
  }
}

/** A repository's hook is written only while the repository exists. Throws NOT_FOUND. */
async function conditionOf(
  { store }: HooksOptions,
  owner: HookOwner,
): Promise<readonly { readonly key: string; readonly revision: number }[]> {
  if (owner.of === 'registry') return [];
  const { record, revision } = await findRepository(store, owner.id);
  return [{ key: repositoryKey(record.id), revision }];
}

function refusalKeyOf(owner: HookOwner): string {
  return refusalKey(owner.of === 'repository' ? owner.id : owner.of);
}

/** The subject of audit events: the repository, `shared`, or a connection. */
function subjectOf(owner: HookOwner): string {
  return owner.of === 'repository' ? owner.id : owner.name;
}
