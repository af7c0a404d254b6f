// Tests the pages about tokens over a socket, without JavaScript: what each role sees and may do, the builder of limits
// and its preview, the secret that is shown once, and the end of a token.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HandMadeTree, zipBytes } from '../../util/hand-made-tree.ts';
import { runConsole, type PageReply, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

const start = Date.parse('2026-11-23T09:00:00Z');
const minute = 60_000;
let nowMs = start;
let console: RunningConsole;
let admin: TestBrowser;
let password = '';

beforeAll(async () => {
  console = await runConsole({ now: () => nowMs });
  const tree = new HandMadeTree(console.registry.data);
  const version = (text: string) => ({
    version: text,
    normalized: `${text}.0`,
    zip: zipBytes(text),
    time: '2026-03-01T00:00:00Z',
  });
  tree.put('acme/core', [version('3.0.0'), version('2.0.0')]);
  for (const name of ['acme/log', 'acme/mail', 'tools/cli']) tree.put(name, [version('1.0.0')]);
  tree.publish();
});
beforeEach(async () => {
  nowMs += 10 * minute;
  ({ browser: admin, password } = await console.signIn('admin'));
});
afterAll(() => console[Symbol.asyncDispose]());

const idIn = ({ html }: PageReply): string => /name="id" value="(tok_\w{16})"/.exec(html)?.[1] ?? '';
const secretIn = ({ html }: PageReply): string | undefined => /lib_[rw]_\w+/.exec(html)?.[0];
const pathOf = ({ headers }: PageReply): string => `/tokens/${/tok_\w{16}/.exec(String(headers['location']))?.[0]}`;
const standard = { description: 'CI of the shop', kind: 'read', expires: '90d' };
/** Sends the form for a new token, as a browser has it. */
const create = async (fields: Readonly<Record<string, string>> = {}, browser = admin): Promise<PageReply> =>
  browser.post('/tokens/new', { ...standard, id: idIn(await browser.get('/tokens/new')), ...fields });
/** Makes a token, and returns its id and its secret. */
const made = async (fields: Readonly<Record<string, string>> = {}, browser = admin) => {
  const id = idIn(await browser.get('/tokens/new'));
  const reply = await create({ ...fields, id }, browser);
  return { id, secret: secretIn(reply) ?? expect.fail(reply.text) };
};
/** The status of Composer's first request with this token. */
const opens = async (token: string): Promise<number> =>
  (await console.registry.call('GET', '/packages.json', { as: token })).status;

describe('who sees the pages', () => {
  it('a maintainer sees and changes only the own tokens', async () => {
    const { browser } = await console.signIn('maintainer');
    const { id } = await made({ description: 'of the admin' });
    const own = await made({ description: 'of the maintainer' }, browser);
    expect((await browser.get('/tokens')).text).toMatch(/^(?!.*of the admin).*of the maintainer/s);
    expect((await browser.get(`/tokens/${own.id}`)).status).toBe(200);
    for (const page of ['', '/edit', '/rotate', '/revoke']) {
      const paths = [id, 'tok_0123456789abcdef'].map((token) => `/tokens/${token}${page}`);
      const gets = paths.map((path) => browser.get(path));
      const posts = page === '' ? [] : paths.map((path) => browser.post(path, standard));
      const seen = (await Promise.all([...gets, ...posts])).map(({ status, text }) => `${status} ${text}`);
      expect(new Set(seen)).toEqual(new Set([expect.stringMatching(/^404 .*Token not found/s)]));
    }
  });

  it('a maintainer gets the reason beside the field for more requests than the default', async () => {
    const { browser } = await console.signIn('maintainer');
    const reply = await create({ rate_limit: '1001', description: 'kept' }, browser);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('Only an admin may give a token more than 1000 requests an hour.');
    expect(reply.html).toContain('value="kept"');
    expect((await create({ rate_limit: '1000' }, browser)).status).toBe(200);
  });
});

describe('the list', () => {
  it('says without a token what to do next', async () => {
    const { browser } = await console.signIn('maintainer');
    const { text, html } = await browser.get('/tokens');
    expect(text).toContain('No token yet');
    expect(html).toContain('href="tokens/new"');
  });

  it('has words, kinds and states as filters, and hides tokens that ended unless asked for', async () => {
    const { browser, email, password: own } = await console.signIn('maintainer');
    for (const fields of [
      { description: 'laptop' },
      { description: 'release', kind: 'write', packages: 'acme/*', expires: 'never' },
      { description: 'trial', expires: '30d' },
    ]) {
      await made(fields, browser);
      nowMs += 1000;
    }
    const gone = await made({ description: 'phone' }, browser);
    await browser.post(`/tokens/${gone.id}/revoke`, {});
    nowMs += 31 * 24 * 60 * minute;
    await browser.post('/sign-in', { email, password: own });
    const found = async (query: string): Promise<unknown> => {
      const { html } = await browser.get(`/tokens${query}`);
      return [...html.matchAll(/class="main-link">(\w+)</g)].map(([, name]) => name);
    };
    expect(await found('')).toEqual(['release', 'laptop']);
    expect(await found('?state=revoked')).toEqual(['phone']);
    expect(await found('?state=any')).toEqual(['phone', 'trial', 'release', 'laptop']);
    expect(await found('?state=expired')).toEqual(['trial']);
    expect(await found('?kind=write')).toEqual(['release']);
    expect(await found('?q=acme')).toEqual(['release']);
    expect((await browser.get('/tokens?q=nothing')).text).toContain('No token fits');
  });
});

describe('the builder of limits', () => {
  const preview = async (fields: Readonly<Record<string, string>>): Promise<PageReply> =>
    admin.post('/tokens/new/preview', { ...standard, ...fields });

  it('shows what the token will see, and makes no token', async () => {
    const before = (await console.registry.services.tokensOf('cli:test').list()).length;
    expect((await admin.get('/tokens/new')).text).toContain('Sees 4 of 4 packages');
    const filled = await admin.get('/tokens/new?for=customer');
    expect(filled.text).toContain('stability stable');
    expect(filled.text).not.toContain('Without a row it sees all packages');
    const nameless = await create({ for: 'customer' });
    expect([nameless.status, nameless.text]).toEqual([400, expect.stringContaining('Name the packages of the cust')]);
    expect(filled.html).toContain('<option value="365d" selected');
    const named = filled.html.match(/<datalist id="names">.*?<\/datalist>/s)?.[0] ?? '';
    for (const name of ['acme/*', 'acme/core', 'tools/cli']) expect(named).toContain(`value="${name}"`);
    const { status, text } = await preview({
      packages: 'acme/*',
      rule_packages: 'acme/core',
      rule_versions: '<3.0',
      rate_limit: '122',
    });
    expect([status, text]).toEqual([200, expect.stringContaining('Sees 3 of 4 packages')]);
    expect(text).toContain('acme/core 1 of 2 versions');
    expect(text).toContain('1 package is hidden.');
    expect(text).toContain('122 requests an hour allow 2 runs of composer install');
    expect((await preview({ not_after: '2026-02-01' })).text).toContain('Sees 0 of 4 packages');
    expect(await console.registry.services.tokensOf('cli:test').list()).toHaveLength(before);
  });

  it('shows the first twenty names, and counts the others', async () => {
    await using other = await runConsole({ now: () => nowMs });
    const tree = new HandMadeTree(other.registry.data);
    for (let number = 10; number < 33; number += 1)
      tree.put(`acme/p${number}`, [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') }]);
    tree.publish();
    const { browser } = await other.signIn('admin');
    const { text } = await browser.get('/tokens/new');
    expect([text.includes('acme/p29'), text.includes('acme/p30')]).toEqual([true, false]);
    expect(text).toContain('3 more are seen. No package is hidden.');
  });

  it('says instead of a preview what is wrong', async () => {
    expect((await preview({ packages: 'acme' })).text).toMatch(/No preview yet "acme" is not a pattern/);
    expect((await preview({ packages: 'acme/*', rule_packages: 'acmee/x', rule_versions: '^1' })).text).toContain(
      'None of the packages of the token matches acmee/x',
    );
  });

  it('adds a row for a package without JavaScript, and keeps what was typed', async () => {
    const rows = ({ html }: PageReply): number =>
      html.split('<template')[0]?.match(/name="rule_packages"/g)?.length ?? 0;
    expect(rows(await admin.get('/tokens/new'))).toBe(1);
    const typed = { description: 'Contoso', packages: 'acme/*', rule_packages: 'acme/core', rule_versions: '^2' };
    const shown = await preview({ ...typed, id: 'tok_0123456789abcdef', add: 'rule' });
    expect(rows(shown)).toBe(2);
    for (const text of ['value="Contoso"', '>acme/*</textarea>', 'value="acme/core"', 'value="^2"'])
      expect(shown.html).toContain(text);
    expect(idIn(shown)).toBe('tok_0123456789abcdef');
  });

  it('shows a refused form again, with each fault beside its field', async () => {
    const reply = await create({
      description: ' ',
      rate_limit: 'many',
      expires: 'date',
      expires_on: '2020-01-01',
      packages: 'acme/*\nnonsense',
      rule_packages: 'acme/core',
      rule_versions: 'much',
      networks: '10.0.0.0/99',
    });
    expect([reply.status, secretIn(reply)]).toEqual([400, undefined]);
    const faults = [...reply.html.matchAll(/class="fault" id="([\w-]+)-fault"/g)].map(([, field]) => field);
    expect(faults).toEqual(['description', 'expires_on', 'rule-0', 'networks', 'rate_limit', 'packages']);
    expect(reply.html).toContain('acme/*\nnonsense</textarea>');
    const both = await create({ rule_packages: 'tools', rule_versions: 'much' });
    expect(both.html).toMatch(/id="rule-0-fault">.*is not a pattern of package names.*The constraint cannot be used/);
    const printed = await preview({ rule_packages: 'acme/core:^2', rule_versions: '' });
    expect(printed.text).toContain('Sees 1 of 4 packages');
    expect(printed.html).toMatch(/value="acme\/core"[^]*value="\^2"/);
  });

  it('takes a day only with the choice “on a day”', async () => {
    const expiryOf = async (id: string): Promise<string | undefined> => {
      const { html } = await admin.get(`/tokens/${id}/edit`);
      return /as now: on (\S+)/.exec(html)?.[1];
    };
    const { id } = await made({ expires: 'date', expires_on: '2027-01-31' });
    expect(await expiryOf(id)).toBe('2027-01-31');
    const { description } = standard;
    await admin.post(`/tokens/${id}/edit`, { description, expires: 'keep', expires_on: '2027-02-05' });
    expect(await expiryOf(id)).toBe('2027-01-31');
    const endless = await made({ expires: 'never', expires_on: '2027-02-06' });
    expect(await expiryOf(endless.id)).toBeUndefined();
  });

  it('refuses two rules about one package, because one of them would be lost', async () => {
    const body = new URLSearchParams(standard);
    for (const versions of ['^1', '^2']) {
      body.append('rule_packages', 'a/b');
      body.append('rule_versions', versions);
    }
    const { text } = await admin.send(
      'POST',
      '/ui/tokens/new/preview',
      { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body.toString(),
    );
    expect(text).toContain('Two rules are about a/b.');
  });

  it('needs no password for a preview, and one for a token', async () => {
    nowMs += 6 * minute;
    expect((await preview({})).status).toBe(200);
    const refused = await create();
    expect([refused.status, secretIn(refused)]).toEqual([400, undefined]);
    expect(refused.text).toContain('Enter your password');
    expect(secretIn(await create({ current_password: password }))).toMatch(/^lib_r_/);
  });
});

describe('the secret', () => {
  it('is shown once, with lines for Composer, and never stored by the browser', async () => {
    const reply = await create({ description: 'one', kind: 'write' });
    const secret = secretIn(reply) ?? '';
    const host = new URL(console.origin).host;
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.text).toContain(`composer config -n repositories.libretto composer ${console.origin}`);
    expect(reply.text).toContain(`composer config -n --auth bearer.${host} ${secret}`);
    expect(reply.text).toContain(`{"bearer":{"${host}":"${secret}"}}`);
    expect(reply.text).toContain(`export COMPOSER_AUTH='{"bearer":{"${host}":"${secret}"}}'`);
    expect(reply.text).toContain(`LIBRETTO_TOKEN=${secret} libretto publish . --url ${console.origin}`);
    for (const system of ['GitHub Actions', 'GitLab CI', 'Bitbucket Pipelines']) expect(reply.text).toContain(system);
    expect(await opens(secret)).toBe(200);
  });

  it('comes with the only token of its form: a repeated post makes no second one, and shows nothing', async () => {
    const fields = { ...standard, id: idIn(await admin.get('/tokens/new')), description: 'made once' };
    expect(secretIn(await admin.post('/tokens/new', fields))).toBeDefined();
    const again = await admin.post('/tokens/new', fields);
    expect([again.status, secretIn(again)]).toEqual([303, undefined]);
    const page = await admin.get(`${pathOf(again)}?notice=made`);
    expect(page.text).toContain('This form has made this token already.');
    expect(secretIn(page)).toBeUndefined();
    const all = await console.registry.services.tokensOf('cli:test').list();
    expect(all.filter(({ description }) => description === 'made once')).toHaveLength(1);
  });

  it('of a limited token opens what the preview showed', async () => {
    const { secret } = await made({ packages: 'tools/*', rate_limit: '7' });
    const root = await console.registry.call('GET', '/packages.json', { as: secret });
    expect([root.json()['available-packages'], root.headers['x-ratelimit-limit']]).toEqual([['tools/cli'], '7']);
  });
});

describe('the page of a token', () => {
  it('has its facts, its use and what it sees', async () => {
    const { id, secret } = await made({
      description: 'used',
      packages: 'acme/*',
      stability: 'stable',
      expires: 'never',
    });
    await opens(secret);
    const { text } = await admin.get(`/tokens/${id}`);
    for (const words of ['used', id, 'just now from 127.0.0.1', '1 of 1 000 requests', 'Expires never', 'by you'])
      expect(text).toContain(words);
    expect(text).toContain('Sees 3 of 4 packages');
    expect(text).toContain('packages acme/* stability stable');
    const ended = await made({ not_after: '2026-10-31' });
    expect((await admin.get(`/tokens/${ended.id}`)).text).toContain('released until 2026-10-31 ');
    expect(secretIn(await admin.get(`/tokens/${id}`))).toBeUndefined();
  });

  it('names other authors: a person by email, the command line by its user', async () => {
    const { browser, email } = await console.signIn('maintainer');
    const { id } = await made({}, browser);
    expect((await admin.get(`/tokens/${id}`)).text).toContain(`by ${email}`);
    const { record } = await console.registry.services
      .tokensOf('cli:root')
      .create({ description: 'by hand', kind: 'read' });
    expect((await admin.get(`/tokens/${record.id}`)).text).toContain('by root (command line)');
  });

  it('explains why a package or a version is not seen', async () => {
    const { id } = await made({ rule_packages: 'acme/core', rule_versions: '<3.0', packages: 'acme/*' });
    const explained = async (query: string): Promise<string> => (await admin.get(`/tokens/${id}?${query}`)).text;
    expect(await explained('package=acme/core')).toContain('The token sees acme/core.');
    expect(await explained('package=acme/core&version=3.0.0')).toContain(
      'The token does not see acme/core 3.0.0: its constraints leave it out: acme/core: <3.0.',
    );
    expect(await explained('package=tools/cli')).toContain('none of its packages matches: acme/*.');
    expect(await explained('package=no%20name')).toContain('"no name" is not the name of a package');
  });

  it('keeps markup of a description as text', async () => {
    const { id } = await made({ description: '<img src=x onerror=alert(1)>' });
    for (const path of ['/tokens', `/tokens/${id}`, `/tokens/${id}/edit`, `/tokens/${id}/revoke`])
      expect((await admin.get(path)).html).not.toContain('<img');
  });
});

describe('changing a token', () => {
  it('saves what was changed, records only that, and keeps the secret', async () => {
    const { id, secret } = await made({ packages: 'acme/*', rule_packages: 'acme/core', rule_versions: '^2' });
    const shown = await admin.get(`/tokens/${id}/edit`);
    for (const text of ['value="CI of the shop"', '>acme/*</textarea>', 'value="acme/core"', 'value="^2"'])
      expect(shown.html).toContain(text);
    const listed = await made({ packages: 'acme/*\ntools/cli' });
    expect((await admin.get(`/tokens/${listed.id}/edit`)).html).toMatch(/value="acme\/\*"[^]*value="tools\/cli"/);
    const fields = { description: 'CI of the shop', expires: 'keep', rule_packages: 'acme/core', rule_versions: '^2' };
    const same = await admin.post(`/tokens/${id}/edit`, { ...fields, packages: 'acme/*' });
    expect(same.headers['location']).toContain('notice=same');
    const saved = await admin.post(`/tokens/${id}/edit`, { ...fields, packages: 'acme/core', rate_limit: '50' });
    expect(saved.headers['location']).toContain('notice=saved');
    const { token } = await console.signIn('admin');
    const audit = await console.registry.call('GET', '/api/audit?action=token.update', { as: token });
    const { data } = audit.json() as { readonly data: readonly { subject: string; details: object }[] };
    expect(data.filter(({ subject }) => subject === id).map(({ details }) => details)).toEqual([
      { packages: ['acme/core'], limit: 50 },
    ]);
    expect(await opens(secret)).toBe(200);
  });

  it('previews the changes', async () => {
    const { id } = await made({ packages: 'acme/*' });
    const { text } = await admin.post(`/tokens/${id}/edit/preview`, { description: 'x', packages: 'tools/*' });
    expect(text).toContain('Sees 1 of 4 packages');
  });
});

describe('a new secret', () => {
  const mark = ({ html }: PageReply): string => /name="secret" value="([\w-]+)"/.exec(html)?.[1] ?? '';

  it('is shown once, and the former one works on as chosen', async () => {
    const { id, secret } = await made();
    const asked = await admin.get(`/tokens/${id}/rotate`);
    expect(asked.text).toContain('Rotate CI of the shop?');
    const reply = await admin.post(`/tokens/${id}/rotate`, { secret: mark(asked), grace_seconds: '3600' });
    const next = secretIn(reply) ?? '';
    expect(reply.text).toContain('The former one works on for an hour.');
    expect([await opens(secret), await opens(next)]).toEqual([200, 200]);
    nowMs += 61 * minute;
    expect([await opens(secret), await opens(next)]).toEqual([401, 200]);
  });

  it('is not replaced when its form is sent again', async () => {
    const { id } = await made();
    const fields = { secret: mark(await admin.get(`/tokens/${id}/rotate`)), grace_seconds: '0' };
    const next = secretIn(await admin.post(`/tokens/${id}/rotate`, fields)) ?? '';
    const again = await admin.post(`/tokens/${id}/rotate`, fields);
    expect([again.status, again.headers['location'], secretIn(again)]).toEqual([
      303,
      expect.stringContaining('notice=overtaken'),
      undefined,
    ]);
    expect(await opens(next)).toBe(200);
  });

  it('needs the password', async () => {
    const { id, secret } = await made();
    const fields = { secret: mark(await admin.get(`/tokens/${id}/rotate`)), grace_seconds: '0' };
    nowMs += 6 * minute;
    expect((await admin.post(`/tokens/${id}/rotate`, fields)).status).toBe(400);
    expect(await opens(secret)).toBe(200);
  });
});

describe('revoking', () => {
  it('names the token and its last use, needs the password, and ends it', async () => {
    const { id, secret } = await made({ description: 'lost laptop' });
    await opens(secret);
    nowMs += 6 * minute;
    const asked = await admin.get(`/tokens/${id}/revoke`);
    expect(asked.text).toContain('Revoke lost laptop?');
    expect(asked.text).toContain('It was last used 6 minutes ago , from 127.0.0.1');
    expect((await admin.post(`/tokens/${id}/revoke`, { current_password: 'wrong' })).status).toBe(400);
    expect(await opens(secret)).toBe(200);
    const done = await admin.post(`/tokens/${id}/revoke`, { current_password: password });
    expect([done.status, done.headers['location']]).toEqual([303, expect.stringContaining('notice=revoked')]);
    expect(await opens(secret)).toBe(401);
    const { text } = await admin.get(`/tokens/${id}`);
    expect(text).toContain('The token is revoked.');
    for (const action of ['Edit', 'Rotate']) expect(text).not.toContain(action);
  });
});
