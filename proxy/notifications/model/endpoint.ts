// An endpoint: an address that is notified of events, as the state stores it. Its address may be a secret itself, as
// those of chat services are, so it is stored sealed.

import { z } from 'zod';
import type { Branded } from '../../../build/contract/brand.ts';
import { idsOf } from '../../../build/shared/text/base62.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { isTokenId, type TokenId } from '../../core/tokens/token.ts';
import { isEventType, type EventType } from '../../events/registry-event.ts';
import { storedSecret } from '../../hooks/hook-record.ts';
import { rowParser, findRow, listRows, type RowOf, type Stored } from '../../state/rows.ts';
import { stabilities } from '../../core/views/token-limits.ts';

/** `ntf_` and 16 base62 characters. */
export type EndpointId = Branded<string, 'EndpointId'>;

/** The form of the request: Standard Webhooks, or the message of a chat service. */
export const endpointForms = ['standard', 'slack', 'teams', 'mattermost', 'discord', 'google-chat'] as const;
export type EndpointForm = (typeof endpointForms)[number];

export const formTitles: Readonly<Record<EndpointForm, string>> = {
  standard: 'Webhook (Standard Webhooks)',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  mattermost: 'Mattermost',
  discord: 'Discord',
  'google-chat': 'Google Chat',
};

/** `v1`: HMAC-SHA256 with a shared secret. `v1a`: ed25519, whose public key everybody may know. */
export const signatureSchemes = ['v1', 'v1a'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];

export const { mint: mintEndpointId, is: isEndpointId, parse: parseEndpointId } = idsOf<EndpointId>('ntf');

const endpointSecret = storedSecret.extend({
  /** of `v1a`: `whpk_` and base64; null for `v1` */
  public_key: z.string().nullable(),
});
export type EndpointSecret = RowOf<typeof endpointSecret>;

const endpointRecord = z.object({
  id: z.custom<EndpointId>(isEndpointId),
  name: z.string(),
  form: z.enum(endpointForms),
  /** sealed for the key of the row */
  url: z.string(),
  /** the address without its secret part, for people */
  shown_url: z.string(),
  events: z.array(z.custom<EventType>(isEventType)),
  /** patterns of package names; null: all packages */
  packages: z.array(z.string()).nullable(),
  /** the least stability of versions; null: any */
  stability: z.enum(stabilities).nullable(),
  scheme: z.enum(signatureSchemes),
  /** newest first: the current one, and perhaps the one before it; `[]`: chat messages are not signed */
  secrets: z.array(endpointSecret),
  /** the endpoint is notified only of what this token sees; null: of all */
  view: z.custom<TokenId>(isTokenId).nullable(),
  /**
   * `gone`: the receiver answered 410. `token ended`: the token that limits the endpoint was revoked or has expired.
   */
  disabled: z.enum(['by hand', 'gone', 'token ended']).nullable(),
  created_at: z.string(),
  created_by: z.string(),
  updated_at: z.string(),
});
export type EndpointRecord = RowOf<typeof endpointRecord>;
export type EndpointSelection = Pick<EndpointRecord, 'events' | 'packages' | 'stability'>;
export type DisabledReason = NonNullable<EndpointRecord['disabled']>;

export const endpointPrefix = 'notify-endpoint/';

export function endpointKey(id: EndpointId): string {
  return `${endpointPrefix}${id}`;
}

/** Throws StateError for a value that is no row of an endpoint. */
export const parseEndpointRecord = rowParser(endpointRecord, 'The record of a notification endpoint');

/** Oldest first. */
export async function listEndpoints(state: Pick<StateStore, 'range'>): Promise<readonly EndpointRecord[]> {
  return (await listRows(state, endpointPrefix, parseEndpointRecord)).map(({ record }) => record);
}

/** Throws NOT_FOUND. */
export async function findEndpoint(state: Pick<StateStore, 'get'>, text: string): Promise<Stored<EndpointRecord>> {
  const id = parseEndpointId(text);
  const sought = { text, key: id && endpointKey(id), noun: 'notification endpoint' };
  return findRow(state, sought, parseEndpointRecord);
}
