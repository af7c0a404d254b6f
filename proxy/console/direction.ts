// The way of a browser from the server's address to a console with an address of its own. The browser is sent on only
// where the name in its address leads to the console for certain. Otherwise a short page says where the console is: its
// address may belong to an internal network, and only a client of such a network reads it.

import { isIPv6 } from 'node:net';

import { isLoopback } from '../../build/contract/loopback.ts';
import { errorAnswer, type Answer } from '../core/http/answer.ts';
import { isInternalAddress } from '../core/http/client-address.ts';
import type { Feature, FeatureRequest } from '../core/protocol/feature.ts';
import { htmlAnswer, redirectAnswer } from './request/html-answer.ts';
import { createAllowedHosts, hostNameOf } from './request/allowed-hosts.ts';

export interface ConsoleListener {
  /** its address: a host, or 0.0.0.0 or :: for every address of the machine */
  readonly host: string;
  /** 0: the system chose it */
  readonly port: number;
  readonly scheme: 'http' | 'https';
  /** true: a reverse proxy stands before the server, and its names need not lead to the console */
  readonly isProxied: boolean;
  /** host names of the console, as for createAllowedHosts */
  readonly names: () => readonly string[];
}

/** Answers `/` at the server's address. Every client but a browser gets the answer of an unknown path. */
export function createConsoleDirection(listener: ConsoleListener): Feature {
  const isAllowed = createAllowedHosts(listener.names);
  const answer = ({ incoming, clientAddress }: FeatureRequest): Answer | Promise<Answer> => {
    const { method, headers } = incoming;
    if (method !== 'GET' || headers.accept?.includes('text/html') !== true) return errorAnswer('NOT_FOUND');
    const requested = headers.host ?? headers[':authority']?.toString(); // HTTP/2 has no Host
    const host = isAllowed(requested) ? hostNameOf(requested) : undefined;
    const url = host === undefined ? undefined : consoleAt(host, listener);
    if (url !== undefined) return redirectAnswer(url, ['Vary', 'Accept']);
    const html = page(placeFor(clientAddress, listener));
    return htmlAnswer(html, { status: 404, acceptEncoding: headers['accept-encoding'], more: [] });
  };
  return { kinds: [], routeOf: (path) => (path === '/' ? { kind: 'unknown', open: true, answer } : undefined) };
}

/** The console for a browser that reached the server by the name `requested`; undefined: the name may not lead there. */
function consoleAt(requested: string, { host, port, scheme, isProxied }: ConsoleListener): string | undefined {
  if (port === 0 || isProxied) return undefined;
  const leadsThere = isEverywhere(host) || requested === host || (isLoopback(requested) && isLoopback(host));
  return leadsThere ? urlOf(scheme, isEverywhere(host) ? requested : host, port) : undefined;
}

/** The place of the console in words, as far as this client may know it. */
function placeFor(clientAddress: string, { host, port, scheme }: ConsoleListener): string {
  if (isLoopback(host))
    return `It can be opened on the registry's own machine only${at(urlOf(scheme, host, port), port)}.`;
  if (!isInternalAddress(clientAddress)) return 'Ask the operator of this registry for it.';
  if (isEverywhere(host))
    return port === 0 ? "It is on the registry's machine." : `It is at port ${port} of the registry's machine.`;
  return `It is on the registry's machine${at(urlOf(scheme, host, port), port)}.`;
}

/** A port that the system chose is in the output of the server alone. */
function at(url: string, port: number): string {
  return port === 0 ? '' : `, at ${url}`;
}

function urlOf(scheme: string, host: string, port: number): string {
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}/ui/`;
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** `place`: a sentence of this file. A host from the configuration has no characters of HTML. */
function page(place: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Libretto</title></head>
<body>
<h1>Libretto</h1>
<p>This address is for Composer and the API. The console has an address of its own. ${place}</p>
</body>
</html>
`;
}
