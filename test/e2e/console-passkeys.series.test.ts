// Tests passkeys in Chromium on the shipped server, with the browser's virtual authenticator, at the width of a phone:
// adding, the second factor, signing in without the password, confirming in a dialog and in a page, removal, and
// recovery codes as the way back. Each page has to be accessible and as wide as the window.

import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse, openPage, type Browsing } from '../util/browser.ts';
import { shownFaults } from '../util/page-fault.ts';
import { startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const person = { email: 'ada@example.org', password: 'correct horse battery' };
const ctap2 = {
  protocol: 'ctap2',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

describe.skipIf(lacks('chromium-headless-shell'))('passkeys, in Chromium', () => {
  const folder = temporaryFolder('console-passkeys');
  let serving: RunningCli;
  let root = '';
  let browsing: Browsing;
  let page: Page;
  let devices: CDPSession;
  let recoveryCodes: readonly string[] = [];
  let looks = 0;

  beforeAll(async () => {
    serving = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
    const [address] = await serving.shows(/http:\/\/\S+\/ui\/setup\?code=\w+/);
    const setup = address.replace('127.0.0.1', 'localhost');
    root = setup.replace(/\/setup.*$/, '');
    browsing = await browse(setup);
    page = browsing.page;
    await page.setViewportSize({ width: 390, height: 844 });
    devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', { options: { ...ctap2, transport: 'internal' } });
    await fill('Email', person.email);
    await fill('Password', person.password);
    await fill('The same password again', person.password);
    await press('Create the admin');
    await heading('Overview');
  });
  afterAll(async () => {
    await browsing?.[Symbol.asyncDispose]();
    serving?.signal('SIGTERM');
    await serving?.ended;
    await folder.remove();
  });

  const open = (path: string) => page.goto(`${root}${path}`);
  const press = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true }).click();
  const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  const shows = (text: string) => page.getByText(text).first().waitFor();
  const signedOut = () => page.context().clearCookies();
  const fiveMinutesLater = () => page.context().clearCookies({ name: /confirmed/ });
  const isVerified = (is: boolean, id: string) =>
    devices.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: is });

  async function isGood(): Promise<void> {
    looks += 1;
    await page.emulateMedia({ colorScheme: looks % 2 === 0 ? 'light' : 'dark', reducedMotion: 'reduce' });
    expect(await shownFaults(page)).toEqual([]);
  }

  it('the first one is added, and gives recovery codes', async () => {
    await fiveMinutesLater();
    await open('/account');
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await isGood();
    await fill('Your password', person.password);
    await press('Go on');
    await press('Add the passkey');
    expect(await page.locator('#name').evaluate('document.activeElement.id')).toBe('name');
    await isGood();
    await fill('Name', 'Laptop');
    await press('Add the passkey');
    await heading('Your recovery codes');
    await isGood();
    recoveryCodes = (await page.getByLabel('your recovery codes', { exact: true }).innerText()).trim().split(/\s+/);
    expect(recoveryCodes).toHaveLength(10);
    await open('/account');
    await shows('Laptop');
    await isGood();
  });

  it('the same authenticator has it already, and the page says so', async () => {
    await open('/account/passkeys/new');
    await fill('Name', 'Again');
    await press('Add the passkey');
    await shows('This device has a passkey for your account already.');
    await isGood();
  });

  it('is the second factor after the password', async () => {
    await signedOut();
    await open('/sign-in');
    await isGood();
    await fill('Email', person.email);
    await fill('Password', person.password);
    await press('Sign in');
    await heading('Second factor');
    await isGood();
    await press('Use a passkey');
    await heading('Overview');
  });

  it('signs in without name and password, and leads to the page that was asked for', async () => {
    await signedOut();
    await open('/account');
    await press('Sign in with a passkey');
    await heading('Your account');
    await shows('Laptop');
  });

  it('confirms a dangerous form on a page and in a dialog', async () => {
    await fiveMinutesLater();
    await open('/tokens/new');
    await fill('Description', 'CI');
    await isGood();
    await press('Confirm with a passkey');
    await shows('Copy the secret now.');
    await open('/tokens');
    await page.getByRole('link', { name: 'CI', exact: true }).click();
    await fiveMinutesLater();
    await page.reload();
    await page.getByRole('link', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Confirm with a passkey' }).click();
    await shows('revoked');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('recovery codes are the way back', async () => {
    await signedOut();
    await open('/sign-in');
    await fill('Email', person.email);
    await fill('Password', person.password);
    await press('Sign in');
    await fill('Code', recoveryCodes[0] ?? '');
    await press('Sign in');
    await heading('Overview');
    await open('/account');
    await shows('9 recovery codes left');
  });

  it('an authenticator that does not know its person is refused', async () => {
    const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...ctap2, transport: 'usb' },
    });
    await isVerified(false, authenticatorId);
    await open('/account/passkeys/new');
    await fill('Name', 'Key');
    await press('Add the passkey');
    await page.locator('[role=status]').filter({ hasText: /\w/ }).first().waitFor();
    await isVerified(true, authenticatorId);
    await open('/account/passkeys/new');
    await fill('Name', 'Key');
    await press('Add the passkey');
    await heading('Your account');
    await shows('Key');
  });

  it('is renamed, and removed with another one', async () => {
    await page.getByRole('link', { name: 'Rename the passkey Key' }).click();
    await isGood();
    await fill('Name', 'Security key');
    await press('Save the name');
    await page.getByRole('link', { name: 'Remove the passkey Security key' }).click();
    await isGood();
    await press('Remove it with another passkey');
    await shows('The passkey is removed.');
    expect(await page.getByText('Security key').count()).toBe(0);
  });

  it('the last one is removed with the password and a recovery code', async () => {
    await page.getByRole('link', { name: 'Remove the passkey Laptop' }).click();
    await fill('Your password', person.password);
    await fill('Code', recoveryCodes[1] ?? '');
    await press('Remove the passkey');
    await shows('The passkey is removed.');
    await signedOut();
    await open('/sign-in');
    await press('Sign in with a passkey');
    await page
      .locator('[role=status], .notice')
      .filter({ hasText: /not accepted/ })
      .first()
      .waitFor();
    await isGood();
  });

  it('without JavaScript the page says what is missing', async () => {
    const plain = await openPage({ javaScriptEnabled: false });
    await plain.goto(`${root}/sign-in?next=/account/passkeys/new`);
    expect(await plain.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false);
    await plain.getByLabel('Email').fill(person.email);
    await plain.getByLabel('Password').fill(person.password);
    await plain.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect(await plain.getByText('Passkeys need JavaScript').isVisible()).toBe(true);
    expect(await plain.getByRole('button', { name: 'Add the passkey' }).isVisible()).toBe(false);
    await plain.context().close();
  });
});
