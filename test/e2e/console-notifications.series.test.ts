// Tests what an admin does with notifications in the console, in Chromium against the shipped program: makes an
// endpoint by keyboard, copies the lines for a receiver in PHP, sends a test to it, and sends a delivery again.

import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse, openPage, type Browsing } from '../util/browser.ts';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { shownFaults } from '../util/page-fault.ts';
import { tabTo } from '../util/page-actions.ts';
import { startPhpReceiver } from '../util/php-receiver.ts';
import { freePort } from '../util/redis-server.ts';
import { lacks } from '../util/tool.ts';
import { startReceiver } from '../util/webhook-receiver.ts';

/** The admin that `startManagedRegistry` creates. */
const person = { email: 'ada@example.org', password: 'correct horse battery staple' };

describe.skipIf(lacks('chromium-headless-shell', 'php'))('notifications in the console', () => {
  let registry: ManagedRegistry;
  let browsing: Browsing;
  let page: Page;

  beforeAll(async () => {
    registry = await startManagedRegistry({ egress: { allow: ['127.0.0.0/8'] } });
    browsing = await browse(`${registry.url()}/ui/sign-in?next=/notifications`);
    page = browsing.page;
    await signIn(page);
  });
  afterAll(async () => {
    await browsing?.[Symbol.asyncDispose]();
    await registry?.[Symbol.asyncDispose]();
  });

  async function signIn(on: Page): Promise<void> {
    await on.getByLabel('Email').fill(person.email);
    await on.getByLabel('Password').fill(person.password);
    await on.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click();
    await on.getByRole('heading', { name: 'Notifications' }).waitFor();
  }

  /** The lines of the block with this label, also where it is folded. */
  const block = async (on: Page, label: string): Promise<string> =>
    (await on.locator(`pre[aria-label="${label}"]`).textContent())?.trim() ?? '';

  it('a person without a mouse makes an endpoint; the lines of its page verify a test, and refuse others', async () => {
    const port = await freePort();
    await tabTo(page, 'Create endpoint');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Create endpoint' }).waitFor();
    await tabTo(page, 'Address');
    await page.keyboard.type(`http://127.0.0.1:${port}/`);
    await tabTo(page, 'Create endpoint');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Secret' }).waitFor();
    expect(await shownFaults(page)).toEqual([]);
    const secret = await block(page, 'the secret');
    const lines = await block(page, 'the lines that verify a request');
    await using _ = await startPhpReceiver(port, lines, { WEBHOOK_SECRET: secret });
    await tabTo(page, 'I have copied it');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Last deliveries' }).waitFor();
    await tabTo(page, 'Send a test');
    await page.keyboard.press('Enter');
    await page.getByText('The test arrived: HTTP 200').waitFor();
    expect(await shownFaults(page)).toEqual([]);

    const send = async (time: number, key = Buffer.from(secret.slice('whsec_'.length), 'base64')): Promise<number> => {
      const signature = createHmac('sha256', key).update(`evt_1.${time}.{}`).digest('base64');
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(time),
        'webhook-signature': `v1,${signature}`,
      };
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: '{}' })).status;
    };
    const now = Math.trunc(Date.now() / 1000);
    expect([await send(now), await send(now - 600), await send(now, Buffer.from('wrong'))]).toEqual([200, 401, 401]);
  });

  it('with JavaScript off an endpoint with a public key is made, and the lines of its page verify a test', async () => {
    const port = await freePort();
    const plain = await openPage({ javaScriptEnabled: false });
    await plain.goto(`${registry.url()}/ui/sign-in?next=/notifications`);
    await signIn(plain);
    await plain.goto(`${registry.url()}/ui/notifications/new`);
    await plain.getByLabel('Form').selectOption('slack');
    expect(await plain.getByLabel('Signature').isVisible()).toBe(false);
    await plain.getByLabel('Form').selectOption('standard');
    await plain.getByLabel('Signature').selectOption('v1a');
    await plain.getByLabel('Address').fill(`http://127.0.0.1:${port}/`);
    await plain.getByRole('button', { name: 'Create endpoint' }).click();
    const variables = { WEBHOOK_PUBLIC_KEY: await block(plain, 'the public key') };
    const lines = await block(plain, 'the lines that verify a request');
    await using _ = await startPhpReceiver(port, lines, variables);
    await plain.getByRole('link', { name: 'I have copied it' }).click();
    await plain.getByRole('button', { name: 'Send a test' }).click();
    await plain.getByText('The test arrived: HTTP 200').waitFor();
    const altered = { ...variables, WEBHOOK_PUBLIC_KEY: `whpk_${Buffer.alloc(32, 7).toString('base64')}` };
    const other = await freePort();
    await using __ = await startPhpReceiver(other, lines, altered);
    await plain.getByRole('link', { name: 'Edit' }).click();
    await plain.getByLabel('New address').fill(`http://127.0.0.1:${other}/`);
    await plain.getByRole('button', { name: 'Save changes' }).click();
    await plain.getByRole('button', { name: 'Send a test' }).click();
    await plain.getByText('The test did not arrive: HTTP 401').waitFor();
    await plain.context().close();
  });

  it('a delivery that is sent again shows its outcome without a reload', async () => {
    await using receiver = await startReceiver();
    const { json } = await registry.api('POST', '/api/notifications', { name: 'Again', url: receiver.url });
    writeTree(registry.folder.at('src'), libraryTree('acme/again', { version: '1.0.0' }));
    expect(await registry.cli('build', 'src')).toMatchObject({ exitCode: 0 });
    await expect.poll(() => receiver.requests.length, { timeout: 60_000 }).toBe(1);
    await page.goto(`${registry.url()}/ui/notifications/${String(json['id'])}`);
    await page.getByText('acme/again 1.0.0 was published').waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('It is sent again.').waitFor();
    await page.getByText('2 attempts').waitFor();
    await page.getByText('waiting', { exact: true }).waitFor({ state: 'detached' });
    const [first, second] = receiver.requests;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(browsing.complaints).toEqual([]);
  });
});
