// The text of notification endpoints and their deliveries on the command line. Pure.

import { eventText } from '../../proxy/events/event-text.ts';
import type { DeliveryDocument, EndpointDocument } from '../../proxy/notifications/endpoints/endpoint-schema.ts';
import { formTitles } from '../../proxy/notifications/model/endpoint.ts';
import { counted, formatFields, formatTable } from '../io/output.ts';

export function describeEndpoints(endpoints: readonly EndpointDocument[]): string[] {
  const rows = endpoints.map((endpoint) => {
    const { id, name, form, url, waiting, last_delivered_at: last } = endpoint;
    return [id, name, form, stateOf(endpoint), String(waiting), last === null ? 'never' : seconds(last), url];
  });
  return formatTable(['ID', 'NAME', 'FORM', 'STATE', 'WAITING', 'LAST DELIVERED', 'ADDRESS'], rows);
}

function stateOf({ enabled, disabled_reason: reason, failures }: EndpointDocument): string {
  if (!enabled) return reason === 'by hand' ? 'disabled' : 'ended';
  return failures === 0 ? 'enabled' : 'failing';
}

export function describeEndpoint(endpoint: EndpointDocument): string[] {
  const { id, name, form, url, events, packages, stability, view, signature, secrets, waiting } = endpoint;
  const { last_delivered_at: delivered, last_failed_at: failedAt } = endpoint;
  return formatFields([
    ['id', id],
    ['name', name],
    ['form', formTitles[form]],
    ['address', url],
    ['events', events.join(', ')],
    ['packages', packages === null ? 'all' : packages.join(', ')],
    ['stability', stability === null ? 'any' : `at least ${stability}`],
    ['view', view === null ? 'everything' : `what ${view} sees`],
    ['signature', signature ?? 'none: chat messages are not signed'],
    ...secrets.flatMap(({ id: secret, ends_at: end, public_key: key }) => [
      ['secret id', `${secret}${end === null ? '' : `, until ${seconds(end)}`}`] as const,
      ...(key === null ? [] : [['public key', key] as const]),
    ]),
    ['state', longStateOf(endpoint)],
    ['waiting', counted(waiting, 'delivery', 'deliveries')],
    ['last delivered', delivered === null ? 'never' : seconds(delivered)],
    ...(failedAt === null ? [] : [['last failed', seconds(failedAt)] as const]),
    ['made', `${seconds(endpoint.created_at)} by ${endpoint.created_by}`],
  ]);
}

function longStateOf(endpoint: EndpointDocument): string {
  const { id, disabled_reason: reason, failures, last_error: error, paused_until: pause } = endpoint;
  const enable = `\`libretto notify update ${id} --enable\``;
  if (reason === 'gone') return `ended: the receiver answered 410 (Gone); send again: ${enable}`;
  if (reason === 'token ended')
    return `ended: the token of its view ended; \`libretto notify update ${id} --view TOKEN --enable\``;
  if (reason !== null) return `disabled; enable it: ${enable}`;
  if (failures === 0) return 'enabled';
  const until = pause === null ? '' : `, paused until ${seconds(pause)}`;
  return `failing: ${counted(failures, 'failed attempt')}${until}: ${error ?? ''}`;
}

export function describeDeliveries(deliveries: readonly DeliveryDocument[]): string[] {
  if (deliveries.length === 0) return ['Nothing was sent yet.'];
  const rows = deliveries.map((delivery) => {
    const { id, at } = delivery;
    return [id, seconds(at), cut(eventText(delivery).title), describeResult(delivery)];
  });
  return formatTable(['EVENT', 'TIME', 'WHAT', 'RESULT'], rows);
}

/** `delivered (204, 12 ms)`, `waiting for 2026-…: the receiver answered 500` */
export function describeResult({ state, attempts, next_at: next }: DeliveryDocument): string {
  const last = attempts.at(-1);
  const tries = attempts.length > 1 ? ` after ${attempts.length} attempts` : '';
  if (state === 'hidden') return 'hidden: the token of its view does not show it any more';
  if (state === 'delivered')
    return `delivered${tries}${last === undefined ? '' : ` (${last.status ?? 'no answer'}, ${last.milliseconds} ms)`}`;
  const reason = last?.error === undefined || last.error === null ? '' : `: ${last.error}`;
  return state === 'failed'
    ? `failed${tries}${reason}`
    : `waiting${next === null ? '' : ` for ${seconds(next)}`}${reason}`;
}

const widest = 60;

function cut(text: string): string {
  return text.length > widest ? `${text.slice(0, widest - 1)}…` : text;
}

/** 2027-01-31T00:00:00.000Z → 2027-01-31T00:00:00Z */
function seconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
