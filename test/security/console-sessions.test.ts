// Tests what protects the sessions of browsers: cookies, the origin of posts, host names, the way of the connection,
// and the answers' headers. Over a socket.

import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../util/certificate.ts';
import { runConsole, type PageReply, type RunningConsole, type TestBrowser } from '../util/running-console.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const host = 'packages.example.org';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const behindHttps = { publicUrl: `https://${host}`, hosts: [host] };

/** Signs in a new viewer with these headers. */
async function signInVia(console: RunningConsole, headers: Readonly<Record<string, string>>): Promise<PageReply> {
  const { email, password } = await console.registry.signIn('viewer');
  return console.browser().post('/sign-in', { email, password }, headers);
}

describe('the cookies of a session', () => {
  it('are bound to the host and to HTTPS, behind the public address', async () => {
    await using console = await runConsole(behindHttps);
    const { status, cookies } = await signInVia(console, { host });
    expect(status).toBe(303);
    expect(cookies).toEqual([
      expect.stringMatching(/^__Host-libretto-session=eyJ[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(
        /^__Host-libretto-confirmed=eyJ[\w.-]+; Max-Age=300; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
  });

  it.each([false, true])('are bound to HTTPS with a certificate of the server itself, HTTP/2: %s', async (http2) => {
    await using folder = temporaryFolder('console-tls');
    const certificate = createAuthority(folder.path).issue('localhost');
    await using console = await runConsole({ certificate, http2 });
    const { browser, email } = await console.signIn('viewer');
    expect([...browser.cookies.keys()]).toEqual(['__Host-libretto-session', '__Host-libretto-confirmed']);
    expect((await browser.get('/account')).text).toContain(email);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await browser.post('/sign-out', {}, foreign)).status).toBe(403);
  });

  it('are bound to HTTPS when a trusted proxy says so, and only then', async () => {
    await using trusting = await runConsole({ hosts: [host], trustedProxies: ['127.0.0.1'] });
    const forwarded = { host, 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7' };
    expect((await signInVia(trusting, forwarded)).cookies[0]).toMatch(/^__Host-libretto-session=.*; Secure;/);
    await using other = await runConsole({ hosts: [host] });
    const refused = await signInVia(other, forwarded);
    expect([refused.status, refused.cookies]).toEqual([403, []]);
  });

  it('have the port in their names on this machine', async () => {
    await using console = await runConsole();
    const { cookies } = await signInVia(console, {});
    const { port } = console.registry.proxy;
    expect(cookies[0]).toMatch(new RegExp(`^libretto-session-${port}=eyJ[\\w.-]+; Path=/; HttpOnly; SameSite=Lax$`));
  });

  it('open no operation of the API', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    expect((await browser.get('/account')).status).toBe(200);
    for (const path of ['/api/auth/me', '/api/tokens', '/packages.json'])
      expect([path, (await browser.send('GET', path)).status]).toEqual([path, 401]);
    const write = await browser.send('POST', '/api/tokens', { 'content-type': 'application/json' }, '{}');
    expect(write.status).toBe(401);
  });

  it('of a proof are no session', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const [session, confirmed] = [...browser.cookies.keys()];
    browser.cookies.set(session ?? '', browser.cookies.get(confirmed ?? '') ?? '');
    expect((await browser.get('/account')).status).toBe(303);
  });
});

describe('a session that somebody else put into the browser', () => {
  it('is replaced at the sign-in, and learns nothing of it', async () => {
    await using console = await runConsole();
    const attacker = await console.signIn('viewer');
    const victim = await console.registry.signIn('admin');
    const browser = console.browser();
    for (const [name, value] of attacker.browser.cookies) browser.cookies.set(name, value);
    const planted = [...browser.cookies.values()];
    const { email, password } = victim;
    expect((await browser.post('/sign-in', { email, password })).status).toBe(303);
    for (const value of browser.cookies.values()) expect(planted).not.toContain(value);
    expect((await browser.get('/account')).text).toContain(email);
    expect((await attacker.browser.get('/account')).text).not.toContain(email);
  });

  it('is no session if the server did not make it', async () => {
    await using console = await runConsole();
    const browser = console.browser();
    browser.cookies.set(`libretto-session-${console.registry.proxy.port}`, 'chosen-by-the-attacker');
    expect((await browser.get('/account')).status).toBe(303);
  });
});

describe('a post', () => {
  const refused = async (browser: TestBrowser, headers: Readonly<Record<string, string>>): Promise<number> =>
    (await browser.send('POST', '/ui/sign-out', { ...form, ...headers }, '')).status;

  it('of another site, or without a word about its origin, is refused and does nothing', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const { origin } = console;
    const port = new URL(origin).port;
    const foreign: readonly Readonly<Record<string, string>>[] = [
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://localhost:${port}` },
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
    ];
    for (const headers of foreign) expect([headers, await refused(browser, headers)]).toEqual([headers, 403]);
    expect((await browser.get('/account')).status).toBe(200);
    expect(await refused(browser, { origin })).toBe(303);
  });

  it('that signs in is refused from another site, too', async () => {
    await using console = await runConsole();
    const { email, password } = await console.registry.signIn('viewer');
    const browser = console.browser();
    const reply = await browser.post('/sign-in', { email, password }, { 'sec-fetch-site': 'cross-site' });
    expect([reply.status, reply.cookies]).toEqual([403, []]);
    expect(reply.text).toMatch(/came from another site.*Nothing was done.*Open the page/);
  });

  it('in a type that no form of a page has is refused', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('viewer');
    for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x'])
      expect((await browser.post('/sign-out', {}, { 'content-type': type })).text).toContain('in a type that');
    expect((await browser.get('/account')).status).toBe(200);
  });
});

