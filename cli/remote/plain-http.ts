// Keeps tokens from crossing a network in plain text, and explains the answer of a server that speaks https.

import { isLoopback } from '../../build/contract/loopback.ts';
import { UsageError } from '../io/usage-error.ts';

/** True for an http:// address of another machine. */
export function crossesNetwork(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Throws UsageError before a token is sent without TLS to another machine, unless --insecure-http allows it. */
export function refusePlainHttp(url: string, isAllowed: boolean): void {
  if (isAllowed || !crossesNetwork(url)) return;
  throw new UsageError(
    `The address ${url} has no TLS: everyone on the way could read the token. Nothing was sent. Write ` +
      `${url.replace(/^http:/, 'https:')}. For a registry without TLS in a network that you trust, add --insecure-http.`,
  );
}

/** The advice about an answer that is none of a registry. */
export function adviceOnForeignAnswer(url: string, status: number): string {
  const isRedirected = status === 400 || (status >= 300 && status < 400);
  if (!url.startsWith('http:') || !isRedirected) return 'Check the address.';
  const advice = `Does this server want https? Then write ${url.replace(/^http:/, 'https:')}.`;
  return crossesNetwork(url) ? `${advice} Revoke the token: it was sent in plain text.` : advice;
}
