// Does on a page of the console what Playwright has no call for: dropping a file, and walking by Tab.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Drops a file of these bytes on the form for uploads. */
export async function drop(page: Page, bytes: Buffer): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const dropped = new DataTransfer();
    const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (one) => one.charCodeAt(0));
    dropped.items.add(new File([bytes], 'package.zip', { type: 'application/zip' }));
    return dropped;
  })()`);
  await page.dispatchEvent('form[data-upload]', 'drop', { dataTransfer });
}

/** Presses Tab until the element with the focus has this text or label. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    await page.keyboard.press('Tab');
    const focused = `(({ labels, textContent, ariaLabel }) => ariaLabel ?? labels?.[0]?.textContent ?? textContent)
      (document.activeElement)`;
    const found = String(await page.evaluate(focused)).trim();
    if (found === name) return;
    passed.push(found);
  }
  expect.fail(`Tab does not lead to "${name}", but to ${passed.join(', ')}`);
}