describe('a host name', () => {
  it('that the console does not know gets no page and no session', async () => {
    await using console = await runConsole(behindHttps);
    const { browser } = await console.signIn('admin');
    for (const name of ['evil.example', 'evil.example:8080', 'packages.example.org.evil.example'])
      expect([name, await statusFor(console, name, browser)]).toEqual([name, 400]);
    expect(await statusFor(console, host, browser)).toBe(303);
  });

  it('that is unknown takes no sign-in', async () => {
    await using console = await runConsole(behindHttps);
    const reply = await signInVia(console, { host: 'evil.example', origin: 'http://evil.example' });
    expect([reply.status, reply.cookies]).toEqual([400, []]);
  });
});

/** The status of the account page for a request with this Host header, which undici would not send. */
function statusFor({ registry }: RunningConsole, name: string, { cookies }: TestBrowser): Promise<number | undefined> {
  const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: registry.proxy.port,
      path: '/ui/account',
      headers: { host: name, cookie },
    };
    httpRequest(options, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('a plain connection of another machine', () => {
  const elsewhere: readonly Readonly<Record<string, string>>[] = [
    { 'x-forwarded-for': '192.0.2.7' },
    { 'x-forwarded-proto': 'http' },
    { host: '192.0.2.1:8080' },
    { host },
  ];

  it('gets the remedies instead of a form, and cannot sign in', async () => {
    await using console = await runConsole({ hosts: [host] });
    for (const headers of elsewhere) {
      const page = await console.browser().get('/sign-in', headers);
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('This connection is not encrypted')]);
      for (const remedy of ['--tls-cert', 'publicUrl', 'consoleAllowHttp', 'http://localhost'])
        expect(page.text).toContain(remedy);
      if (headers['host'] === '192.0.2.1:8080') expect(page.text).toContain('http://localhost:8080/ui/');
      expect(page.html).not.toContain('<input');
      const posted = await signInVia(console, { origin: `http://${headers['host'] ?? host}`, ...headers });
      expect([posted.status, posted.cookies]).toEqual([403, []]);
    }
  });

  it('signs in where a setting allows it for a trial', async () => {
    await using console = await runConsole({ hosts: [host], allowsPlainHttp: true });
    const { status, cookies } = await signInVia(console, { host });
    expect([status, cookies[0]]).toEqual([303, expect.stringMatching(/^libretto-session-80=/)]);
  });

  it('does not take the cookies of this machine for a session', async () => {
    await using console = await runConsole({ hosts: [host] });
    const { browser } = await console.signIn('admin');
    expect((await browser.get('/account', { 'x-forwarded-for': '192.0.2.7' })).status).toBe(403);
  });
});

describe('a link with the page for afterwards', () => {
  const foreign = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    '/\t/evil.example',
    '///evil.example',
    '/.//evil.example',
    '/account/../..//evil.example',
    '/packages/../../api/swagger',
    '/packages/%2e%2e/%2e%2e',
    '/%',
    'javascript:alert(1)',
    'http:evil.example',
    '/nowhere',
    '',
  ];

  it('leads to the overview unless it names a page of the console', async () => {
    await using console = await runConsole();
    const { email, password } = await console.registry.signIn('viewer');
    for (const next of foreign) {
      const reply = await console.browser().post(`/sign-in?${new URLSearchParams({ next })}`, { email, password });
      expect([next, reply.headers['location']]).toEqual([next, 'overview']);
    }
    const { browser } = await console.signIn('viewer');
    const signedIn = await browser.get('/sign-in?next=%2F%2Fevil.example');
    expect(signedIn.headers['location']).toBe('overview');
  });
});

it('texts of an address and of a form stay texts', async () => {
  await using console = await runConsole();
  const hostile = `"><script>alert(1)</script>`;
  const query = new URLSearchParams({ email: hostile, code: hostile, next: hostile, notice: hostile }).toString();
  const browser = console.browser();
  const fields = { email: hostile, name: hostile, password: hostile, code: hostile, proof: hostile };
  const { proof: _proof, ...first } = fields;
  const replies = [
    await browser.get(`/sign-in?${query}`),
    await browser.get(`/invitation?${query}`),
    await browser.get(`/setup?${query}`),
    await browser.post(`/sign-in?${query}`, fields),
    await browser.post(`/sign-in?${query}`, first),
    await browser.post('/setup', first),
    await browser.post('/invitation', first),
  ];
  for (const { html } of replies) expect(html).not.toContain('<script>alert');
});

it('every answer forbids frames, foreign sources and referrers, and no page is stored', async () => {
  await using console = await runConsole();
  const { browser } = await console.signIn('viewer');
  const replies = [
    await browser.get('/account'),
    await browser.get('/nowhere'),
    await browser.get('/forgotten'),
    await browser.get('/sign-in'),
    await browser.post('/sign-in', { email: 'nobody@example.org', password: 'not the password' }),
    await browser.post('/sign-out', {}, { 'sec-fetch-site': 'cross-site' }),
    await console.browser().get('/sign-in', { 'x-forwarded-for': '192.0.2.7' }),
  ];
  for (const { headers } of replies)
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'$/) as string,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    });
});
