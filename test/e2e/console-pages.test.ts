// Tests every page of the console in Chromium, on the shipped server with something on every page: accessible, as wide
// as the window, without anything from elsewhere, and small. `npm test` shows each page once, in turn light or dark,
// narrow or wide. `npm run fault` shows each page in every way (CONSOLE_WAYS=all), also without JavaScript, where the
// check of accessibility cannot run.

import { chromium, type Browser, type BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { readAssetFiles } from '../../proxy/console/assets/assets.ts';
import { decidePolicy } from '../../proxy/auth/policy.ts';
import { admin, startFilledRegistry, type FilledRegistry } from '../util/filled-registry.ts';
import { exampleOf } from '../util/page-examples.ts';
import { faultsOf } from '../util/page-fault.ts';
import { runConsole } from '../util/running-console.ts';
import { lacks, toolPath } from '../util/tool.ts';

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
/** The first admin is made: the page is gone. */
const statuses: Readonly<Record<string, number>> = { '/setup': 404 };

const playsAll = process.env['CONSOLE_WAYS'] === 'all';

/** Paths of downloads and uploads, which show nothing. */
const shownNowhere = new Set(['/audit/export', '/uploads/file']);

const nameOf = ({ colorScheme, width, javaScriptEnabled }: Way): string =>
  `${colorScheme}, ${width} px${javaScriptEnabled ? '' : ', without JavaScript'}`;

const pages = await readPages();

async function readPages() {
  await using console = await runConsole();
  return console.definitions.filter(({ path }) => !shownNowhere.has(path));
}

/** In `npm test` the ways with JavaScript, in turn. */
const waysOf = (at: number): readonly Way[] => (playsAll ? ways : ways.slice(at % 4, (at % 4) + 1));

describe.skipIf(lacks('chromium', 'git'))('the pages of the console', () => {
  let filled: FilledRegistry;
  let browser: Browser;
  const visitors = new Map<string, BrowserContext>();

  beforeAll(async () => {
    filled = await startFilledRegistry();
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: toolPath('chromium'), headless: true, args });
  });
  afterAll(async () => {
    await browser?.close();
    await filled?.[Symbol.asyncDispose]();
  });

  const address = (path: string): string => `${filled.registry.url()}/ui${path}`;

  /** A browser that sees pages this way, signed in as the admin or as nobody. */
  async function visitor({ colorScheme, width, javaScriptEnabled }: Way, signedIn: boolean): Promise<BrowserContext> {
    const key = [colorScheme, width, javaScriptEnabled, signedIn].join(' ');
    const known = visitors.get(key);
    if (known !== undefined) return known;
    const context = await browser.newContext({ colorScheme, javaScriptEnabled, viewport: { width, height: 800 } });
    visitors.set(key, context);
    if (!signedIn) return context;
    const page = await context.newPage();
    await page.goto(address('/sign-in?next=/account'));
    for (const [name, value] of Object.entries(admin)) await page.locator(`#${name}`).fill(value);
    await page.locator('form.form button').click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.close();
    return context;
  }

  it.each(pages.map(({ path, operation }, at) => ({ path, operation, at })))(
    '$path',
    async ({ path, operation, at }) => {
      const signedIn = decidePolicy(operation, 'nobody') !== 'allowed';
      const found: string[] = [];
      for (const way of waysOf(at)) {
        const faults = await faultsOf(await visitor(way, signedIn), address(exampleOf(path, filled.ids)), {
          status: statuses[path],
          runsAxe: way.javaScriptEnabled,
        });
        found.push(...faults.map((fault) => `${nameOf(way)}: ${fault}`));
      }
      expect(found).toEqual([]);
    },
  );

  it('the style sheet has at most 10 KiB and the script 5 KiB, compressed', () => {
    const sizeOf = (name: string): number => gzipSync(readAssetFiles().get(name) ?? '').length / 1024;
    expect(sizeOf('style.css')).toBeLessThanOrEqual(10);
    expect(sizeOf('script.js')).toBeLessThanOrEqual(5);
  });
});
