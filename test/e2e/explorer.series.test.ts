// Tests the API explorer in a real browser: it loads under its strict policy, sends requests only to this service,
// performs its operations, keeps a login for its tab, and fits a phone.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browse, refusePrompts, type Browsing } from '../util/browser.ts';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { lacks } from '../util/tool.ts';

const root = new URL('../../', import.meta.url).pathname;

/** Paths of the operations that these tests use. */
const fewPaths = new Set([
  '/packages.json',
  '/api/tokens',
  '/api/artifacts',
  '/api/audit',
  '/api/auth/login',
  '/api/auth/logout',
  '/api/auth/me',
]);

describe.skipIf(lacks('chromium-headless-shell'))('the explorer in Chromium', () => {
  let registry: ManagedRegistry;
  let session: string;
  let readToken: string;

  beforeAll(async () => {
    registry = await startManagedRegistry({});
    expect((await registry.cli('build', `${root}packages-src`)).exitCode).toBe(0);
    session = registry.session;
    readToken = String(
      (await registry.api('POST', '/api/tokens', { description: 'browser', kind: 'read' })).json['token'],
    );
  });
  afterAll(() => registry[Symbol.asyncDispose]());

  /** The page then shows few operations: with all of them, each click takes seconds of processor time. */
  const describeFew = (page: Page): Promise<unknown> =>
    page.route('**/api/openapi.json', async (route) => {
      const response = await route.fetch({ url: `${registry.url()}/api/openapi.json` });
      const description = (await response.json()) as { readonly paths: Readonly<Record<string, object>> };
      const paths = Object.entries(description.paths).filter(([path]) => fewPaths.has(path));
      await route.fulfill({ response, json: { ...description, paths: Object.fromEntries(paths) } });
    });

  it('shows every operation without an error, loaded from this service alone', async () => {
    const described = (await registry.api('GET', '/api/openapi.json')).json['paths'] as Record<string, object>;
    const wanted = Object.values(described).flatMap((methods) => Object.keys(methods)).length;
    await using browsing = await browse(`${registry.url()}/api/swagger`);
    // with so many operations, Swagger UI has only those in the page that are near the visible ones
    const seen = new Set<string>();
    const look = async (): Promise<number> => {
      const ids = await browsing.page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id));
      for (const id of ids) seen.add(id);
      await browsing.page.mouse.wheel(0, 400);
      return seen.size;
    };
    await expect.poll(look, { timeout: 60_000 }).toBe(wanted);
    expect(browsing.complaints).toEqual([]);
    expect(browsing.requested.length).toBeGreaterThan(4);
    expect(
      browsing.requested.filter((url) => !url.startsWith(`${registry.url()}/`) && !url.startsWith('data:')),
    ).toEqual([]);
  });

  describe('one page', () => {
    let browsing: Browsing;
    let complaintsBefore: number;
    const complaints = (): readonly string[] => browsing.complaints.slice(complaintsBefore);
    const requestedElsewhere = (): readonly string[] =>
      browsing.requested.filter((url) => !url.startsWith(`${registry.url()}/`) && !url.startsWith('data:'));

    beforeAll(async () => {
      browsing = await browse(`${registry.url()}/api/swagger`, describeFew);
      await browsing.page.locator('#operations-Composer-getPackagesJson').waitFor();
    });
    beforeEach(() => {
      complaintsBefore = browsing.complaints.length;
    });
    afterAll(() => browsing[Symbol.asyncDispose]());

    it('fills in no parameter: a call sends what a person typed', async () => {
      const { page } = browsing;
      const block = page.locator('#operations-Tokens-listTokens');
      await block.locator('.opblock-summary-control').first().click();
      const inputs = block.locator('.parameters input');
      await inputs.first().waitFor();
      for (const input of await inputs.all()) expect(await input.inputValue()).toBe('');
      expect(await block.locator('.parameters').textContent()).toContain('Default: 50');
      await block.locator('button.execute').click();
      await block.locator('.live-responses-table').waitFor();
      expect(browsing.requested.at(-1)).toBe(`${registry.url()}/api/tokens`);
      await close(page, 'operations-Tokens-listTokens');
    });

    it('shows the error of a call without credentials', async () => {
      const answer = await execute(browsing.page, 'operations-Composer-getPackagesJson');
      expect([answer.status, (JSON.parse(answer.body) as Record<string, unknown>)['code']]).toEqual([
        '401',
        'AUTHENTICATION_REQUIRED',
      ]);
      await close(browsing.page, 'operations-Composer-getPackagesJson');
    });

    it('creates a token with a session, and the token then reads', async () => {
      await authorize(browsing.page, 'session', session);
      const answer = await execute(
        browsing.page,
        'operations-Tokens-createToken',
        JSON.stringify({ description: 'made in the explorer', kind: 'read' }),
      );
      expect(answer.status).toBe('201');
      const made = JSON.parse(answer.body) as Record<string, string>;
      expect(made).toMatchObject({ description: 'made in the explorer', kind: 'read', status: 'active' });
      expect((await registry.api('GET', '/packages.json', undefined, made['token'])).status).toBe(200);
      expect(complaints()).toEqual([]);
      expect(requestedElsewhere()).toEqual([]);
    });

    it('reads packages.json with an API token', async () => {
      await authorize(browsing.page, 'token', readToken);
      const answer = await execute(browsing.page, 'operations-Composer-getPackagesJson');
      expect(answer.status).toBe('200');
      expect(JSON.parse(answer.body)).toEqual((await registry.api('GET', '/packages.json', undefined, readToken)).json);
      expect(complaints()).toEqual([]);
    });

    it.each([
      ['a desktop', 1280, 900],
      ['a phone', 390, 844],
    ])('has Authorize at the top of %s, also after scrolling', async (_, width, height) => {
      const { page } = browsing;
      await page.setViewportSize({ width, height });
      expect(await page.locator('#explorer button').first().textContent()).toContain('Authorize');
      for (const top of [0, 100_000]) {
        await page.evaluate(`window.scrollTo(0, ${top})`);
        const box = await page.locator('.auth-wrapper button.authorize').boundingBox();
        expect(box?.y).toBeLessThan(40);
        expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      }
    });

    it('never scrolls sideways, also on a phone with everything unfolded', async () => {
      const { page } = browsing;
      const shown = ['Artifacts-createArtifact', 'Audit-listAuditEvents'];
      await page.getByText('About this API').click();
      for (const id of shown) {
        await page.locator(`#operations-${id} .opblock-summary-control`).first().click();
        await page.locator(`#operations-${id} .opblock-body table.responses-table`).waitFor();
      }
      await page.locator('#operations-Audit-listAuditEvents button.execute').click();
      await page.locator('#operations-Audit-listAuditEvents .live-responses-table').waitFor();
      await page.locator('section.models button').first().click();
      await page.locator('.model-container button').first().click();
      const wide = async (width: number): Promise<number> => {
        await page.setViewportSize({ width, height: 844 });
        return Number(await page.evaluate('document.documentElement.scrollWidth'));
      };
      expect([await wide(390), await wide(1280)]).toEqual([390, 1280]);
      await page.click('.auth-wrapper button.authorize');
      expect([await wide(390), await wide(1280)]).toEqual([390, 1280]);
      await page.locator('.dialog-ux .close-modal').click();
      for (const id of shown) await page.locator(`#operations-${id} .opblock-summary-control`).first().click();
      expect(complaints()).toEqual([]);
    });

    it('keeps the login for the tab, and forgets it at a logout', async () => {
      const { page } = browsing;
      await page.reload();
      await page.getByText('Logged in: session, token').waitFor();
      expect(await storedIn(page)).toEqual({ session: [expect.stringContaining(session)], local: 0, cookie: '' });
      await page.click('.auth-wrapper button.authorize');
      const logouts = page.locator('.auth-container button', { hasText: 'Logout' });
      await logouts.first().click();
      await logouts.first().click();
      await page.locator('.dialog-ux .close-modal').click();
      await page.getByText('Not logged in').waitFor();
      expect(await storedIn(page)).toEqual({ session: [], local: 0, cookie: '' });
    });

    it('is logged in and out by the operations that do so', async () => {
      const { page } = browsing;
      const body = { email: 'ada@example.org', password: 'correct horse battery staple' };
      const { status } = await execute(page, 'operations-Authentication-login', JSON.stringify(body));
      expect(status).toBe('200');
      await page.getByText('Logged in: session').waitFor();
      expect((await execute(page, 'operations-Authentication-getMe')).status).toBe('200');
      expect((await execute(page, 'operations-Authentication-logout')).status).toBe('200');
      await page.getByText('Not logged in').waitFor();
      expect(await storedIn(page)).toEqual({ session: [], local: 0, cookie: '' });
    });
  });

  it('never makes the browser ask for a password, although requests of a page on plain http carry no sign of a script', async () => {
    const url = new URL('/api/swagger', registry.url());
    url.hostname = 'registry.internal';
    const prompts: string[] = [];
    await using browsing = await browse(url.href, async (page) => {
      await describeFew(page);
      await refusePrompts(page, (address) => prompts.push(address));
    });
    await browsing.page.locator('#operations-Composer-getPackagesJson').waitFor();
    const answer = await execute(browsing.page, 'operations-Composer-getPackagesJson');
    expect([answer.status, browsing.requested.at(-1)]).toEqual(['401', new URL('/packages.json', url).href]);
    expect(prompts).toEqual([]);
  });

  it('removes an invitation from the address, and sets the password with it', async () => {
    const invited = (await registry.api('POST', '/api/users', { email: 'grace@example.org', role: 'viewer' })).json[
      'invitation'
    ] as Record<string, string>;
    await using browsing = await browse(`${registry.url()}/api/swagger#invitation=${invited['token']}`, describeFew);
    expect(browsing.page.url()).toBe(`${registry.url()}/api/swagger`);
    await browsing.page.fill('#invitation input[name=password]', 'short');
    await browsing.page.click('#invitation button');
    await browsing.page.locator('#invitation [role=status]', { hasText: /12/ }).waitFor();
    await browsing.page.fill('#invitation input[name=password]', 'a much longer password');
    await browsing.page.click('#invitation button');
    await browsing.page.locator('#invitation [role=status]', { hasText: 'Log in as grace@example.org' }).waitFor();
    expect(
      (
        await registry.api('POST', '/api/auth/login', {
          email: 'grace@example.org',
          password: 'a much longer password',
        })
      ).status,
    ).toBe(200);
    expect(registry.output()).toContain('/api/auth/invitations/accept');
    expect(registry.output()).not.toContain(invited['token']);
  });
});

