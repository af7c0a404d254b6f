// Tests every page of the console, on the shipped server with something on every page: accessible, as wide as the window,
// without anything from elsewhere, and small. `npm test` shows one page of each kind in Chromium, in turn light or dark,
// narrow or wide, and asks for the others without a browser. `npm run fault` shows each page in every way
// (CONSOLE_WAYS=all): as every role that may open it, and without JavaScript, where the check of accessibility cannot
// run.

import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAssetFiles, readCatalogueAssets } from '../../proxy/console/assets/assets.ts';
import { decidePermission, type roles } from '../../proxy/auth/permissions.ts';
import { openPage } from '../util/browser.ts';
import { people, startFilledRegistry, type FilledRegistry } from '../util/filled-registry.ts';
import { exampleOf } from '../util/page-examples.ts';
import { answerFaults, faultsOf, sidewaysFaults } from '../util/page-fault.ts';
import { runConsole } from '../util/running-console.ts';
import { itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';

type Who = (typeof roles)[number] | 'nobody';

interface Way {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly javaScriptEnabled: boolean;
}

const ways: readonly Way[] = [true, false].flatMap((javaScriptEnabled) =>
  [320, 1280].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ colorScheme, width, javaScriptEnabled })),
  ),
);
/** The first admin is made: the page is gone. The admin has neither passkeys nor terminals. */
const statuses: Readonly<Record<string, readonly number[]>> = {
  '/setup': [404],
  '/history/lift-rollbacks': [404],
  '/policy/feeds/:feed/accept': [404], // this registry has no feed
  '/policy/held/:vendor/:package/:version': [404], // nothing is held
  '/policy/held/:vendor/:package/:version/archive': [404],
  '/account/tokens/:id/end': [404],
  '/account/passkeys/:id/name': [404],
  '/account/passkeys/:id/remove': [404],
  '/account/passkeys/:id/remove-last': [404],
};

const playsAll = process.env['CONSOLE_WAYS'] === 'all';

/** Paths of downloads and uploads, which show nothing. */
const shownNowhere = new Set(['/audit/export', '/packages/:vendor/:package/raw', '/uploads/file']);

/** One page of each kind: a layout, a list, a form and a diff. */
const shownAlways = new Set([
  '/sign-in',
  '/overview',
  '/packages',
  '/packages/:vendor/:package',
  '/packages/:vendor/:package/usage',
  '/packages/:vendor/:package/compare',
  '/tokens/new',
  '/policy/edit',
]);

const nameOf = ({ colorScheme, width, javaScriptEnabled }: Way): string =>
  `${colorScheme}, ${width} px${javaScriptEnabled ? '' : ', without JavaScript'}`;

const pages = await readPages();

async function readPages() {
  await using console = await runConsole();
  return console.definitions
    .filter(({ path }) => !shownNowhere.has(path))
    .map(
      (page) =>
        ({ ...page, who: decidePermission(page.operation, 'nobody') === 'allowed' ? 'nobody' : 'admin' }) as const,
    );
}

const shown = pages.filter(({ path }) => playsAll || shownAlways.has(path));
const asked = pages.filter((page) => !shown.includes(page));
const shownToOthers = (['maintainer', 'viewer'] as const).flatMap((who) =>
  pages.filter(({ operation }) => decidePermission(operation, who) === 'allowed').map(({ path }) => ({ path, who })),
);

/** In `npm test` the ways with JavaScript, in turn. */
const waysOf = (at: number): readonly Way[] => (playsAll ? ways : ways.slice(at % 4, (at % 4) + 1));

