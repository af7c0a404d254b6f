// Tests that a person of a team sees only the packages of the team: on every page of the console, in every answer of
// the API, and as a client with a personal token. Leaving the team takes it away with the next request, and removing
// the last team gives nothing back. `npm test` looks at the pages as one person, and asks the API with two tokens.

import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiDescription } from '../../../release/documents/api-description.ts';
import { people, startFilledRegistry, type FilledRegistry } from '../../util/filled-registry.ts';
import { rememberSecrets } from '../../util/leaks.ts';
import { exampleOf } from '../../util/page-examples.ts';
import { createBrowser, runConsole, type TestBrowser } from '../../util/running-console.ts';
import { firstOf } from '../../util/series.ts';

/** What tells of packages that the team does not see: all but acme/core. */
const hidden = /billing|acme\/(?:shop|old|long|uploaded|tool|a-package)|Invoices|other\/library|somebody else/i;

const agent = new Agent();
let filled: FilledRegistry;
let team = '';
const joan = { browser: undefined as unknown as TestBrowser, session: '', token: '', id: '' };
const grace = { browser: undefined as unknown as TestBrowser, session: '', token: '', id: '' };

const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
  const { status, json } = await filled.registry.api(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
  return json;
};

/** An answer to a client with this bearer. */
async function ask(path: string, bearer: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: `Bearer ${bearer}` };
  const answer = await agent.request({ origin: filled.registry.url(), path, method: 'GET', headers });
  return { status: answer.statusCode, text: await answer.body.text() };
}

async function form(path: string, fields: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(fields).toString();
  const answer = await agent.request({ origin: filled.registry.url(), path, method: 'POST', headers, body });
  return (await answer.body.json()) as Record<string, string>;
}

/** The person signs in to the console and to the API, and approves a terminal. */
async function arrive(person: typeof joan, credentials: { readonly email: string; readonly password: string }) {
  person.browser = createBrowser(agent, filled.registry.url());
  expect((await person.browser.post('/sign-in', credentials)).status).toBe(303);
  person.session = String((await call('POST', '/api/auth/login', credentials))['token']);
  person.id = (JSON.parse((await ask('/api/auth/me', person.session)).text) as { id: string }).id;
  const client = { client_id: 'libretto-cli' };
  const { user_code: code = '', device_code = '' } = await form('/api/oauth/device_authorization', client);
  rememberSecrets({ device_code });
  const approved = await person.browser.post('/device/approve', { code, current_password: credentials.password });
  expect(approved.text).toContain('The terminal is approved');
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code, ...client };
  const { access_token = '', rights } = await form('/api/oauth/token', grant);
  expect(rights).toMatch(/^It can read the packages of your teams\. It cannot change/);
  person.token = access_token;
  rememberSecrets({ token: person.token });
}

beforeAll(async () => {
  filled = await startFilledRegistry();
  const members = [people.viewer.email, people.maintainer.email];
  team = String((await call('POST', '/api/teams', { name: 'Core', packages: ['acme/core'], members }))['id']);
  await call('DELETE', `/api/teams/${filled.ids.team}`);
  await arrive(joan, people.viewer);
  await arrive(grace, people.maintainer);
});
afterAll(async () => {
  await agent.close();
  await filled[Symbol.asyncDispose]();
});

/** The hidden words of an answer, without those that the question has. */
function leaksIn(question: string, text: string): readonly string[] {
  const words = text.match(new RegExp(hidden, 'gi')) ?? [];
  return words.filter((word) => !decodeURIComponent(question).toLowerCase().includes(word.toLowerCase()));
}

/** The GET requests of the API document, about acme/core and about a package outside the team. */
function questions(): readonly string[] {
  const { ids } = filled;
  const values: Readonly<Record<string, string>> = {
    '{job}': ids.job,
    '{version}': '2.4.0',
    '{delivery}': 'dlv_0000000000000000',
    '{vendor}': 'acme',
    '{file}': 'x.zip',
    '{key}': 'people.packages',
    '{serial}': '1',
    '{user}': joan.id,
  };
  const idBehind = (path: string): string =>
    Object.entries({ repositories: ids.repository, tokens: ids.token, users: ids.person, connections: ids.connection })
      .concat([
        ['artifacts', ids.artifact],
        ['notifications', ids.endpoint],
        ['publishers', ids.publisher],
      ])
      .find(([part]) => path.includes(`/${part}/`))?.[1] ?? team;
  return Object.entries(apiDescription().paths)
    .filter(([path, methods]) => methods['get'] !== undefined && path !== '/api/openapi.json')
    .flatMap(([path]) =>
      ['core', 'billing'].map((name) =>
        path.replaceAll(/\{\w+\}/g, (part) => (part === '{id}' ? idBehind(path) : (values[part] ?? name))),
      ),
    )
    .filter((path, at, all) => all.indexOf(path) === at);
}

