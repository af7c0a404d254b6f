// Tests the static catalogue in Chromium, opened as files without a server: the search, the way to a package, and that
// every kind of page is accessible, as wide as the window, small, and without anything from elsewhere. `npm test` shows
// each page once, in turn light or dark, narrow or wide. `npm run fault` shows each page in every way
// (CONSOLE_WAYS=all).

import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage } from '../util/browser.ts';
import { cataloguePackages } from '../util/catalogue-packages.ts';
import { temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { faultsOf } from '../util/page-fault.ts';
import { runCli } from '../util/run-cli.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries, sampleOf } from '../util/series.ts';

const ways = [320, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ colorScheme, width })),
);
const playsAll = process.env['CONSOLE_WAYS'] === 'all';
const waysOf = (at: number) => (playsAll ? ways : ways.slice(at % 4, (at % 4) + 1));

const pages = [
  'index.html',
  'page-2.html',
  'packages/acme/billing/index.html',
  'packages/acme/billing/versions/index.html',
  'packages/acme/core/dependents/index.html',
  'packages/acme/billing/advisories/index.html',
  'packages/acme/hostile/index.html',
];

describe.skipIf(lacks('chromium-headless-shell'))('the catalogue in a browser', () => {
  let registry: TemporaryTree;
  /** looks at every page */
  let looker: Page;

  beforeAll(async () => {
    registry = temporaryTree(cataloguePackages);
    expect(await runCli(['build', '--site', 'site'], { cwd: registry.root })).toMatchObject({ exitCode: 0 });
    looker = await openPage();
  });
  afterAll(async () => {
    await looker?.context().close();
    registry?.remove();
  });

  const address = (path: string): string => pathToFileURL(registry.path('site', path)).href;

  async function visit(options: BrowserContextOptions, path: string): Promise<Page> {
    const page = await openPage(options);
    await page.goto(address(path));
    return page;
  }

  it.each(
    sampleOf(
      pages.map((path, at) => ({ path, at })),
      4,
    ),
  )('$path', async ({ path, at }) => {
    const found: string[] = [];
    for (const { colorScheme, width } of waysOf(at)) {
      await looker.setViewportSize({ width, height: 800 });
      await looker.emulateMedia({ colorScheme });
      found.push(...(await faultsOf(looker, address(path))).map((fault) => `${colorScheme}, ${width} px: ${fault}`));
    }
    expect(found).toEqual([]);
  });

  it('finds a package of another page as one types, and opens it', async () => {
    const page = await visit({}, 'index.html');
    await page.keyboard.press('/');
    await page.keyboard.type('PACKAGE-51');
    await page.getByText('1 of 57 packages').waitFor();
    await page.getByRole('link', { name: 'small/package-51' }).click();
    await page.getByRole('heading', { name: 'small/package-51' }).waitFor();
    expect(page.url()).toBe(address('packages/small/package-51/index.html'));
    await page.context().close();
  });

  itInSeries('finds packages by words of the description from the page of another package', async () => {
    const page = await visit({}, 'packages/acme/core/versions/index.html');
    await page.getByRole('searchbox').fill('dunning invoice');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 57 packages').waitFor();
    await page.getByRole('link', { name: 'acme/billing' }).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByText('57 packages', { exact: true }).waitFor();
    await page.context().close();
  });

  itInSeries('shows texts of packages in the results as texts', async () => {
    const page = await visit({}, 'index.html');
    await page.goto(`${page.url()}?q=onerror`);
    await page.getByRole('link', { name: 'acme/hostile' }).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.title()).toBe('Packages of Acme · Libretto');
    await page.context().close();
  });

  itInSeries('begins with what is new, the vendors, and what most packages require, until one searches', async () => {
    const page = await visit({}, 'index.html');
    const panel = (title: string) => page.locator('.panel', { has: page.getByRole('heading', { name: title }) });
    expect(await panel('New').getByRole('link').count()).toBe(6);
    expect(await panel('Vendors').innerText()).toMatch(/small\s+52 packages\s+acme\s+5 packages/);
    expect(await panel('Required by most').innerText()).toMatch(/acme\/core\s+53 packages/);
    await panel('Vendors').getByRole('link', { name: 'small' }).click();
    await page.waitForURL(/index\.html#list$/);
    await page.getByRole('searchbox').fill('dunning');
    await page.getByText('1 of 57 packages').waitFor();
    expect(await panel('New').count()).toBe(0);
    await page.context().close();
  });

  itInSeries('has a link to the row of a version', async () => {
    const page = await visit({}, 'packages/acme/billing/advisories/index.html');
    await page.getByRole('link', { name: '2.0.0' }).click();
    await page.locator('tr:has(:target)', { hasText: '2.0.0' }).waitFor();
    await page.context().close();
  });

  itInSeries('without JavaScript the list is complete, and there is no search', async () => {
    const page = await visit({ javaScriptEnabled: false }, 'index.html');
    expect(await page.getByRole('searchbox').isVisible()).toBe(false);
    expect(await page.locator('.main-link').count()).toBe(50);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'small/package-51' }).click();
    await page.getByRole('heading', { name: 'small/package-51' }).waitFor();
    await page.context().close();
  });
});
