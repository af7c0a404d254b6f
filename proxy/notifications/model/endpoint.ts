// An endpoint: an address that is notified of events, as the state stores it. Its address may be a secret itself, as
// those of chat services are, so it is stored sealed.

import type { Branded } from '../../../build/contract/brand.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { Stability } from '../../../build/contract/stability.ts';
import { randomBase62, type RandomBytes } from '../../../build/shared/text/base62.ts';
import { parseTokenId, type TokenId } from '../../core/tokens/token.ts';
import { isEventType, type EventType } from '../../events/registry-event.ts';
import type { StoredSecret } from '../../hooks/hook-record.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
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

export interface EndpointSecret extends StoredSecret {
  /** of `v1a`: `whpk_` and base64; null for `v1` */
  readonly public_key: string | null;
}

/** `gone`: the receiver answered 410. `token ended`: the token that limits the endpoint was revoked or has expired. */
export type DisabledReason = 'by hand' | 'gone' | 'token ended';

export interface EndpointSelection {
  readonly events: readonly EventType[];
  /** patterns of package names; null: all packages */
  readonly packages: readonly string[] | null;
  /** the least stability of versions; null: any */
  readonly stability: Stability | null;
}

export interface EndpointRecord extends EndpointSelection {
  readonly id: EndpointId;
  readonly name: string;
  readonly form: EndpointForm;
  /** sealed for the key of the row */
  readonly url: string;
  /** the address without its secret part, for people */
  readonly shown_url: string;
  readonly scheme: SignatureScheme;
  /** newest first: the current one, and perhaps the one before it; `[]`: chat messages are not signed */
  readonly secrets: readonly EndpointSecret[];
  /** the endpoint is notified only of what this token sees; null: of all */
  readonly view: TokenId | null;
  /** null: enabled */
  readonly disabled: DisabledReason | null;
  readonly created_at: string;
  readonly created_by: string;
  readonly updated_at: string;
}

export const endpointPrefix = 'notify-endpoint/';

export function endpointKey(id: EndpointId): string {
  return `${endpointPrefix}${id}`;
}

export function mintEndpointId(randomBytes: RandomBytes): EndpointId {
  return `ntf_${randomBase62(16, randomBytes)}` as EndpointId;
}

export function parseEndpointId(text: string): EndpointId | undefined {
  return /^ntf_[0-9A-Za-z]{16}$/.test(text) ? (text as EndpointId) : undefined;
}

/** Throws StateError for a value that is no row of an endpoint. */
export function parseEndpointRecord(value: JsonValue): EndpointRecord {
  if (isJsonObject(value) && isRecord(value)) return value as unknown as EndpointRecord;
  throw malformedRecord('The record of a notification endpoint');
}

function isRecord(record: JsonObject): boolean {
  const { id, form, scheme, events, packages, stability, view, disabled, secrets } = record;
  const texts = ['name', 'url', 'shown_url', 'created_at', 'created_by', 'updated_at'];
  return (
    typeof id === 'string' &&
    parseEndpointId(id) !== undefined &&
    texts.every((name) => typeof record[name] === 'string') &&
    endpointForms.some((one) => one === form) &&
    signatureSchemes.some((one) => one === scheme) &&
    Array.isArray(events) &&
    events.every(isEventType) &&
    (packages === null || (Array.isArray(packages) && packages.every((one) => typeof one === 'string'))) &&
    (stability === null || stabilities.some((one) => one === stability)) &&
    (view === null || (typeof view === 'string' && parseTokenId(view) !== undefined)) &&
    (disabled === null || typeof disabled === 'string') &&
    Array.isArray(secrets) &&
    secrets.every((one: JsonValue) => isJsonObject(one) && typeof one['sealed'] === 'string')
  );
}