describe('a person of a team', () => {
  it('sees the packages of the team, and nothing of others, on every page of the console', async () => {
    await using console = await runConsole();
    for (const { browser } of firstOf([joan, grace], 1)) {
      const seen = await browser.get('/packages');
      expect(seen.text).toContain('acme/core');
      for (const { path, operation } of console.definitions) {
        const address = exampleOf(path, filled.ids);
        const { status, html } = await browser.get(address);
        expect([path, operation, leaksIn(address, html)]).toEqual([path, operation, []]);
        expect([path, status < 500]).toEqual([path, true]);
      }
      for (const path of ['/packages/acme/core', '/packages?q=core', '/account', '/device', '/account/passkeys/new'])
        expect([path, (await browser.get(path)).status]).toEqual([path, 200]);
      const ofMirrored = ['files', 'raw?path=src/A.php', 'compare?file=src/A.php'].map(
        (page) => `/packages/other/library/${page}`,
      );
      const inside = ['/packages/acme/billing/files', '/packages/acme/billing/raw?path=composer.json', ...ofMirrored];
      for (const path of ['/packages/acme/billing', '/packages/other/library', '/packages/acme/nothing', ...inside])
        expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
    }
  });

  it('hears nothing of others from the API, with a session and with a personal token', async () => {
    for (const bearer of firstOf([joan.token, grace.session, joan.session, grace.token], 2)) {
      expect((await ask('/api/packages', bearer)).text).toContain('acme/core');
      for (const path of questions()) {
        const { status, text } = await ask(path, bearer);
        expect([path, leaksIn(path, text), status < 500]).toEqual([path, [], true]);
      }
    }
  });

  it('installs and searches with a personal token what the team sees', async () => {
    const core = await ask('/p2/acme/core.json', joan.token);
    expect([core.status, core.text.includes('1.2.0')]).toEqual([200, true]);
    expect((await ask('/api/packages/acme/billing', filled.registry.session)).status).toBe(200);
    for (const path of ['/p2/acme/billing.json', '/p2/acme/billing~dev.json', '/p2/other/library.json'])
      expect([path, (await ask(path, joan.token)).status]).toEqual([path, 404]);
    for (const path of [
      '/packages.json',
      '/search.json?q=',
      '/search.json?q=billing',
      '/list.json',
      '/list.json?vendor=acme',
      '/providers/acme/core.json',
      '/feeds/releases.atom',
      '/security-advisories?packages[]=acme/shop',
    ]) {
      const { status, text } = await ask(path, joan.token);
      expect([path, leaksIn(path, text), status < 500]).toEqual([path, [], true]);
    }
  });

  it('has a terminal whose page shows an admin the person and what the token sees', async () => {
    const admin = createBrowser(agent, filled.registry.url());
    await admin.post('/sign-in', people.admin);
    const { data } = JSON.parse((await ask('/api/auth/tokens', joan.token)).text) as {
      data: readonly { id: string }[];
    };
    const path = `/tokens/${data[0]?.id ?? 'none'}`;
    const page = await admin.get(path);
    expect(page.text).toMatch(/Sees 1 of \d+ packages/);
    expect(page.html).toContain(`people/${joan.id}`);
    expect((await admin.get('/tokens')).text).toContain('what its person sees');
    expect((await admin.get(`${path}?package=acme/billing`)).status).toBe(200);
    const { status } = await filled.registry.api('GET', `/api${path}/explain?package=acme/core`);
    expect(status).toBe(400);
  });

  it('can end the own token, and nothing else that needs a session', async () => {
    const own = JSON.parse((await ask('/api/auth/tokens', joan.token)).text) as { readonly data: readonly object[] };
    expect(own.data).toHaveLength(1);
    const { status } = await filled.registry.api('PATCH', '/api/auth/passkeys/pk_0000000000000000', {}, joan.token);
    expect(status).toBe(403);
  });

  it('loses all with the next request after leaving, and nothing widens with the last team', async () => {
    const path = `/api/teams/${team}/members/${joan.id}`;
    await call('DELETE', path);
    const nothing = async ({ browser, session, token }: typeof joan) => {
      expect((await browser.get('/packages/acme/core')).status).toBe(404);
      const list = (await browser.get('/packages')).text;
      expect(list).not.toContain('acme/core');
      expect(list).toContain('You are in no team, and people see the packages of their teams here. Ask an admin');
      for (const bearer of [session, token]) {
        expect((await ask('/api/packages/acme/core', bearer)).status).toBe(404);
        expect((await ask('/api/packages', bearer)).text).not.toContain('acme/core');
      }
      expect((await ask('/p2/acme/core.json', token)).status).toBe(404);
      expect((await ask('/search.json?q=core', token)).text).not.toContain('acme/core');
    };
    await nothing(joan);
    expect((await ask('/p2/acme/core.json', grace.token)).status).toBe(200);
    await call('DELETE', `/api/teams/${team}`);
    await nothing(joan);
    await nothing(grace);
    const shared = await call('POST', '/api/teams', { name: 'All', packages: ['*'], members: [people.viewer.email] });
    expect((await ask('/p2/acme/billing.json', joan.token)).status).toBe(200);
    await call('PATCH', `/api/teams/${String(shared['id'])}`, { packages: ['acme/old'] });
    expect((await ask('/p2/acme/billing.json', joan.token)).status).toBe(404);
    expect((await joan.browser.get('/packages/acme/billing')).status).toBe(404);
  });
});
