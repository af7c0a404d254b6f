// The first half of the network guard: the checks of a URL before any connection. The URL parser has already turned
// 127.1, 0x7f.1 and 2130706433 into 127.0.0.1. A literal address never reaches the lookup (guarded-agent.ts), so this
// file checks it.

import { isIP } from 'node:net';
import { parseAddress } from '../contract/address.ts';
import type { AddressPolicy } from './address-policy.ts';
import { CredentialsInUrl, EgressFailure, shownUrl } from './egress-failure.ts';

/** `base`: for URLs that may be relative, as in a redirect. Throws EgressFailure `denied`. */
export function checkedUrl(text: string, policy: AddressPolicy, base?: URL): URL {
  const url = parse(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new EgressFailure('denied', `${url.protocol}// is not fetched: only https:// and http:// URLs are.`);
  if (url.username !== '' || url.password !== '') throw new CredentialsInUrl(url);
  if (base?.protocol === 'https:' && url.protocol === 'http:')
    throw new EgressFailure('denied', `${shownUrl(base)} redirects to ${shownUrl(url)}, which is not encrypted.`);
  const parsed = parseAddress(url.href);
  if ('refusal' in parsed) throw new EgressFailure('denied', `${shownUrl(url)} ${parsed.refusal}.`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !policy(host)) throw deniedAddress(url.hostname, host);
  return url;
}

function parse(text: string, base: URL | undefined): URL {
  try {
    return new URL(text, base);
  } catch (cause) {
    // an unparsable text may contain a password anywhere: the message omits a text with an @
    const shown = text.includes('@') ? 'What was given' : JSON.stringify(text.split(/[?#]/, 1)[0]);
    throw new EgressFailure('denied', `${shown} is not a URL.`, { cause });
  }
}

export function deniedAddress(host: string, address: string): EgressFailure {
  const who =
    host.replace(/^\[|\]$/g, '') === address ? `The address ${address}` : `${host} has the address ${address}, which`;
  return new EgressFailure(
    'denied',
    `${who} is not public. To allow it, add it or its range to egress.allow in libretto.json: ` +
      `"egress": {"allow": [${JSON.stringify(address)}]}.`,
  );
}
