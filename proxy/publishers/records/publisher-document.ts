// A publisher in the management API and in `--json`: its rules, what is known of its repository, and its last exchange.

import type { StateStore } from '../../core/state/state-store.ts';
import type { Issuer } from '../model/issuer.ts';
import { type PublisherRecord, listPublishers } from '../model/publisher.ts';
import type { PublisherDocument } from './publisher-schema.ts';
import { parsePublisherUse, publisherUseKey, windowAt } from '../model/publisher-use.ts';
import { sharedId } from './same-repository.ts';

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
