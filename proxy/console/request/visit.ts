// One request for the console on its way: how it came, and what its cookies say.

import type { SessionCaller } from '../../auth/caller.ts';
import type { Sessions } from '../../auth/sessions.ts';
import type { HttpRequest } from '../../core/http/http-request.ts';
import type { FeatureRequest } from '../../core/protocol/feature.ts';
import { pathBelowHost } from '../../../build/contract/registry-address.ts';
import type { Settings } from '../../settings/settings.ts';
import { readCookie, type CookiePlace } from './session-cookie.ts';
import { isHostOf, transportOf, type ConnectionInfo, type TransportRules } from './transport.ts';

export interface Brand {
  readonly name: string;
  /** a choice of the setting `branding.color`: the style sheet has a hue for each */
  readonly color: string;
}

export const standardBrand: Brand = { name: 'Libretto', color: 'indigo' };

export interface Visit extends CookiePlace {
  readonly request: FeatureRequest;
  /** path and query below /ui, beginning with a slash */
  readonly target: string;
  /** undefined: nobody is signed in */
  readonly caller: SessionCaller | undefined;
  /** true: the password was entered in the last five minutes */
  readonly isConfirmed: boolean;
  readonly brand: Brand;
  /** the identity provider at which this person signed in, and confirms; undefined: they enter a password */
  readonly confirmsAt: ConfirmingProvider | undefined;
}

export interface ConfirmingProvider {
  readonly id: string;
  readonly title: string;
}

export interface ConfirmationCheck {
  /** True if the text proves that the person of this session entered the password a short time ago. */
  readonly verify: (text: string, caller: SessionCaller, nowMs: number) => Promise<boolean>;
}

export interface VisitParts extends TransportRules {
  readonly sessions: Sessions;
  readonly settings: Pick<Settings, 'current'>;
  readonly confirmations: ConfirmationCheck;
  readonly identityProviders: readonly ConfirmingProvider[];
}

/** A visit of nobody yet. `request.incoming.url` begins with `/ui`. */
export function createVisit(rules: TransportRules, request: FeatureRequest): Visit {
  const connection = connectionInfoOf(request.incoming);
  const place = { transport: transportOf(connection, rules), host: connection.host };
  return {
    ...place,
    path: pathBelowHost(originsOf(place, rules.publicUrl).consoleOrigin),
    request,
    target: targetOf(request.incoming),
    caller: undefined,
    brand: standardBrand,
    isConfirmed: false,
    confirmsAt: undefined,
  };
}

/** The visit with the person of its cookies, and the brand of the settings. Rejects if the state cannot be read. */
export async function authenticateVisit(
  { sessions, settings, confirmations, identityProviders }: VisitParts,
  visit: Visit,
): Promise<Visit> {
  const { incoming, nowMs } = visit.request;
  const { cookie } = incoming.headers;
  const session = readCookie(cookie, 'session', visit);
  const caller =
    session === undefined || session === '' ? undefined : await sessions.authenticate(`Bearer ${session}`, nowMs);
  const proof = readCookie(cookie, 'confirmed', visit);
  const isConfirmed = caller !== undefined && proof !== undefined && (await confirmations.verify(proof, caller, nowMs));
  const confirmsAt = identityProviders.find(({ id }) => id === caller?.provider);
  const { 'branding.name': name, 'branding.color': color } = await settings.current();
  return { ...visit, caller, isConfirmed, confirmsAt, brand: { name, color } };
}

/** The addresses, without `/ui` and without a slash at their end. */
export interface Origins {
  /** of the registry for its clients */
  readonly origin: string;
  /** at which this browser reached the console */
  readonly consoleOrigin: string;
}

/** A request does not show the path that a reverse proxy removed: `publicUrl` has it, where it names the same host. */
export function originsOf(
  { transport, host = 'localhost' }: Pick<CookiePlace, 'transport' | 'host'>,
  publicUrl: string | undefined,
): Origins {
  const scheme = transport === 'https' ? 'https' : 'http';
  const reached = `${scheme}://${host}`;
  const isPublic = publicUrl?.startsWith(`${scheme}:`) === true && isHostOf(publicUrl, host);
  return { origin: publicUrl ?? reached, consoleOrigin: isPublic ? publicUrl : reached };
}

/** The address at which a client reached the server; `publicUrl` where it is known. */
export function originOf(rules: TransportRules, incoming: HttpRequest): string {
  const connection = connectionInfoOf(incoming);
  return originsOf({ transport: transportOf(connection, rules), host: connection.host }, rules.publicUrl).origin;
}

function connectionInfoOf({ socket, headers }: HttpRequest): ConnectionInfo {
  return {
    encrypted: 'encrypted' in socket && socket.encrypted === true,
    peer: socket.remoteAddress,
    host: headers.host ?? textOf(headers[':authority']), // HTTP/2 has no Host
    forwardedProto: textOf(headers['x-forwarded-proto']),
    forwardedFor: textOf(headers['x-forwarded-for']),
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

function targetOf({ url = '' }: HttpRequest): string {
  const target = url.slice('/ui'.length);
  return target.startsWith('/') ? target : `/${target}`;
}
