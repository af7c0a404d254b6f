// A webhook as people see it: its address, its secrets without their text, and its last deliveries with their syncs.

import type { StateStore } from '../core/state/state-store.ts';
import type { JobRecord } from '../sync/job.ts';
import type { Jobs } from '../sync/jobs.ts';
import { parsePendingSync, pendingKey } from '../sync/pending-sync.ts';
import type { RepositoryId } from '../sync/repository.ts';
import { listDeliveries } from './delivery.ts';
import { hookPath, isValidAt, type HookRecord } from './hook-record.ts';
import type { HookDeliveryDocument, HookDocument } from './hook-schema.ts';
import type { HookAddress } from './inbox.ts';
import { listOf, readRefusal, remedyOf } from './refusal.ts';

type DeliverySync = HookDeliveryDocument['syncs'][number];

export interface HookDescriptionParts {
  readonly state: Pick<StateStore, 'get' | 'range'>;
  readonly jobs: Pick<Jobs, 'list'>;
  /** the address of the registry for its clients; undefined: it is unknown */
  readonly publicUrl?: string | undefined;
}

/** `record`: undefined if nobody made the hook. A repository also has deliveries to the address for all. */
export async function describeHook(
  parts: HookDescriptionParts,
  address: HookAddress,
  record: HookRecord | undefined,
  nowMs: number,
): Promise<HookDocument> {
  const [deliveries, refused] = await Promise.all([
    listDeliveries(parts.state, listOf(address)),
    readRefusal(parts.state, address),
  ]);
  const ids = [...new Set(deliveries.flatMap(({ repositories }) => repositories))];
  const syncs = new Map(await Promise.all(ids.map(async (id) => [id, await syncsOf(parts, id)] as const)));
  const valid = (record?.secrets ?? []).filter((secret) => isValidAt(secret, nowMs));
  const path = hookPath(address);
  return {
    url: parts.publicUrl === undefined ? null : `${parts.publicUrl.replace(/\/$/, '')}${path}`,
    path,
    secrets: valid.map(({ id, created_at, ends_at }) => ({ id, created_at, ends_at })),
    created_at: record?.created_at ?? null,
    created_by: record?.created_by ?? null,
    refused: refused === undefined ? null : { ...refused, remedy: remedyOf(refused) },
    deliveries: deliveries.map(({ repositories, ...delivery }) => ({
      ...delivery,
      syncs: repositories.map((id) => syncs.get(id)?.(delivery.id) ?? { repository_id: id, job_id: null, state: null }),
    })),
  };
}

/** The sync of this repository that answers a delivery: the last one, because an earlier one may have been cut off. */
async function syncsOf(
  { state, jobs }: HookDescriptionParts,
  id: RepositoryId,
): Promise<(delivery: string) => DeliverySync> {
  const [newestFirst, pending] = await Promise.all([jobs.list(id), state.get(pendingKey(id))]);
  const waiting = pending === undefined ? [] : parsePendingSync(pending.value).deliveries;
  return (delivery) => {
    const job: JobRecord | undefined = newestFirst.find(({ deliveries }) => deliveries?.includes(delivery) === true);
    const isCutOff = job === undefined || job.state === 'failed';
    if (isCutOff && waiting.includes(delivery)) return { repository_id: id, job_id: null, state: 'waiting' };
    return { repository_id: id, job_id: job?.id ?? null, state: job?.state ?? null };
  };
}
