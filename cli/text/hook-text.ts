// The text of webhooks on the command line. Pure.

import type { HookDeliveryDocument, HookDocument } from '../../proxy/hooks/hook-schema.ts';
import { counted, formatFields, formatTable } from '../io/output.ts';

/** `address`: the whole address for the provider. */
export function describeHookLines(address: string, { secrets, deliveries, ...hook }: HookDocument): string[] {
  if (hook.created_at === null)
    return ['There is no webhook. The same command without --remove makes one.', ...deliveryLines(deliveries)];
  return [
    ...formatFields([
      ['address', address],
      ...secrets.map(
        ({ id, ends_at: endsAt }) =>
          ['secret id', `${id}${endsAt === null ? '' : `, until ${seconds(endsAt)}`}`] as const,
      ),
      ['made', `${seconds(hook.created_at)} by ${String(hook.created_by)}`],
    ]),
    ...refusalLines(hook.refused),
    ...deliveryLines(deliveries),
  ];
}

function refusalLines(refused: HookDocument['refused']): readonly string[] {
  if (refused === null) return [];
  const { count, last_at: at, reason, remedy } = refused;
  return [
    '',
    `${counted(count, 'request was', 'requests were')} refused, the last at ${seconds(at)}: ${reason}.`,
    remedy,
  ];
}

function deliveryLines(deliveries: readonly HookDeliveryDocument[]): string[] {
  if (deliveries.length === 0) return ['', 'No delivery has arrived yet.'];
  const rows = deliveries.map((delivery) => [
    delivery.id,
    seconds(delivery.received_at),
    delivery.provider,
    delivery.event,
    resultOf(delivery),
  ]);
  const table = formatTable(['DELIVERY', 'RECEIVED', 'FROM', 'EVENT', 'RESULT'], rows);
  const synced = deliveries
    .flatMap(({ syncs }) => syncs)
    .find(({ state }) => state === 'succeeded' || state === 'failed');
  if (synced === undefined) return ['', ...table];
  return [
    '',
    ...table,
    '',
    `What the last sync published and left out: \`libretto repository show ${synced.repository_id}\``,
  ];
}

/** `succeeded (job_…)`, `waiting`, `ping` */
function resultOf({ outcome, syncs }: HookDeliveryDocument): string {
  if (outcome !== 'sync') return outcome;
  return syncs
    .map(({ job_id: job, state }) => (job === null ? (state ?? 'no longer kept') : `${String(state)} (${job})`))
    .join(', ');
}

/** 2027-01-31T00:00:00.000Z → 2027-01-31T00:00:00Z */
function seconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
