// Tests what pages of the console show only on the way through them, in Chromium on the shipped server: the first
// admin's page, refused forms, a link shown once, an invitation, both steps of a sign-in with a code, and a dialog.
// Each has to be accessible and as wide as the window. CONSOLE_WAYS=all looks at each in every way, as `npm run
// fault` does; else at each once, in turn light or dark, narrow or wide.

import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse, type Browsing } from '../util/browser.ts';
import { shownFaults } from '../util/page-fault.ts';
import { startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const ways = [320, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);
const playsAll = process.env['CONSOLE_WAYS'] === 'all';

const person = { email: 'ada@example.org', password: 'correct horse battery' };

describe.skipIf(lacks('chromium-headless-shell'))('what the console shows on the way', () => {
  const folder = temporaryFolder('console-states');
  let serving: RunningCli;
  let setupAddress = '';
  let browsing: Browsing;
  let page: Page;
  let looks = 0;
  let invitation = '';
  let secret = '';

  beforeAll(async () => {
    serving = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
    [setupAddress] = await serving.shows(/http:\/\/\S+\/ui\/setup\?code=\w+/);
    browsing = await browse(setupAddress);
    page = browsing.page;
  });
  afterAll(async () => {
    await browsing?.[Symbol.asyncDispose]();
    serving?.signal('SIGTERM');
    await serving?.ended;
    await folder.remove();
  });

  const open = (path: string) => page.goto(new URL(`/ui${path}`, setupAddress).href);
  const press = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true }).click();
  const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
  const shows = (text: string) => page.getByText(text).first().waitFor();
  const refused = () => page.locator('[aria-invalid=true]').first().waitFor();
  const code = (): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

  async function isGood(): Promise<void> {
    looks += 1;
    const found: string[] = [];
    for (const { width, colorScheme } of playsAll ? ways : [ways[looks % 4] ?? expect.fail()]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // colours fade otherwise
      found.push(...(await shownFaults(page)).map((fault) => `${colorScheme}, ${width} px: ${fault}`));
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(found).toEqual([]);
  }

  it('the page of the first admin, empty and refused', async () => {
    await isGood();
    await fill('Email', person.email);
    await fill('Password', person.password);
    await fill('The same password again', 'another one');
    await press('Create the admin');
    await shows('The two passwords differ.');
    await isGood();
    await fill('Password', person.password);
    await fill('The same password again', person.password);
    await press('Create the admin');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await isGood(); // the overview of an empty registry
  });

  it('a refused form of a token, and a secret shown once', async () => {
    await open('/tokens/new');
    await fill('Description', 'CI');
    await fill('Package', 'Not A Package');
    await press('Create token');
    await refused();
    await isGood();
    await open('/tokens/new');
    await fill('Description', 'CI');
    await press('Create token');
    await shows('Copy the secret now.');
    await isGood();
  });

  it('a question in a dialog', async () => {
    await open('/tokens');
    await page.getByRole('link', { name: 'CI', exact: true }).click();
    await page.getByRole('link', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).waitFor();
    await isGood();
  });

  it('the link of an invitation', async () => {
    await open('/people/invite');
    await fill('Email', 'grace@example.org');
    await press('Create invitation');
    await shows('Copy the link now.');
    await isGood();
    invitation = (await page.getByLabel('the link', { exact: true }).innerText()).trim();
  });

  it('the steps of turning on two-factor authentication', async () => {
    await open('/account/two-factor');
    await isGood();
    await fill('Your password', person.password);
    await press('Show the QR code');
    await shows('Scan this code');
    await isGood();
    secret = (await page.getByLabel('the secret for your authenticator', { exact: true }).innerText()).trim();
    await fill('Code', '000000');
    await press('Turn it on');
    await shows('The code is wrong or used.');
    await isGood();
    await fill('Code', code());
    await press('Turn it on');
    await shows('Two-factor authentication is on.');
    await isGood(); // the recovery codes
    await open('/account');
    await isGood();
  });

  it('the sign-in, refused, and its second step', async () => {
    await page.context().clearCookies();
    await open('/sign-in');
    await fill('Email', person.email);
    await fill('Password', 'wrong');
    await press('Sign in');
    await shows('The email or the password is wrong.');
    await isGood();
    await fill('Password', person.password);
    await press('Sign in');
    await page.getByLabel('Code', { exact: true }).waitFor();
    await isGood();
  });

  it('an invitation, refused and accepted, and the pages of a viewer', async () => {
    await page.goto(invitation);
    await isGood();
    await fill('Password', 'short');
    await fill('The same password again', 'short');
    await press('Save the password');
    await refused();
    await isGood();
    await fill('Password', 'a much longer password');
    await fill('The same password again', 'a much longer password');
    await press('Save the password');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await isGood();
    await open('/people');
    await isGood(); // refused to a viewer
  });
});
