// Tests what an admin does with the policy in the console, in Chromium against the shipped program: a check that names
// a fault, a check that shows what a policy would concern, a save, and the explanation of a version that it blocks.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse, openPage, type Browsing } from '../util/browser.ts';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { tabTo } from '../util/page-actions.ts';
import { shownFaults } from '../util/page-fault.ts';
import { lacks } from '../util/tool.ts';

/** The admin that `startManagedRegistry` creates. */
const person = { email: 'ada@example.org', password: 'correct horse battery staple' };
const policyOf = (name: string): string =>
  JSON.stringify({ rules: [{ rule: 'license', name, action: 'block', allow: ['MIT'] }] }, undefined, 2);

describe.skipIf(lacks('chromium-headless-shell'))('the policy in the console', () => {
  let registry: ManagedRegistry;
  let browsing: Browsing;
  let page: Page;

  beforeAll(async () => {
    registry = await startManagedRegistry({});
    writeTree(registry.folder.at('packages'), {
      ...below('one', libraryTree('acme/hello', { version: '1.0.0', license: 'MIT' })),
      ...below('two', libraryTree('acme/hello', { version: '1.1.0', license: 'GPL-3.0-only' })),
    });
    const { exitCode, stderr } = await registry.cli('build', 'packages');
    if (exitCode > 1) throw new Error(stderr);
    browsing = await browse(`${registry.url()}/ui/sign-in?next=/policy`);
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
    await on.getByRole('heading', { name: 'Policy', exact: true }).waitFor();
  }

  /** As five minutes after it. */
  const forgetPassword = (on: Page) => on.context().clearCookies({ name: /confirmed/ });

  const panel = (on: Page) => on.locator('#check');

  it('a person without a mouse checks a policy, mends its fault, sees what it concerns, and saves it', async () => {
    await forgetPassword(page);
    await tabTo(page, 'Edit the policy');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Edit the policy' }).waitFor();
    await tabTo(page, 'Edit as JSON');
    await page.keyboard.press('Enter');
    const text = page.getByLabel('Rules and exceptions, as JSON');
    await text.fill(policyOf('Licences'));
    await tabTo(page, 'Check');
    await page.keyboard.press('Enter');
    await panel(page).getByText('Rule 1, “Licences”: name').waitFor();
    expect(await shownFaults(page)).toEqual([]);
    expect(await text.inputValue()).toBe(policyOf('Licences'));
    await text.fill(policyOf('licences'));
    await tabTo(page, 'Check');
    await page.keyboard.press('Enter');
    await panel(page).getByText('New: rule licences').waitFor();
    await panel(page).getByText('acme/hello 1.1.0').waitFor();
    expect(await shownFaults(page)).toEqual([]);
    await page.getByLabel('Your password').fill(person.password);
    await tabTo(page, 'Save the policy');
    await page.keyboard.press('Enter');
    await page.getByText('The policy is saved.').waitFor();
    await page.getByText('another licence than MIT').waitFor();
    expect(await shownFaults(page)).toEqual([]);
  });

  it('the blocked version is marked, and its page leads to what each rule says', async () => {
    await page.goto(`${registry.url()}/ui/packages/acme/hello/versions`);
    await page.getByText('blocked', { exact: true }).waitFor();
    expect(await shownFaults(page)).toEqual([]);
    const menu = page.locator('summary', { has: page.getByLabel('More about 1.1.0') });
    await menu.press('Enter');
    await page.getByText('Blocked by the rule').waitFor();
    expect(await shownFaults(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await page.getByText('Blocked by the rule').waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
    const heights = `[...document.querySelectorAll('tbody tr')].map((row) => row.offsetHeight)`;
    expect(Math.max(...(await page.evaluate<number[]>(heights)))).toBeLessThan(55); // one line
    await menu.press('Enter');
    await page.getByRole('link', { name: 'What each rule says' }).click();
    await page.getByText('acme/hello 1.1.0 is blocked').waitFor();
    expect(await shownFaults(page)).toEqual([]);
  });

  it('without JavaScript, on a phone, a policy is checked and saved too', async () => {
    const plain = await openPage({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
    await plain.goto(`${registry.url()}/ui/sign-in?next=/policy`);
    await signIn(plain);
    await plain.getByRole('link', { name: 'Edit the policy' }).click();
    await plain.getByText('It concerns 1 version now').waitFor();
    await forgetPassword(plain);
    await plain.reload();
    await plain.getByLabel('Remove licences').check();
    await plain.getByRole('button', { name: 'Block severe advisories' }).click();
    await panel(plain).getByText('Removed: rule licences').waitFor();
    await plain.getByLabel('Severity, or worse').selectOption('critical');
    const width = await plain.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(320);
    await plain.getByLabel('Your password').fill(person.password);
    await plain.getByRole('button', { name: 'Save the policy' }).click();
    await plain.getByText('a security advisory, critical or worse').waitFor();
    await plain.context().close();
  });
});
