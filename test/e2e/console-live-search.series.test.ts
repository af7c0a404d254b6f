// Tests the filters of lists and the search in the head in Chromium, against the shipped program: results follow the
// typing, keys move and open, and a failed refresh ends with words that say so.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse, type Browsing } from '../util/browser.ts';
import { startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const person = { email: 'ada@example.org', password: 'correct horse battery' };

describe.skipIf(lacks('chromium-headless-shell'))('the filters of a list', () => {
  const folder = temporaryFolder('console-live-search');
  let serving: RunningCli;
  let setupAddress = '';
  let browsing: Browsing;
  let page: Page;

  beforeAll(async () => {
    serving = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
    [setupAddress] = await serving.shows(/http:\/\/\S+\/ui\/setup\?code=\w+/);
    browsing = await browse(setupAddress);
    page = browsing.page;
    await page.getByLabel('Email').fill(person.email);
    for (const field of await page.locator('input[type=password]').all()) await field.fill(person.password);
    await page.getByRole('button', { name: 'Create the admin' }).click();
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  });
  afterAll(async () => {
    await browsing?.[Symbol.asyncDispose]();
    serving?.signal('SIGTERM');
    await serving?.ended;
    await folder.remove();
  });

  const open = (path: string) => page.goto(new URL(`/ui${path}`, setupAddress).href);

  it('the filters of the audit log change its list and its address, by the button too', async () => {
    await open('/audit');
    await page.getByLabel('Who').fill('nobody@example.org');
    await page.waitForURL(/[?]who=nobody/);
    await page.locator('#results tbody').waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: 'CSV' }).getAttribute('href')).toContain('who=nobody');
    await page.getByLabel('Who').fill('');
    await page.getByLabel('Action').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/[?]action=/);
    expect(browsing.complaints).toEqual([]);
  });

  it('without an answer of the server the list says that it is old, and asks again only when one types', async () => {
    await open('/audit');
    let asked = 0;
    await page.route('**/ui/audit?*', (route) => {
      asked += 1;
      return route.abort();
    });
    await page.getByLabel('Who').fill('ada');
    await page.getByText('This list is old').waitFor();
    await page.waitForTimeout(1000);
    expect(asked).toBe(1);
    await page.unroute('**/ui/audit?*');
    await page.getByLabel('Who').press('Enter');
    await page.waitForURL(/[?]who=ada/);
    await page.getByText('This list is old').waitFor({ state: 'detached' });
  });

  it('the search in the head finds while one types, by the keyboard alone, and forgives a typing error', async () => {
    await open('/audit/verify');
    const before = browsing.complaints.length;
    await page.keyboard.press('/');
    await page.keyboard.type('notificatons');
    const found = page.locator('.top-bar #found a');
    await found.first().waitFor();
    expect(await found.allInnerTexts()).toEqual([expect.stringMatching(/^Notifications/)]);
    await page.keyboard.press('ArrowDown');
    expect(await found.first().evaluate((link) => link === link.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    expect(await found.first().isVisible()).toBe(false);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ui/notifications');
    expect(browsing.complaints.slice(before)).toEqual([]);
  });

  it('after the end of the session Enter leads to the page for signing in', async () => {
    await open('/audit');
    await page.context().clearCookies();
    await page.getByLabel('Who').fill('ada');
    await page.getByText('This list is old').waitFor();
    await page.getByLabel('Who').press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
