// Tests in a real browser, against the shipped program, that the page about health shows the end of a check by itself.

import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openContext } from '../util/browser.ts';
import { startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const password = 'correct horse battery';

describe.skipIf(lacks('chromium-headless-shell'))('the page about health, in Chromium', () => {
  const folder = temporaryFolder('console-health');
  let serving: RunningCli;
  let console: string;
  let session: Awaited<ReturnType<BrowserContext['storageState']>>;

  beforeAll(async () => {
    serving = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0'], { cwd: folder.path });
    const [, port = ''] = await serving.shows(/http:\/\/[\w.]+:(\d+)/);
    const [code] = await serving.shows(/set_\w{32}/);
    console = `http://localhost:${port}/ui`;
    const context = await openContext();
    const page = await context.newPage();
    await page.goto(`${console}/setup?code=${code}`);
    const fields = { email: 'ada@example.org', name: 'Ada', password, repeated_password: password };
    for (const [name, value] of Object.entries(fields)) await page.locator(`#${name}`).fill(value);
    await page.locator('form.form button').click();
    await page.locator('.person').waitFor();
    session = await context.storageState();
    await context.close();
  });
  afterAll(async () => {
    serving.signal('SIGTERM');
    await serving.ended;
    await folder.remove();
  });

  it('shows the result without loading the page again', async () => {
    const context = await openContext({ storageState: session });
    const page = await context.newPage();
    await page.goto(`${console}/health`);
    await page.evaluate("document.body.setAttribute('data-seen', '')");
    await page.getByText('Checked just now').waitFor();
    expect(await page.locator('#findings details').textContent()).toContain('Node.js');
    expect(await page.locator('body[data-seen]').count()).toBe(1);
    await context.close();
  });

  it('shows the result without JavaScript, too', async () => {
    const context = await openContext({ storageState: session, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${console}/health`);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText(/The registry is being checked|Checked just now/).waitFor();
    await page.getByText('Checked just now').waitFor();
    expect(await page.locator('#findings details').textContent()).toContain('Node.js');
    await context.close();
  });
});
