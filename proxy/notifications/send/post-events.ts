// Sends events to one endpoint with one request, through the guard of all egress, within limits of size and time. Every
// outcome is a value: no receiver makes this throw.

import type { AddressPolicy } from '../../../build/egress/address-policy.ts';
import { checkedUrl } from '../../../build/egress/checked-url.ts';
import type { GuardedAgent } from '../../../build/egress/guarded-agent.ts';
import { discard, explainFailure, getGuarded } from '../../../build/egress/guarded-request.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';
import type { IncomingResponse } from '../../../build/egress/http-exchange.ts';
import { timedSignal } from '../../../build/shared/concurrency/timed-signal.ts';
import type { Secret } from '../../../build/shared/text/secret.ts';
import { eventText } from '../../events/event-text.ts';
import type { RegistryEvent } from '../../events/registry-event.ts';
import { isValidAt } from '../../hooks/hook-record.ts';
import { UnreadableSecret, type Sealer } from '../../keys/sealer.ts';
import { retryAfterMs } from '../../mirror/upstream/host-backoff.ts';
import { endpointKey, type EndpointRecord } from '../model/endpoint.ts';
import { longestAskedMs } from '../model/retry-schedule.ts';
import { chatMessage, mostInMessage } from './chat-forms.ts';
import { createHmac, sign } from 'node:crypto';
import { privateKeyOf } from '../model/endpoint-secret.ts';

export interface PostOutcome {
  /** of the receiver's answer; null: there was none */
  readonly status: number | null;
  /** why it failed, for people; null: it was delivered */
  readonly error: string | null;
  /** the wait that the receiver asks for; 0: none */
  readonly askedMs: number;
  /** true: the receiver wants nothing any more (410) */
  readonly isGone: boolean;
}

export interface PosterOptions {
  readonly sealer: Sealer;
  readonly policy: AddressPolicy;
  readonly agent: GuardedAgent;
  /** `Libretto/1.2.3` */
  readonly userAgent: string;
  /** epoch milliseconds */
  readonly now: () => number;
  /** for one request with its answer; default 15 s (Standard Webhooks: 15 to 30 s) */
  readonly timeoutMs?: number;
}

/** The number of events in one request to this endpoint. */
export function eventsInRequest({ form }: Pick<EndpointRecord, 'form'>): number {
  return form === 'standard' ? 1 : mostInMessage;
}

/** `events`: at most `eventsInRequest`. */
export async function postEvents(
  options: PosterOptions,
  endpoint: EndpointRecord,
  events: readonly RegistryEvent[],
  stopping?: AbortSignal,
): Promise<PostOutcome> {
  const { sealer, policy, agent, userAgent, now, timeoutMs = 15_000 } = options;
  let url = '';
  const timed = timedSignal(timeoutMs, ...(stopping === undefined ? [] : [stopping]));
  try {
    url = sealer.unseal(endpoint.url, endpointKey(endpoint.id)).reveal();
    const { text, headers } = requestOf(options, endpoint, events);
    const { response } = await getGuarded(
      checkedUrl(url, policy),
      { policy, agent },
      {
        signal: timed.signal,
        headers: () => ({ 'user-agent': userAgent, accept: '*/*', ...headers }),
        content: { method: 'POST', type: 'application/json', text },
      },
    );
    return withoutAddress(await outcomeOf(response, now()), url, endpoint);
  } catch (error) {
    if (error instanceof UnreadableSecret) return failure(null, `${error.message}.`);
    return withoutAddress(failure(null, unreachable(explainFailure(error, url, timeoutMs).message)), url, endpoint);
  } finally {
    timed.clear();
  }
}

/**
 * The address may be a secret. Errors of the connection name it, and some receivers repeat it in their answers, so that
 * people get the shown address in its place.
 */
