// Checks a registry as a client sees it through the reverse proxy: the connection, the transport of tokens, and the
// clocks. outside-packages.ts checks content behind a token.

import { pathBelowHost } from '../../build/contract/registry-address.ts';
import { crossesNetwork } from '../remote/plain-http.ts';
import { certificateAdvice } from '../remote/certificate-fault.ts';
import { plainHttpAdvice, plainHttpFault } from '../remote/plain-http-fault.ts';
import { sendProbe, jsonOf, describeResponse, type ProbeResponse } from './send-probe.ts';
import { failed, ok, skipped, warning, type Finding } from './finding.ts';
import { checkForm } from './outside-form.ts';
import { checkPackages } from './outside-packages.ts';

export interface OutsideCheck {
  /** the address without a slash at its end */
  readonly url: string;
  readonly token: string | undefined;
  /** everyone on the way could read a token: it is not sent */
  readonly isOpen: boolean;
  readonly now: () => Date;
}

/** The tolerance of sessions (RFC 7519 leeway of 30 s); a Date header has whole seconds only. */
const failingSkewMs = 30_000;
const warningSkewMs = 5000;

/** Stops at a fault that makes the other checks pointless. */
export async function checkOutside(outside: OutsideCheck): Promise<readonly Finding[]> {
  const { url, now, token, isOpen } = outside;
  const health = await sendProbe(`${url}/health`, {}, now).catch((error: unknown) => error as Error);
  if (health instanceof Error) return [describeUnreached(url, health)];
  const reached = describeHealth(url, health);
  if (reached.verdict === 'failed') return [reached];
  const findings = [
    reached,
    ...describeTransport(url),
    describeClock(health),
    describeReady(await sendProbe(`${url}/health/ready`, {}, now)),
  ];
  const anonymous = await sendProbe(`${url}/packages.json`, {}, now);
  findings.push(describeAnonymous(anonymous));
  if (token === undefined || isOpen) {
    const reason =
      token === undefined
        ? 'Without a token (--token, LIBRETTO_TOKEN) packages cannot be checked.'
        : 'The token was not sent, because everyone on the way to an http:// address could read it.';
    return [...findings, await checkForm(url, health, now), skipped('url.token', reason)];
  }
  const root = await sendProbe(`${url}/packages.json`, { authorization: `Bearer ${token}` }, now);
  const known = describeToken(root);
  return known.verdict === 'failed'
    ? [...findings, known]
    : [...findings, known, ...(await checkPackages({ ...outside, token }, root))];
}

function describeUnreached(url: string, error: Error): Finding {
  const plain = plainHttpFault(url, error);
  if (plain !== undefined) return failed('url', plain, plainHttpAdvice);
  return failed(
    'url',
    `${url} cannot be reached: ${reasonOf(error)}.`,
    certificateAdvice(error) ?? 'Check that the server runs, that the name resolves, and that the port is open.',
  );
}

function reasonOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message === '' ? code || error.name : error.message;
}

function describeHealth(url: string, health: ProbeResponse): Finding {
  const { status, tree, counters, code } = jsonOf(health.text);
  const place = health.headers['location'];
  if (health.status >= 300 && health.status < 400 && place !== undefined)
    return failed(
      'url',
      `${url} redirects to another address: ${describeResponse(health)}.`,
      'Clients do not send their token to another host. Give clients the final address, and check that ' +
        'address here.',
    );
  const path = pathBelowHost(url);
  if (health.status !== 200 || typeof status !== 'string')
    return failed(
      'url',
      `${url}/health answers ${describeResponse(health)}${saysWhy(health)}`,
      code === 'NOT_FOUND' && path !== ''
        ? `Libretto itself answers: the reverse proxy must remove ${path}. docs/how-to/reverse-proxy.md#below-a-path says how.`
        : 'Check the address of the registry. A reverse proxy must pass on every path below it, including /health.',
    );
  if (status === 'ok') return ok('url', `${url} is reached`);
  return warning(
    'url',
    `${url} is reached; its status is ${status}: packages ${String(tree)}, counters ${String(counters)}.`,
    'The log of the server has the reason.',
  );
}

/** The answer's own reason, such as that of a server with a certificate to a request without TLS. */
function saysWhy({ text }: ProbeResponse): string {
  const { error } = jsonOf(text);
  return typeof error === 'string' ? `: ${error.slice(0, 300)}` : '.';
}

