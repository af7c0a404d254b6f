// Takes the picture docs/explorer.png of a running service: `node test/setup/screenshot.mjs http://127.0.0.1:8080`.

import { chromium } from 'playwright-core';
import { findTool } from './tools.mjs';

const [, , address = 'http://127.0.0.1:8080'] = process.argv;
const file = new URL('../../docs/explorer.png', import.meta.url).pathname;

const browser = await chromium.launch({
  executablePath: findTool('chromium'),
  headless: true,
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  await page.goto(`${address}/api/swagger`);
  await page.locator('#operations-Composer-getPackagesJson').waitFor();
  // skips the long introduction and shows the operations
  await page.locator('.auth-wrapper').evaluate((element) => element.scrollIntoView());
  await page.screenshot({ path: file });
  console.log(file);
} finally {
  await browser.close();
}