function withoutAddress(outcome: PostOutcome, text: string, { form, shown_url: shown }: EndpointRecord): PostOutcome {
  const url = parseUrl(text);
  if (outcome.error === null || url === undefined) return outcome;
  const { origin, pathname, search } = url;
  const hidden = [
    [`${origin}${pathname}${search}`, shown],
    ...(search === '' ? [] : [[search, '?…']]),
    ...(form === 'standard' || pathname === '/'
      ? []
      : [
          [`${origin}${pathname}`, shown],
          [pathname, '/…'],
        ]),
  ] as const;
  const error = hidden.reduce((said, [secret = '', instead = '']) => said.replaceAll(secret, instead), outcome.error);
  return { ...outcome, error };
}

/** The words of a failed download, for a delivery. */
function unreachable(message: string): string {
  const said = message.replace(' could not be fetched: ', ' could not be reached: ');
  return /certificate/i.test(said)
    ? `${said} For an authority of your own, start the server with NODE_EXTRA_CA_CERTS.`
    : said;
}

interface RequestParts {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

function requestOf(
  { sealer, now }: PosterOptions,
  { id, form, secrets }: EndpointRecord,
  events: readonly RegistryEvent[],
): RequestParts {
  const [event] = events;
  if (event === undefined) throw new Error('a request without an event');
  if (form !== 'standard') return { text: JSON.stringify(chatMessage(form, events.map(eventText))), headers: {} };
  const nowMs = now();
  const text = JSON.stringify({ type: event.type, timestamp: event.at, data: event.data });
  const valid: readonly Secret[] = secrets
    .filter((secret) => isValidAt(secret, nowMs))
    .map(({ sealed }) => sealer.unseal(sealed, endpointKey(id)));
  return { text, headers: signedHeaders({ id: event.id, atMs: nowMs, body: text }, valid) };
}

async function outcomeOf(response: IncomingResponse, nowMs: number): Promise<PostOutcome> {
  const { status, headers } = response;
  if (status >= 200 && status < 300) {
    discard(response);
    return { status, error: null, askedMs: 0, isGone: false };
  }
  const isRedirect = status >= 300 && status < 400;
  const said = isRedirect ? '' : await beginningOf(response);
  const reason = isRedirect
    ? `The receiver redirects (status ${status}). Enter the address that it redirects to.`
    : `The receiver answered with status ${status}${said === '' ? '' : `: ${said.replace(/\.$/, '')}`}.`;
  return {
    ...failure(status, reason),
    askedMs: retryAfterMs(headers['retry-after'], nowMs, longestAskedMs) ?? 0,
    isGone: status === 410,
  };
}

function failure(status: number | null, error: string): PostOutcome {
  return { status, error, askedMs: 0, isGone: false };
}

const shownBytes = 300;

/** The first bytes of an answer, as one line; the rest of any size is not read. */
async function beginningOf(response: IncomingResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= shownBytes) break;
    }
  } catch (error) {
    return error instanceof Error ? 'its answer broke off' : '';
  } finally {
    response.body.destroy();
  }
  const text = Buffer.concat(chunks).subarray(0, shownBytes).toString('utf8');
  return text
    .replaceAll(/[\s\p{Cc}\ufffd]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
}

// The headers of Standard Webhooks 1.0: id, time of this attempt, and a signature by each valid secret.
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

interface SignedContent {
  /** the same over retries */
  readonly id: string;
  /** of this attempt, epoch milliseconds */
  readonly atMs: number;
  readonly body: string;
}

/** `secrets`: `whsec_…` or `whsk_…`, newest first; the receiver accepts one that it knows. */
function signedHeaders(
  { id, atMs, body }: SignedContent,
  secrets: readonly Secret[],
): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(atMs / 1000));
  const content = Buffer.from(`${id}.${seconds}.${body}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => signatureOf(secret, content)).join(' '),
  };
}

function signatureOf(secret: Secret, content: Buffer): string {
  const text = secret.reveal();
  const bytes = Buffer.from(text.slice(text.indexOf('_') + 1), 'base64');
  if (text.startsWith('whsec_')) return `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`;
  return `v1a,${sign(null, content, privateKeyOf(bytes.subarray(0, 32))).toString('base64')}`;
}
