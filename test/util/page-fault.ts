// What is wrong with a page of the console that a browser shows: violations of the rules of accessibility, sideways
// scrolling, lines to copy that are cut off, requests to other hosts, complaints of the browser, styles and scripts
// inside the page, and its size.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { ConsoleMessage, Page, Request } from 'playwright-core';

/** KiB after gzip */
const largestPage = 30;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

export interface Visiting {
  /** the permitted statuses of the answer; default: 200 */
  readonly statuses?: readonly number[] | undefined;
  /** false: the browser has JavaScript off, where axe never ends; default: true */
  readonly runsAxe?: boolean;
}

/** Opens `address`. Each fault is one line; none: the page is good. */
export async function faultsOf(
  page: Page,
  address: string,
  { statuses = [200], runsAxe = true }: Visiting = {},
): Promise<readonly string[]> {
  const watched = watch(page, originOf(address));
  try {
    const answer = await page.goto(address);
    const html = (await answer?.text()) ?? '';
    const status = answer?.status() ?? 0;
    return [
      ...answerFaults({ status, html }, statuses),
      ...(await sidewaysFaults(page)),
      ...(await cutFaults(page)),
      ...(runsAxe ? await accessibilityFaults(page) : []),
      ...watched.faults.filter(
        (fault) => status < 400 || !fault.includes(`the server responded with a status of ${status}`),
      ),
    ];
  } finally {
    watched.end();
  }
}

/** The faults that an answer shows without a browser. */
export function answerFaults(
  { status, html }: { readonly status: number; readonly html: string },
  statuses: readonly number[] = [200],
): readonly string[] {
  return [...(statuses.includes(status) ? [] : [`it answers ${status}`]), ...sizeFaults(html), ...inlineFaults(html)];
}

/** A file has no origin: every other file is one of the same pages. */
function originOf(address: string): string {
  return address.startsWith('file:') ? 'file://' : new URL(address).origin;
}

/** The faults of what `page` shows now, such as an open dialog: rules of accessibility, and sideways scrolling. */
export async function shownFaults(page: Page): Promise<readonly string[]> {
  return [...(await sidewaysFaults(page)), ...(await accessibilityFaults(page))];
}

interface Watched {
  /** those that appeared while the page loaded */
  readonly faults: readonly string[];
  readonly end: () => void;
}

function watch(page: Page, origin: string): Watched {
  const faults: string[] = [];
  const onMessage = (message: ConsoleMessage): void => {
    if (['error', 'warning'].includes(message.type())) faults.push(`the browser says: ${message.text()}`);
  };
  const onError = (error: Error): void => void faults.push(`the script fails: ${error.message}`);
  const onRequest = (request: Request): void => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:'))
      faults.push(`it requests ${request.url()}`);
  };
  page.on('console', onMessage).on('pageerror', onError).on('request', onRequest);
  const end = (): void => void page.off('console', onMessage).off('pageerror', onError).off('request', onRequest);
  return { faults, end };
}

async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  // axe would fetch the style sheet, which a file may not
  const preload = !page.url().startsWith('file:');
  const results = (await page.evaluate(
    `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(tags)} }, resultTypes: ['violations'], preload: ${preload} })`,
  )) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary.replaceAll(/\s+/g, ' ')}`),
  );
}

/** Names the innermost elements of the page's content that are too wide. */
export async function sidewaysFaults(page: Page): Promise<readonly string[]> {
  const tooWide = await page.evaluate(`document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll('main *')]
      .filter((one) => one.getBoundingClientRect().right > innerWidth)
      .filter((one, _, all) => all.every((other) => other === one || !one.contains(other)))
      .map((one) => one.outerHTML.slice(0, 160))
      .concat('the page')`);
  return (tooWide as readonly string[]).map((element) => `it scrolls sideways because of ${element}`);
}

/** Lines to copy are read whole, without scrolling sideways within them. */
async function cutFaults(page: Page): Promise<readonly string[]> {
  const cut = await page.evaluate(
    `[...document.querySelectorAll('.code-block pre')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel)`,
  );
  return (cut as readonly string[]).map((label) => `it cuts off ${label}`);
}

function sizeFaults(html: string): readonly string[] {
  const size = gzipSync(html).length / 1024;
  return size > largestPage ? [`its HTML has ${size.toFixed(1)} KiB`] : [];
}

function inlineFaults(html: string): readonly string[] {
  const inline = [/<style[\s>][^<]*/i, /<script(?![^>]*\ssrc=)[^>]*>/i, /<[^>]*\s(?:style|on[a-z]+)="[^>]*>/i];
  return inline.flatMap((pattern) =>
    (pattern.exec(html) ?? []).map((found) => `it has inside: ${found.slice(0, 160)}`),
  );
}
