// One request for the console on its way: how it came, and what its cookies say.

import type { SessionCaller } from '../../auth/caller.ts';
import type { Sessions } from '../../auth/sessions.ts';
import type { HttpRequest } from '../../http/http-request.ts';
import type { FeatureRequest } from '../../protocol/feature.ts';
import { readCookie, type CookiePlace } from './session-cookie.ts';
import { transportOf, type Arrival, type TransportRules } from './transport.ts';

export interface Visit extends CookiePlace {
  readonly asked: FeatureRequest;
  /** path and query below /ui, beginning with a slash */
  readonly target: string;
  /** undefined: nobody is signed in */
  readonly caller: SessionCaller | undefined;
  /** true: the password was entered in the last five minutes */
  readonly isConfirmed: boolean;
}

export interface Confirmations {
  /** True if the text proves that the person of this session entered the password a short time ago. */
  readonly verify: (text: string, caller: SessionCaller, nowMs: number) => Promise<boolean>;
}

export interface VisitParts extends TransportRules {
  readonly sessions: Sessions;
  readonly confirmations: Confirmations;
}

/** `asked.incoming.url` begins with `/ui`. */
export async function openVisit(parts: VisitParts, asked: FeatureRequest): Promise<Visit> {
  const { incoming, nowMs } = asked;
  const { cookie } = incoming.headers;
  const arrival = arrivalOf(incoming);
  const place = { transport: transportOf(arrival, parts), host: arrival.host };
  const session = readCookie(cookie, 'session', place);
  const caller =
    session === undefined || session === '' ? undefined : await parts.sessions.authenticate(`Bearer ${session}`, nowMs);
  const proof = readCookie(cookie, 'confirmed', place);
  const isConfirmed =
    caller !== undefined && proof !== undefined && (await parts.confirmations.verify(proof, caller, nowMs));
  return { ...place, asked, target: targetOf(incoming), caller, isConfirmed };
}

/** The address of the registry as this browser reached it, without `/ui`. */
export function originOf({ transport, host = 'localhost' }: CookiePlace, publicUrl: string | undefined): string {
  return publicUrl ?? `${transport === 'https' ? 'https' : 'http'}://${host}`;
}

function arrivalOf({ socket, headers }: HttpRequest): Arrival {
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
