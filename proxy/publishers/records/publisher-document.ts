// A publisher in the management API and in `--json`: its rules, what is known of its repository, and its last exchange.

import type { PublishedFrom } from '../../artifacts/published-from.ts';
import type { StateStore } from '../../state/state-store.ts';
import type { Issuer } from '../model/issuer.ts';
import type { PublisherRecord } from '../model/publisher.ts';
import { parsePublisherUse, publisherUseKey, windowAt } from '../model/publisher-use.ts';

export interface PublisherDocument extends PublisherRecord {
  /** `unknown`: the first exchange pins the ids. `none`: the issuer has no ids */
  readonly ids: 'given' | 'learnt' | 'unknown' | 'none';
  /** false: the setting oidcIssuers does not name its issuer any more, so nobody can exchange */
  readonly issuer_accepted: boolean;
  /** exchanges in the current hour */
  readonly exchanges: { readonly used: number; readonly limit: number; readonly resets_at: string | null };
  readonly last_exchange_at: string | null;
  /** the job of the last exchange */
  readonly last_run: PublishedFrom | null;
}

export async function publisherDocument(
  state: Pick<StateStore, 'get'>,
  issuers: readonly Issuer[],
  record: PublisherRecord,
  nowMs: number,
): Promise<PublisherDocument> {
  const entry = await state.get(publisherUseKey(record.id));
  const use = entry === undefined ? undefined : parsePublisherUse(entry.value);
  const { used, endsMs } = windowAt(use, nowMs);
  return {
    ...record,
    ids: idsOf(record),
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