interface Stored {
  readonly session: readonly string[];
  readonly local: number;
  readonly cookie: string;
}

/** The stored values of the tab, the number of values in localStorage, and the cookies. */
const storedIn = (page: Page): Promise<Stored> =>
  page.evaluate('({ session: Object.values(sessionStorage), local: localStorage.length, cookie: document.cookie })');

async function authorize(page: Page, scheme: string, value: string): Promise<void> {
  await page.click('.auth-wrapper button.authorize');
  const form = page
    .locator('.auth-container form')
    .filter({ has: page.locator('h4', { hasText: new RegExp(`^${scheme}\\s*\\(`) }) });
  await form.locator('input').first().fill(value);
  await form.locator('button.authorize').click();
  await form.locator('button', { hasText: 'Logout' }).waitFor();
  await page.locator('.dialog-ux .close-modal').click();
}

/** Opens an operation, sends it, and reads the answer from the page. */
async function execute(
  page: Page,
  id: string,
  body?: string,
): Promise<{ readonly status: string; readonly body: string }> {
  const block = page.locator(`#${id}`);
  await block.locator('.opblock-summary-control').first().click();
  if (body !== undefined) await block.locator('textarea.body-param__text').fill(body);
  await block.locator('button.execute').click();
  const live = block.locator('.live-responses-table');
  await live.waitFor();
  return {
    status: ((await live.locator('tr.response .response-col_status').first().textContent()) ?? '').trim().slice(0, 3),
    body: (await live.locator('tr.response .response-col_description pre').first().textContent()) ?? '',
  };
}

/** Clears the answer of an operation, and closes the operation. */
async function close(page: Page, id: string): Promise<void> {
  const block = page.locator(`#${id}`);
  await block.locator('button.btn-clear').click();
  await block.locator('.live-responses-table').waitFor({ state: 'detached' });
  await block.locator('.opblock-summary-control').first().click();
}
