// Tests the pages of the console that have a table or columns in every width between a phone and a desktop, in Chromium
// on the shipped server: nothing scrolls sideways, no cell cuts its text off, and no ordinary word is broken.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage } from '../util/browser.ts';
import { people, startFilledRegistry, type FilledRegistry } from '../util/filled-registry.ts';
import { exampleOf } from '../util/page-examples.ts';
import { sidewaysFaults } from '../util/page-fault.ts';
import { runConsole } from '../util/running-console.ts';
import { lacks } from '../util/tool.ts';

const widths = Array.from({ length: 25 }, (_, at) => 320 + 40 * at);

/** Words of letters alone: names, paths and digests may break. */
const crushed = `[...document.querySelectorAll('main td, main th, main dd, main p, main li, main label')].flatMap((cell) => {
  const cut = cell.matches('td, th') && cell.scrollWidth > cell.clientWidth + 1 ? ['cuts off ' + cell.innerText.slice(0, 60)] : [];
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (node.parentElement.closest('pre, code, .visually-hidden, option')) continue;
    for (const { 0: word, index } of node.data.matchAll(/(?<![^\\s(“"])\\p{L}{2,16}(?![^\\s).,:;”"])/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) cut.push('breaks ' + word);
    }
  }
  return cut;
})`;

const pages = await readPages();

async function readPages() {
  await using console = await runConsole();
  return console.definitions.map(({ path }) => path).filter((path) => !/export$|raw$|file$|archive$/.test(path));
}

describe.skipIf(lacks('chromium-headless-shell', 'git'))('pages with a table or columns, in every width', () => {
  let filled: FilledRegistry;
  let page: Page;

  beforeAll(async () => {
    filled = await startFilledRegistry();
    page = await openPage();
    await page.goto(`${filled.registry.url()}/ui/sign-in?next=/account`);
    for (const [name, value] of Object.entries(people.admin)) await page.locator(`#${name}`).fill(value);
    await page.locator('form.form button').click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  }, 300_000);
  afterAll(async () => {
    await page?.context().close();
    await filled?.[Symbol.asyncDispose]();
  });

  it.each(pages)('%s', async (path) => {
    await page.goto(`${filled.registry.url()}/ui${exampleOf(path, filled.ids)}`);
    const found: string[] = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      const faults = [...(await sidewaysFaults(page)), ...((await page.evaluate(crushed)) as readonly string[])];
      found.push(...new Set(faults.map((fault) => `${width} px: ${fault}`)));
    }
    expect(found.join('\n')).toBe('');
  });
});
