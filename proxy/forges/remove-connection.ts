// Removes a connection with its rows and the secret of its webhook, and the webhook of the owner at the forge. Its
// repositories stay registered with their own webhooks, and what they published stays.

import { RegistryError } from '../../build/contract/errors.ts';
import { hookKey } from '../hooks/hook-record.ts';
import type { AuditedStore, ChangeParts } from '../state/audit.ts';
import type { ConnectionAccess } from './client/connection-access.ts';
import { ForgePause, ForgeRefusal } from './client/forge-failure.ts';
import { connectionTokenKey } from './client/token-row.ts';
import { readConnected } from './model/connected.ts';
import { connectionKey, connectionPlaceKey, type ConnectionRecord, findConnection } from './model/connection.ts';
import { seenPrefix } from './model/forge-repository.ts';
import { pagePrefix, progressKey, type RefreshProgress } from './model/progress.ts';
import { readProgress } from './model/read-progress.ts';

export interface RemovedConnection {
  readonly record: ConnectionRecord;
  /** what happened to the owner's webhook at the forge; `none`: this registry had installed none there */
  readonly webhook: 'removed' | 'stays' | 'none';
  /** why it stays at the forge, and what to do; null: it does not */
  readonly message: string | null;
}

interface Parts extends Pick<ChangeParts, 'store' | 'actor'> {
  readonly access: Pick<ConnectionAccess, 'open'>;
  readonly hookUrl: string | undefined;
}

/**
 * `confirm`: the id once more. Throws NOT_FOUND, and CONFIRMATION_REQUIRED with the number of registered repositories
 * and whether the owner has a webhook.
 */
export async function removeConnection(
  parts: Parts,
  text: string,
  confirm: string | undefined,
): Promise<RemovedConnection> {
  const { store, actor } = parts;
  let dropped: Pick<RemovedConnection, 'webhook' | 'message'> | undefined;
  for (;;) {
    const { record, revision } = await findConnection(store, text);
    const { id, forge, web, owner } = record;
    const isInstalled = mayBeInstalled(record, await readProgress(store, id));
    if (confirm !== id) throw await unconfirmed(store, record, isInstalled);
    dropped ??= isInstalled ? await dropWebhook(parts, record) : { webhook: 'none', message: null };
    const done = await store.commit(
      { conditions: [{ key: connectionKey(id), revision }], puts: [], deletes: await rowsOf(store, record) },
      {
        actor,
        action: 'connection.delete',
        subject: id,
        details: { forge, url: web, owner, webhook: dropped.webhook },
      },
    );
    if (done) return { record, ...dropped };
  }
}

/** After a change of the connection, the next refresh notes where webhooks are. */
function mayBeInstalled({ hooks }: ConnectionRecord, { owner_hook: at, finished_at }: RefreshProgress): boolean {
  return at === 'installed' || (hooks && at === null && finished_at !== null);
}

async function unconfirmed(store: AuditedStore, { id }: ConnectionRecord, webhook: boolean): Promise<RegistryError> {
  const repositories = (await readConnected(store, id)).filter(({ state }) => state !== 'skipped').length;
  return new RegistryError('CONFIRMATION_REQUIRED', { details: { confirm: id, repositories, webhook } });
}

async function rowsOf(store: AuditedStore, record: ConnectionRecord): Promise<readonly string[]> {
  const { id } = record;
  const hook = hookKey({ of: 'registry', name: id });
  const lists = await Promise.all([seenPrefix(id), pagePrefix(id)].map((prefix) => store.range(prefix)));
  const own = [connectionKey(id), connectionPlaceKey(record), progressKey(id), connectionTokenKey(id), hook];
  return [...own, ...lists.flat().map(({ key }) => key)];
}

/** A forge that refuses, or does not answer, does not hold the removal up. */
async function dropWebhook(
  { access, hookUrl }: Parts,
  record: ConnectionRecord,
): Promise<Pick<RemovedConnection, 'webhook' | 'message'>> {
  if (hookUrl === undefined) return stays(record, 'This registry does not know its own address any more.');
  try {
    const answer = await access.open(record).dropOwnerHook(record.owner_kind, hookUrl);
    if (answer.outcome === 'refused') return stays(record, answer.message);
    return { webhook: answer.outcome, message: null };
  } catch (error) {
    if (error instanceof ForgePause || error instanceof ForgeRefusal) return stays(record, error.message);
    throw error;
  }
}

function stays({ owner, web }: ConnectionRecord, why: string): Pick<RemovedConnection, 'webhook' | 'message'> {
  const message = `${why} The webhook of ${owner} stays at ${web}, and its deliveries are refused from now on: remove it there.`;
  return { webhook: 'stays', message };
}
