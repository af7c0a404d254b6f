// Tests signing in with a real browser, against the shipped program with a certificate: the browser keeps the cookies
// of the host, follows the redirects under the policy of the pages, and asks questions in a dialog.

import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openContext } from '../util/browser.ts';
import { createAuthority } from '../util/certificate.ts';
import { startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

const person = { email: 'ada@example.org', password: 'correct horse battery' };

/** Fills the form of the page, and sends it. */
async function send(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`#${name}`).fill(value);
  await page.locator('form.form button').click();
}

describe.skipIf(lacks('chromium-headless-shell'))('signing in, in Chromium over HTTPS', () => {
  const folder = temporaryFolder('console-sign-in');
  let serving: RunningCli;
  let console: string;
  let code: string;

  beforeAll(async () => {
    const { certFile, keyFile } = createAuthority(folder.path).issue('localhost');
    const tls = ['--tls-cert', certFile, '--tls-key', keyFile];
    serving = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0', ...tls], { cwd: folder.path });
    const [, port = ''] = await serving.shows(/https:\/\/[\w.]+:(\d+)/);
    [code] = await serving.shows(/set_\w{32}/);
    console = `https://localhost:${port}/ui`;
  });
  afterAll(async () => {
    serving.signal('SIGTERM');
    await serving.ended;
    await folder.remove();
  });

  const visitor = (): Promise<BrowserContext> => openContext({ ignoreHTTPSErrors: true });

  it('creates the first admin, signs out and in again, and returns to the page that was asked for', async () => {
    const context = await visitor();
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    await page.goto(`${console}/setup?code=${code}`);
    await send(page, { ...person, name: 'Ada', repeated_password: person.password });
    await page.goto(`${console}/account`);
    expect(await page.locator('main').innerText()).toContain('You are signed in as admin.');
    const cookies = (await context.cookies()).map(({ name, secure, httpOnly }) => ({ name, secure, httpOnly }));
    expect(cookies).toContainEqual({ name: '__Host-libretto-session', secure: true, httpOnly: true });

    await page.locator('.person summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    expect(await context.cookies()).toEqual([]);

    await page.goto(`${console}/account/password`);
    expect(new URL(page.url()).pathname).toBe('/ui/sign-in');
    await send(page, person);
    await page.getByRole('heading', { name: 'Change your password' }).waitFor();
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    await context.close();
  });

  itInSeries('asks in a dialog before it ends the session of another browser', async () => {
    const [here, there] = [await visitor(), await visitor()];
    const [page, other] = [await here.newPage(), await there.newPage()];
    for (const one of [other, page]) {
      await one.goto(`${console}/sign-in?next=/account`);
      await send(one, person);
      await one.getByRole('heading', { name: 'Sessions' }).waitFor();
    }
    await page.getByRole('link', { name: 'End all others' }).click();
    const dialog = page.getByRole('dialog', { name: 'End all other sessions?' });
    await dialog.getByRole('button', { name: 'End all others' }).click();
    await page.getByText('Your sessions in other browsers have ended.').waitFor();
    await other.goto(`${console}/account`);
    expect(new URL(other.url()).pathname).toBe('/ui/sign-in');
    await Promise.all([here.close(), there.close()]);
  });
});
