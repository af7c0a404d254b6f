// A connection, and its repositories, in the management API and in `--json`: without credentials.

import type { StateStore } from '../core/state/state-store.ts';
import type { ConnectedRepositoryDocument, ConnectionDocument } from './connection-schema.ts';
import { countConnected, readConnected } from './model/connected.ts';
import type { ConnectionRecord } from './model/connection.ts';
import { skipReasons, type ListedRepository } from './model/forge-repository.ts';
import { firstProgress, type RefreshProgress } from './model/progress.ts';
import { readProgress } from './model/read-progress.ts';

/** The connection as it is now. */
export async function readConnection(
  state: Pick<StateStore, 'get' | 'range'>,
  record: ConnectionRecord,
): Promise<ConnectionDocument> {
  const [progress, rows] = await Promise.all([readProgress(state, record.id), readConnected(state, record.id)]);
  return connectionDocument(record, { ...progress, counts: countConnected(rows) });
}

function connectionDocument(record: ConnectionRecord, progress: RefreshProgress): ConnectionDocument {
  const { id, forge, owner, web, only, except, forks, hooks, subdirectories, interval, sync_interval } = record;
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
    subdirectories,
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

export function connectedRepositoryDocument(seen: ListedRepository): ConnectedRepositoryDocument {
  const { id, path, state, reason, repository, package: name, checked_at } = seen;
  const message = reason === null ? null : `Not registered: ${skipReasons[reason]}.`;
  return { forge_id: id, path, state, reason, message, repository, package: name, checked_at };
}
