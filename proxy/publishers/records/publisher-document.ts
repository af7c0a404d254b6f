// A publisher in the management API and in `--json`: its rules, what is known of its repository, and its last exchange.

import type { PublishedFrom } from '../../artifacts/published-from.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { Issuer } from '../model/issuer.ts';
import type { PublisherRecord } from '../model/publisher.ts';
import { listPublishers } from './list-publishers.ts';
import { parsePublisherUse, publisherUseKey, windowAt } from '../model/publisher-use.ts';
import { sharedId } from './same-repository.ts';

export interface PublisherDocument extends PublisherRecord {
  /**
   * `unknown`: the first exchange pins the ids. `shared`: another publisher of the repository pinned its id, which
   * counts here too. `none`: the issuer has no ids
   */
  readonly ids: 'given' | 'learnt' | 'shared' | 'unknown' | 'none';
  /** the id of the repository that another publisher pinned; null: its own counts, or none is known */
  readonly shared_repository_id: string | null;
  /** false: the setting oidcIssuers does not name its issuer any more, so nobody can exchange */
  readonly issuer_accepted: boolean;
  /** exchanges in the current hour */
  readonly exchanges: { readonly used: number; readonly limit: number; readonly resets_at: string | null };
  readonly last_exchange_at: string | null;
  /** the job of the last exchange */
  readonly last_run: PublishedFrom | null;
}

export async function publisherDocument(
  state: Pick<StateStore, 'get' | 'range'>,
  issuers: readonly Issuer[],
  record: PublisherRecord,
  nowMs: number,
): Promise<PublisherDocument> {
  const entry = await state.get(publisherUseKey(record.id));
  const use = entry === undefined ? undefined : parsePublisherUse(entry.value);
  const { used, endsMs } = windowAt(use, nowMs);
  const isPinned = record.repository_id !== null || record.repository === null;
  const shared = isPinned ? null : sharedId(record, await listPublishers(state));
  return {
    ...record,
    ids: shared === null ? idsOf(record) : 'shared',
    shared_repository_id: shared,
    issuer_accepted: issuers.some(({ url, kind }) => url === record.issuer && kind === record.kind),
    exchanges: {
      used,
      limit: record.exchanges_per_hour,
      resets_at: used === 0 ? null : new Date(endsMs).toISOString(),
    },
    last_exchange_at: use?.last_at ?? null,
    last_run: use?.last ?? null,
  };
}

function idsOf({ kind, repository_id: id, ids_learnt_at: learnt }: PublisherRecord): PublisherDocument['ids'] {
  if (kind === 'oidc') return 'none';
  if (learnt !== null) return 'learnt';
  return id === null ? 'unknown' : 'given';
}
