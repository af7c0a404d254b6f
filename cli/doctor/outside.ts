// Checks a registry as a client sees it through the reverse proxy: the connection, the transport of tokens, and the
// clocks. outside-packages.ts checks content behind a token.

import { ask, jsonOf, sayReply, type Reply } from './ask.ts';
import { failed, ok, skipped, warning, type Finding } from './finding.ts';
import { checkForm } from './outside-form.ts';
import { checkPackages } from './outside-packages.ts';

export interface Outside {
  /** the address without a slash at its end */
  readonly url: string;
  readonly token: string | undefined;
  readonly now: () => Date;
}

/** The tolerance of sessions (RFC 7519 leeway of 30 s); a Date header has whole seconds only. */
const failingSkewMs = 30_000;
const warningSkewMs = 5000;

/** Stops at a fault that makes the other checks pointless. */
export async function checkOutside(outside: Outside): Promise<readonly Finding[]> {
  const { url, now, token } = outside;
  const health = await ask(`${url}/health`, {}, now).catch((error: unknown) => error as Error);
  if (health instanceof Error)
    return [
      failed(
        'url',
        `${url} cannot be reached: ${reasonOf(health)}.`,
        'Is the server up, the name known, the port open, and the certificate one that this host trusts ' +
          '(NODE_EXTRA_CA_CERTS names more)?',
      ),
    ];
  const reached = describeHealth(url, health);
  if (reached.verdict === 'failed') return [reached];
  const findings = [
    reached,
    ...describeTransport(url),
    describeClock(health),
    describeReady(await ask(`${url}/health/ready`, {}, now)),
  ];
  const anonymous = await ask(`${url}/packages.json`, {}, now);
  findings.push(describeAnonymous(anonymous));
  if (token === undefined)
    return [
      ...findings,
      await checkForm(url, health, now),
      skipped('url.token', 'Without a token (--token, LIBRETTO_TOKEN) packages cannot be looked at.'),
    ];
  const root = await ask(`${url}/packages.json`, { authorization: `Bearer ${token}` }, now);
  const known = describeToken(root);
  return known.verdict === 'failed'
    ? [...findings, known]
    : [...findings, known, ...(await checkPackages({ ...outside, token }, root))];
}

function reasonOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message === '' ? code || error.name : error.message;
}

function describeHealth(url: string, health: Reply): Finding {
  const { status, tree, counters } = jsonOf(health.text);
  const place = health.headers['location'];
  if (health.status >= 300 && health.status < 400 && place !== undefined)
    return failed(
      'url',
      `${url} leads elsewhere: ${sayReply(health)}.`,
      'Clients do not take their token along to another host. Tell them the address that it leads to, and try ' +
        'that one here.',
    );
  if (health.status !== 200 || typeof status !== 'string')
    return failed(
      'url',
      `${url}/health answers ${sayReply(health)}.`,
      'Check the address of the registry. A reverse proxy must pass on every path below it, including /health.',
    );
  if (status === 'ok') return ok('url', `${url} is reached`);
  return warning(
    'url',
    `${url} is reached; it is ${status}: packages ${String(tree)}, counters ${String(counters)}.`,
    'The log of the server has the reason.',
  );
}

function describeTransport(url: string): Finding[] {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return [];
  return [
    warning(
      'url.tls',
      'Tokens travel without encryption, and Composer refuses http:// unless secure-http is turned off.',
      'Give it a certificate (--tls-cert, --tls-key), or put a web server with TLS before it: ' +
        'docs/how-to/reverse-proxy.md has configurations.',
    ),
  ];
}

function describeClock({ headers, atMs }: Reply): Finding {
  const theirs = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(theirs)) return skipped('url.clock', 'The answer has no Date header.');
  return describeSkew('url.clock', theirs + 500 - atMs, 'the registry'); // plus half a second: dates have whole seconds
}

/** `aheadMs`: by how much the other clock is before ours. */
export function describeSkew(check: string, aheadMs: number, whose: string): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const message = `The clock of ${whose} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the one here`;
  const advice = 'Let chrony or systemd-timesyncd keep both right: sessions, expiry dates and limits go by them.';
  if (Math.abs(aheadMs) > failingSkewMs) return failed(check, `${message}.`, advice);
  return Math.abs(aheadMs) > warningSkewMs
    ? warning(check, `${message}.`, advice)
    : ok(check, `The clocks here and of ${whose} agree`);
}

function describeReady(reply: Reply): Finding {
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
      'It can serve installs, and nothing can be changed: its disk ' +
        `${storage === 'full' ? 'is full' : 'can only be read'}.`,
      storage === 'full' ? 'Free some space on its host.' : 'Look at the disk and how it is mounted, on its host.',
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
      `${sayReply(reply)}${details === undefined ? '' : ` ${JSON.stringify(details).slice(0, 300)}`}.`,
    'For tree "empty", publish with `libretto build`. Otherwise, the log of the server has the reason.',
  );
}

function describeAnonymous(reply: Reply): Finding {
  if (reply.status === 401 && reply.headers['www-authenticate'] !== undefined)
    return ok('url.unknown', 'Who has no token gets no packages');
  if (reply.status === 401)
    return warning(
      'url.unknown',
      'Who has no token is refused, but the WWW-Authenticate header is missing.',
      'Configure the reverse proxy to pass it on: clients need it to ask for credentials.',
    );
  if (reply.status === 200)
    return failed(
      'url.unknown',
      'packages.json is given to who has no token.',
      'The reverse proxy answers from a cache, or serves the folder itself. Configure it to pass on every ' +
        'request and to store nothing.',
    );
  return failed(
    'url.unknown',
    `Who has no token is answered ${sayReply(reply)}, not 401.`,
    'Configure the reverse proxy to pass on the answers of the registry.',
  );
}

function describeToken(root: Reply): Finding {
  const code = jsonOf(root.text)['code'];
  if (root.status === 200) return ok('url.token', 'The token is taken');
  if (code === 'AUTHENTICATION_REQUIRED')
    return failed(
      'url.token',
      'The Authorization header does not arrive.',
      'Let the front pass it on: Apache wants `CGIPassAuth On` or plain ProxyPass, and nothing before may use ' +
        'the header for a login of its own.',
    );
  if (code === 'INVALID_TOKEN')
    return failed(
      'url.token',
      'The token is not valid.',
      '`libretto token list` on the host shows which are; `libretto token create` makes one.',
    );
  if (root.status === 429)
    return failed(
      'url.token',
      `No more requests are left: ${sayReply(root)}.`,
      'Try again after the Retry-After of the answer, or with a token of its own for this.',
    );
  return failed(
    'url.token',
    `packages.json cannot be read with the token: ${sayReply(root)}.`,
    root.status === 401
      ? "Something before the registry asks for a login of its own. Turn it off for Composer's paths."
      : 'The log of the server has the request, if it came so far.',
  );
}
