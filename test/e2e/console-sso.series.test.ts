// Tests sign-in at an identity provider in Chromium: the shipped server, a certified provider on another site, and
// people who sign in, confirm, and sign out at either side. Each page of the console has to be accessible.

import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse, openPage, type Browsing } from '../util/browser.ts';
import { signInOnPage } from '../util/identity-provider-visitor.ts';
import { clientSecret, startIdentityProvider, type IdentityProvider } from '../util/identity-provider.ts';
import { shownFaults } from '../util/page-fault.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { standardProvider } from '../util/sso-provider.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

describe.skipIf(lacks('chromium-headless-shell'))('sign-in at an identity provider, in Chromium', () => {
  const folder = temporaryFolder('console-sso');
  let provider: IdentityProvider;
  let serving: RunningCli;
  let browsing: Browsing;
  let root = '';
  let origin = '';
  let page: Page;

  beforeAll(async () => {
    provider = await startIdentityProvider({ host: 'localhost', path: '/realms/acme' });
    provider.people.set('grace', {
      sub: 'subject-of-grace',
      claims: { email: 'grace@example.org', email_verified: true, name: 'Grace Hopper', groups: ['ops'] },
    });
    const identityProviders = [{ ...standardProvider, issuer: provider.url }];
    const settings = { identityProviders, egress: { allow: ['127.0.0.0/8', '::1'] } };
    writeFileSync(folder.at('libretto.json'), JSON.stringify(settings));
    serving = startCli(['serve', '--listen', '127.0.0.1:0'], {
      cwd: folder.path,
      environment: { ACME_SECRET: clientSecret },
    });
    const [setup] = await serving.shows(/http:\/\/\S+\/ui\/setup\?code=\w+/);
    root = setup.replace(/\/setup.*$/, '');
    ({ origin } = new URL(root));
    await provider.register(origin, 'acme');
    browsing = await browse(`${root}/sign-in`);
    page = browsing.page;
    page.setDefaultTimeout(8000);
  });
  afterAll(async () => {
    await browsing?.[Symbol.asyncDispose]();
    serving?.signal('SIGTERM');
    await serving?.ended;
    await provider?.[Symbol.asyncDispose]();
    await folder.remove();
  });

  const button = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  const shows = (text: string) => page.getByText(text).first().waitFor();
  const isGood = async (): Promise<void> => expect(await shownFaults(page)).toEqual([]);

  it('leads to the provider and back to the page that was asked for', async () => {
    await page.goto(`${root}/account`);
    await isGood();
    await button('Sign in with Acme login').click();
    await signInOnPage(page, 'grace', origin);
    await heading('Your account');
    await shows('grace@example.org');
    expect(new URL(page.url()).pathname).toBe('/ui/account');
    await isGood();
  });

  it('confirms a dangerous form by the password at the provider', async () => {
    await page.context().clearCookies({ name: /confirmed/ });
    await page.goto(`${root}/settings/people-and-sessions`);
    await isGood();
    await button('Confirm at Acme login').click();
    await signInOnPage(page, 'grace', origin);
    await page.waitForURL(/people-and-sessions/);
    expect(await button('Confirm at Acme login').count()).toBe(0);
  });

  it('signing out at the provider ends the session here, and no other', async () => {
    const other = await openPage();
    await other.goto(`${root}/sign-in`);
    await other.getByRole('button', { name: 'Sign in with Acme login' }).click();
    await signInOnPage(other, 'grace', origin);
    await page.goto(`${provider.url}/session/end?client_id=libretto`);
    await page.click('button[name=logout]');
    await page.getByRole('heading', { name: /Sign-out Success/ }).waitFor();
    await page.goto(`${root}/account`);
    await heading('Sign in');
    await other.goto(`${root}/account`);
    await other.getByRole('heading', { name: 'Your account' }).waitFor();
    await other.context().close();
  });

  it('signing out here leads to the sign-out of the provider, which then asks for the password again', async () => {
    await page.goto(`${root}/sign-in`);
    await button('Sign in with Acme login').click();
    await signInOnPage(page, 'grace', origin);
    await heading('Overview');
    await page.goto(`${root}/sign-out`);
    await button('Sign out').click();
    await heading('You are signed out here');
    await isGood();
    await page.getByRole('link', { name: 'Sign out at Acme login too' }).click();
    await page.click('button[name=logout]');
    await heading('Sign in');
    expect(page.url()).toBe(`${root}/sign-in`);
    await button('Sign in with Acme login').click();
    await signInOnPage(page, 'grace', origin);
    await heading('Overview');
  });

  it('a provider that is down lets nobody in, and the page says so and what to do', async () => {
    await page.context().clearCookies({ name: /session/ });
    provider.fail('down', ['/realms/acme/token']);
    await page.goto(`${root}/sign-in?next=/account`);
    await button('Sign in with Acme login').click();
    await heading('You are not signed in');
    await shows('Sessions that run stay open.');
    await isGood();
    provider.fail(undefined);
    await button('Begin again with Acme login').click();
    await heading('Overview');
  });

  it('a browser that lost its cookies on the way begins again', async () => {
    await page.context().clearCookies();
    await page.goto(`${root}/sign-in`);
    await button('Sign in with Acme login').click();
    await page.waitForSelector('input[name=login]');
    await page.context().clearCookies({ name: /libretto/ });
    await signInOnPage(page, 'grace', origin);
    await heading('You are not signed in');
    await isGood();
    await button('Begin again with Acme login').click();
    await heading('Overview');
  });

  it('doctor names people whose provider is not configured any more', async () => {
    serving.signal('SIGTERM');
    await serving.ended;
    writeFileSync(folder.at('libretto.json'), JSON.stringify({}));
    const { stdout } = await runCli(['doctor', '--json'], { cwd: folder.path });
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly check: string }[] };
    expect(checks.filter(({ check }) => check === 'people')).toMatchObject([
      { message: expect.stringContaining('1 person has no way to sign in') as string },
    ]);
    expect(stdout).toContain('grace@example.org');
  });
});
