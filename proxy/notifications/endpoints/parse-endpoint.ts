// Parses what a person gives for an endpoint. Every fault is named, with its field.

import { isIP } from 'node:net';
import { invalidInput, type FieldFault, RegistryError } from '../../../build/contract/errors.ts';
import type { AddressPolicy } from '../../../build/egress/address-policy.ts';
import { checkedUrl } from '../../../build/egress/checked-url.ts';
import { CredentialsInUrl, EgressFailure } from '../../../build/egress/egress-failure.ts';
import type { Stability } from '../../../build/contract/stability.ts';
import { parseTokenId, type TokenId } from '../../core/tokens/token.ts';
import { eventTypes, isEventType, type EventType } from '../../events/registry-event.ts';
import { parsePackagePattern } from '../../core/views/package-pattern.ts';
import { stabilities } from '../../core/views/token-limits.ts';
import type { EndpointForm, EndpointId, EndpointSelection, SignatureScheme } from '../model/endpoint.ts';
import { viewEventTypes } from '../model/event-filter.ts';

/** What can be changed later. Missing fields stay unchanged. */
export interface EndpointFields {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  /** null: all packages */
  readonly packages?: readonly string[] | null | undefined;
  /** null: any */
  readonly stability?: string | null | undefined;
  /** the id of a token; null: none */
  readonly view?: string | null | undefined;
}

export interface EndpointDraft extends EndpointFields {
  /** chosen by a form, so that a second post of it makes no second endpoint; default: a new one */
  readonly id?: EndpointId | undefined;
  readonly url: string;
  /** default: `standard` */
  readonly form?: EndpointForm | undefined;
  /** default: `v1` */
  readonly signature?: SignatureScheme | undefined;
}

export interface ParsedFields extends Partial<EndpointSelection> {
  readonly name?: string;
  readonly url?: URL;
  readonly view?: TokenId | null;
}

/** The events of an endpoint for which nobody chose others. */
export const defaultEvents: readonly EventType[] = ['package.version.published', 'package.version.withdrawn'];

function refusedAddress(message: string): RegistryError {
  return new RegistryError('EGRESS_DENIED', { message, details: { issues: [{ path: 'url', message }] } });
}

/** Throws INVALID_INPUT with every fault, and EGRESS_DENIED for an address that the guard refuses. */
export function parseFields(given: EndpointFields, form: EndpointForm, policy: AddressPolicy): ParsedFields {
  const issues: FieldFault[] = [];
  const note = (path: string, message: string): undefined => void issues.push({ path, message });
  const parsed = {
    ...(given.name === undefined ? {} : { name: parseName(given.name, note) }),
    ...(given.url === undefined ? {} : { url: parseUrl(given.url, form, policy, note) }),
    ...(given.events === undefined ? {} : { events: parseEvents(given.events, note) }),
    ...(given.packages === undefined ? {} : { packages: orNull(given.packages, (list) => parsePackages(list, note)) }),
    ...(given.stability === undefined
      ? {}
      : { stability: orNull(given.stability, (text) => parseStability(text, note)) }),
    ...(given.view === undefined ? {} : { view: orNull(given.view, (text) => parseView(text, note)) }),
  };
  if (issues.length > 0) throw invalidInput(...issues);
  return parsed as ParsedFields;
}

/** null clears a field; an empty text is a text. */
function orNull<Given, Parsed>(given: Given | null, parse: (given: Given) => Parsed): Parsed | null {
  return given === null ? null : parse(given);
}

type Note = (path: string, message: string) => undefined;

function parseName(text: string, note: Note): string | undefined {
  const name = text.trim();
  return name !== '' && name.length <= 100 && !/\p{Cc}/u.test(name)
    ? name
    : note('name', 'must be a text of 1 to 100 characters');
}

function parseUrl(text: string, form: EndpointForm, policy: AddressPolicy, note: Note): URL | undefined {
  try {
    const url = checkedUrl(text.trim(), policy);
    const isLiteral = isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0;
    if (form !== 'standard' && url.protocol === 'http:' && !isLiteral)
      return note('url', 'must begin with https://, because the address of a chat service is a secret');
    url.hash = '';
    return url.href.length <= 2000 ? url : note('url', 'must have at most 2000 characters');
  } catch (error) {
    if (!(error instanceof EgressFailure)) throw error;
    if (error instanceof CredentialsInUrl)
      return note('url', 'must not contain a user and a password. Deliveries are signed instead');
    if (/egress\.allow/.test(error.message)) throw refusedAddress(error.message);
    // without the address, which may be the secret of a chat service
    return note('url', `must be an https address: ${error.message.replace(/^(?:".*"|https?:\/\/\S+) /s, 'it ')}`);
  }
}

function parseEvents(events: readonly string[], note: Note): readonly EventType[] | undefined {
  const unknown = events.find((one) => !isEventType(one));
  if (unknown !== undefined)
    return note('events', `${JSON.stringify(unknown.slice(0, 80))} is no event; allowed: ${eventTypes.join(', ')}`);
  if (events.length === 0) return note('events', 'must name at least one event');
  return eventTypes.filter((type) => events.includes(type));
}

const mostPatterns = 200;

function parsePackages(packages: readonly string[], note: Note): readonly string[] | undefined {
  if (packages.length === 0 || packages.length > mostPatterns)
    return note('packages', `must be a list of 1 to ${mostPatterns} patterns; null for all packages`);
  const parsed = packages.map((text) => parsePackagePattern(text));
  const wrong = parsed.indexOf(undefined);
  if (wrong !== -1)
    return note(
      'packages',
      `${JSON.stringify(packages[wrong]?.slice(0, 80))} is not a pattern such as acme/core or acme/*`,
    );
  return [...new Set(parsed.flatMap((pattern) => pattern ?? []))].toSorted();
}

function parseStability(text: string, note: Note): Stability | undefined {
  const found = stabilities.find((one) => one.toLowerCase() === text.toLowerCase());
  return found ?? note('stability', `must be one of ${stabilities.join(', ')}`);
}

function parseView(text: string, note: Note): TokenId | undefined {
  return parseTokenId(text) ?? note('view', 'must be the id of a token, such as tok_4fHj2kLm9QwErTy0');
}

/** Throws INVALID_INPUT for events that an endpoint with a view must not be notified of. */
export function assertFitting({ events }: Pick<EndpointSelection, 'events'>, view: TokenId | null): void {
  const outside = view === null ? [] : events.filter((type) => !viewEventTypes.has(type));
  if (outside.length === 0) return;
  throw invalidInput({
    path: 'events',
    message: `an endpoint with the view of a token is notified only of packages, not of ${outside.join(', ')}`,
  });
}

/** The address without its secret part. The addresses of chat services are secrets as a whole. */
export function shownAddress(url: URL, form: EndpointForm): string {
  if (form !== 'standard') return `${url.origin}/…`;
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}