function describeTransport(url: string): Finding[] {
  if (!crossesNetwork(url)) return [];
  return [
    warning(
      'url.tls',
      'Tokens travel without encryption, and Composer refuses http:// unless secure-http is turned off.',
      'Give it a certificate (--tls-cert, --tls-key), or put a web server with TLS in front of it: ' +
        'docs/how-to/reverse-proxy.md has configurations.',
    ),
  ];
}

function describeClock({ headers, atMs }: ProbeResponse): Finding {
  const theirs = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(theirs)) return skipped('url.clock', 'The answer has no Date header.');
  return describeSkew('url.clock', theirs + 500 - atMs, 'the registry'); // plus half a second: dates have whole seconds
}

/** `aheadMs`: by how much the other clock is before ours. */
export function describeSkew(check: string, aheadMs: number, whose: string): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const message = `The clock of ${whose} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of this host`;
  const advice =
    'Synchronize both clocks with chrony or systemd-timesyncd: sessions, expiry dates and limits depend on them.';
  if (Math.abs(aheadMs) > failingSkewMs) return failed(check, `${message}.`, advice);
  return Math.abs(aheadMs) > warningSkewMs
    ? warning(check, `${message}.`, advice)
    : ok(check, `The clocks of this host and of ${whose} agree`);
}

function describeReady(reply: ProbeResponse): Finding {
  const { state, storage, grace_seconds_left: left } = jsonOf(reply.text);
  if (reply.status === 200 && state === 'grace')
    return warning(
      'url.ready',
      `It can serve installs for ${String(left)} more seconds: the Redis of the state is down.`,
      'The log of the server has the reason. After that time, all requests fail until Redis is back.',
    );
  if (reply.status === 200 && (storage === 'full' || storage === 'read-only'))
    return warning(
      'url.ready',
      `It can serve installs, but changes fail: its disk ${storage === 'full' ? 'is full' : 'is read-only'}.`,
      storage === 'full' ? 'Free some space on its host.' : 'Check the disk and its mount on its host.',
    );
  if (reply.status === 200) return ok('url.ready', 'It can serve installs');
  if (reply.status === 404)
    return skipped(
      'url.ready',
      'There is no /health/ready: the version is older, or the reverse proxy does not pass it on.',
    );
  const { details } = jsonOf(reply.text);
  return failed(
    'url.ready',
    'It cannot serve installs: ' +
      `${describeResponse(reply)}${details === undefined ? '' : ` ${JSON.stringify(details).slice(0, 300)}`}.`,
    'For tree "empty", publish with `libretto build`. Otherwise, the log of the server has the reason.',
  );
}

function describeAnonymous(reply: ProbeResponse): Finding {
  if (reply.status === 401 && reply.headers['www-authenticate'] !== undefined)
    return ok('url.unknown', 'Clients without a token get no packages');
  if (reply.status === 401)
    return warning(
      'url.unknown',
      'Clients without a token are refused, but the WWW-Authenticate header is missing.',
      'Configure the reverse proxy to pass it on: clients need it to ask for credentials.',
    );
  if (reply.status === 200)
    return failed(
      'url.unknown',
      'Clients without a token get packages.json.',
      'The reverse proxy answers from a cache, or serves the folder itself. Configure it to pass on every ' +
        'request and to store nothing.',
    );
  return failed(
    'url.unknown',
    `Clients without a token get ${describeResponse(reply)}, not 401.`,
    'Configure the reverse proxy to pass on the answers of the registry.',
  );
}

function describeToken(root: ProbeResponse): Finding {
  const code = jsonOf(root.text)['code'];
  if (root.status === 200) return ok('url.token', 'The token is accepted');
  if (code === 'AUTHENTICATION_REQUIRED')
    return failed(
      'url.token',
      'The Authorization header does not arrive.',
      'Configure the reverse proxy to pass the header on: Apache needs `CGIPassAuth On` or plain ProxyPass. ' +
        'No proxy may use the header for its own login.',
    );
  if (code === 'INVALID_TOKEN')
    return failed(
      'url.token',
      'The token is not valid.',
      '`libretto token list` on the host shows the valid tokens; `libretto token create` creates one.',
    );
  if (root.status === 429)
    return failed(
      'url.token',
      `The token has no requests left: ${describeResponse(root)}.`,
      'Try again after the time in the Retry-After header, or use another token for this check.',
    );
  return failed(
    'url.token',
    `packages.json cannot be read with the token: ${describeResponse(root)}.`,
    root.status === 401
      ? "A proxy in front of the registry requires its own login. Turn that login off for Composer's paths."
      : 'If the request reached the server, the log of the server shows it.',
  );
}
