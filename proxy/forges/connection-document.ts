// A connection, and its repositories, in the management API and in `--json`: without credentials.

import type { StateStore } from '../core/state/state-store.ts';
import { countConnected, readConnected } from './model/connected.ts';
import type { ConnectionRecord } from './model/connection.ts';
import { skipReasons, type ListedRepository } from './model/forge-repository.ts';
import { firstProgress, type ConnectionCounts, type RefreshProgress } from './model/progress.ts';
import { readProgress } from './model/read-progress.ts';

export interface ConnectionDocument extends Pick<
  ConnectionRecord,
  | 'id'
  | 'forge'
  | 'owner'
  | 'only'
  | 'except'
  | 'forks'
  | 'hooks'
  | 'interval'
  | 'sync_interval'
  | 'created_at'
  | 'created_by'
  | 'updated_at'
> {
  /** the address of the forge in a browser */
  readonly url: string;
  /** the kind of the stored credentials */
  readonly credentials: ConnectionRecord['credentials_kind'];
  /** `pending`: never refreshed. `error`: the last refresh failed; all repositories stay registered. */
  readonly status: 'pending' | 'refreshing' | 'active' | 'error';
  readonly error_message: string | null;
  /** where webhooks are installed, also those that are not wanted any more; null: nowhere yet */
  readonly hooks_at: 'owner' | 'repositories' | null;
  readonly hook_error: string | null;
  readonly counts: ConnectionCounts;
  readonly last_refreshed_at: string | null;
  /** null: at once */
  readonly next_refresh_at: string | null;
}

/** The connection as it is now. */
export async function readConnection(
  state: Pick<StateStore, 'get' | 'range'>,
  record: ConnectionRecord,
): Promise<ConnectionDocument> {
  const [progress, rows] = await Promise.all([readProgress(state, record.id), readConnected(state, record.id)]);
  return connectionDocument(record, { ...progress, counts: countConnected(rows) });
}

function connectionDocument(record: ConnectionRecord, progress: RefreshProgress): ConnectionDocument {
  const { id, forge, owner, web, only, except, forks, hooks, interval, sync_interval } = record;
  const { created_at, created_by, updated_at, credentials_kind } = record;
  const isRunning = progress.phase !== 'idle';
  const place = { installed: 'owner', refused: 'repositories' } as const;
  return {
    id,
    forge,
    url: web,
    owner,
    credentials: credentials_kind,
    only,
    except,
    forks,
    hooks,
    interval,
    sync_interval,
    status: progress.error !== null ? 'error' : isRunning ? 'refreshing' : progress.finished_at ? 'active' : 'pending',
    error_message: progress.error,
    hooks_at:
      progress.owner_hook !== null && (hooks || progress.owner_hook === 'installed')
        ? place[progress.owner_hook]
        : null,
    hook_error: hooks ? progress.hook_error : null,
    counts: progress.counts,
    last_refreshed_at: progress.finished_at,
    next_refresh_at: progress.next_at === firstProgress.next_at ? null : progress.next_at,
    created_at,
    created_by,
    updated_at,
  };
}

export interface ConnectedRepositoryDocument {
  /** the id at the forge: it stays after a rename */
  readonly forge_id: string;
  readonly path: string;
  readonly state: ListedRepository['state'];
  readonly reason: ListedRepository['reason'];
  /** the reason in words */
  readonly message: string | null;
  /** `repo_…` of this registry */
  readonly repository: string | null;
  readonly package: string | null;
  readonly checked_at: string;
}

export function connectedRepositoryDocument(seen: ListedRepository): ConnectedRepositoryDocument {
  const { id, path, state, reason, repository, package: name, checked_at } = seen;
  const message = reason === null ? null : `Not registered: ${skipReasons[reason]}.`;
  return { forge_id: id, path, state, reason, message, repository, package: name, checked_at };
}