describe.skipIf(lacks('chromium-headless-shell', 'git'))('the pages of the console', () => {
  let filled: FilledRegistry;
  const visitors = new Map<string, Page>();

  beforeAll(async () => {
    filled = await startFilledRegistry();
  }, 300_000);
  afterAll(async () => {
    for (const page of visitors.values()) await page.context().close();
    await filled?.[Symbol.asyncDispose]();
  });

  const address = (path: string): string => `${filled.registry.url()}/ui${path}`;

  /** A page of a browser in which this person is signed in. */
  async function visitor(who: Who, javaScriptEnabled: boolean): Promise<Page> {
    const key = `${who} ${javaScriptEnabled}`;
    const known = visitors.get(key);
    if (known !== undefined) return known;
    const page = await openPage({ javaScriptEnabled });
    visitors.set(key, page);
    if (who === 'nobody') return page;
    await page.goto(address('/sign-in?next=/account'));
    for (const [name, value] of Object.entries(people[who])) await page.locator(`#${name}`).fill(value);
    await page.locator('form.form button').click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    return page;
  }

  async function faultsIn(path: string, who: Who, way: Way, permitted = statuses[path]): Promise<readonly string[]> {
    const page = await visitor(who, way.javaScriptEnabled);
    return faultsOn(page, address(exampleOf(path, filled.ids)), way, permitted);
  }

  async function faultsOn(page: Page, at: string, way: Way, permitted?: readonly number[]): Promise<readonly string[]> {
    await page.setViewportSize({ width: way.width, height: 800 });
    await page.emulateMedia({ colorScheme: way.colorScheme });
    const faults = await faultsOf(page, at, { statuses: permitted, runsAxe: way.javaScriptEnabled });
    await page.setViewportSize({ width: 768, height: 800 });
    const onTablet = (await sidewaysFaults(page)).map((fault) => `768 px: ${fault}`);
    return [...faults.map((fault) => `${nameOf(way)}: ${fault}`), ...onTablet];
  }

  it.each(shown.map(({ path, who }, at) => ({ path, who, at })))('$path', async ({ path, who, at }) => {
    const found: string[] = [];
    for (const way of waysOf(at)) found.push(...(await faultsIn(path, who, way)));
    expect(found).toEqual([]);
  });

  itInSeries.each(shownToOthers.map((page, at) => ({ ...page, at })))('$path as $who', async ({ path, who, at }) => {
    const found: string[] = [];
    // things of others look as if they were not there
    for (const way of waysOf(at).filter(({ javaScriptEnabled }) => javaScriptEnabled))
      found.push(...(await faultsIn(path, who, way, [200, 404])));
    expect(found).toEqual([]);
  });

  it.skipIf(playsAll)('the other pages are small, and have no styles and scripts inside', async () => {
    const found: string[] = [];
    for (const { path, who } of asked) {
      const page = await visitor(who, true);
      const answer = await page.request.get(address(exampleOf(path, filled.ids)));
      const faults = answerFaults({ status: answer.status(), html: await answer.text() }, statuses[path]);
      found.push(...faults.map((fault) => `${path}: ${fault}`));
    }
    expect(found).toEqual([]);
  });

  itInSeries('the pages of a registry that sends mail', async () => {
    await using console = await runConsole({ mails: true });
    const { email, password } = await console.registry.signIn('maintainer');
    const page = await openPage();
    const found: string[] = [];
    let at = 0;
    const look = async (path: string): Promise<void> => {
      for (const way of waysOf(at).filter(({ javaScriptEnabled }) => javaScriptEnabled))
        found.push(...(await faultsOn(page, `${console.origin}/ui${path}`, way)));
      at += 1;
    };
    for (const path of ['/forgotten?email=ada%40example.org', '/forgotten?notice=sent', '/sign-in']) await look(path);
    await page.locator('#email').fill(email);
    await page.locator('#password').fill(password);
    await page.locator('form.form button').click();
    await page.waitForURL('**/overview');
    for (const path of ['/account', '/account/mails']) await look(path);
    await page.context().close();
    expect(found).toEqual([]);
  });

  it('the open menu of the account moves nothing', async () => {
    const page = await visitor('admin', true);
    await page.goto(address('/account'));
    const top = async (): Promise<number | undefined> => (await page.locator('main').boundingBox())?.y;
    const before = await top();
    await page.locator('.menu.person > summary').click();
    expect(await top()).toBe(before);
  });

  it('on a phone, and without JavaScript, the menu and the search lead everywhere', async () => {
    const page = await visitor('admin', false);
    await page.setViewportSize({ width: 320, height: 800 });
    await page.goto(address('/account'));
    const entry = page.getByRole('link', { name: 'Teams' });
    expect(await entry.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await entry.click();
    await page.waitForURL('**/teams');
    await page.getByRole('searchbox').fill('biling');
    await page.keyboard.press('Enter');
    await page.locator('main').getByRole('link', { name: 'acme/billing' }).click();
    await page.waitForURL('**/packages/acme/billing');
  });

  it('headings of a changelog show their level', async () => {
    const page = await visitor('admin', true);
    await page.goto(address('/packages/acme/billing/changelog'));
    const sizes = await page.evaluate(`['h2', 'h3', 'h4'].map((level) =>
      parseFloat(getComputedStyle(document.querySelector('.markdown ' + level)).fontSize))`);
    const [title = 0, version = 0, kind = 0] = sizes as readonly number[];
    expect([title > version * 1.1, version > kind * 1.1]).toEqual([true, true]);
  });

  it('the style sheet has at most 10 KiB and the scripts 8 KiB together, compressed', () => {
    for (const files of [readAssetFiles(), readCatalogueAssets()]) {
      const sizeOf = (end: string): number =>
        [...files].reduce((sum, [name, bytes]) => sum + (name.endsWith(end) ? gzipSync(bytes).length / 1024 : 0), 0);
      expect(sizeOf('.css')).toBeLessThanOrEqual(10);
      expect(sizeOf('.js')).toBeLessThanOrEqual(8);
    }
  });
});
