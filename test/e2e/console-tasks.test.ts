// Tests what people do in the console, in Chromium against the shipped program: create the first admin, register a git
// repository, follow its sync, upload a ZIP, and roll back. Then the same forms with JavaScript off, and the way of a
// person who has a keyboard only. console-tokens.series.test.ts has the way of a token to Composer.

import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse, openPage, type Browsing } from '../util/browser.ts';
import { startGitHttpServer, type GitHttpServer } from '../util/git-http-server.ts';
import { createRepository } from '../util/git-repository.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { drop, tabTo } from '../util/page-actions.ts';
import { startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

const person = { email: 'ada@example.org', password: 'correct horse battery' };

const zip = (name: string): Buffer =>
  zipOf([{ name: 'composer.json', data: JSON.stringify({ name, version: '1.0.0' }) }]);

describe.skipIf(lacks('chromium-headless-shell', 'git'))('the tasks of a person', () => {
  const folder = temporaryFolder('console-tasks');
  let git: GitHttpServer;
  let serving: RunningCli;
  let setupAddress = '';
  let browsing: Browsing;
  let page: Page;
  let plain: Page; // with JavaScript off
  let ofCheck = 0; // the requests of git for a check

  beforeAll(async () => {
    for (const name of ['tool', 'log', 'other'])
      createRepository(
        folder.at(`remote/${name}.git`),
        [
          { commit: 'main', files: { 'composer.json': JSON.stringify({ name: `acme/${name}` }) } },
          { tag: '1.0.0', at: 'main' },
        ],
        { bare: true },
      );
    git = await startGitHttpServer(folder.at('remote'));
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', egress: { allow: ['127.0.0.0/8'] } }));
    serving = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
    [setupAddress] = await serving.shows(/http:\/\/\S+\/ui\/setup\?code=\w+/);
    browsing = await browse(setupAddress);
    page = browsing.page;
  });
  afterAll(async () => {
    await browsing[Symbol.asyncDispose]();
    serving.signal('SIGTERM');
    await serving.ended;
    await git.close();
    await folder.remove();
  });

  const open = (on: Page, path: string) => on.goto(new URL(`/ui${path}`, setupAddress).href);
  const press = (on: Page, name: string) => on.getByRole('main').getByRole('button', { name, exact: true }).click();
  const gets = (): number => git.requests.filter((one) => one.startsWith('GET')).length;
  const heading = (on: Page, name: string) => on.getByRole('heading', { name, exact: true }).waitFor();

  it('creates the first admin at the printed address', async () => {
    await page.getByLabel('Email').fill(person.email);
    for (const field of await page.locator('input[type=password]').all()) await field.fill(person.password);
    await press(page, 'Create the admin');
    await heading(page, 'Overview');
  });

  itInSeries('checks a repository before it is added, and keeps its password in the form', async () => {
    await open(page, '/repositories/new');
    await page.getByLabel('Address').fill(`${git.url}/none.git`);
    const secret = page.getByLabel('Password or token');
    expect([await secret.isVisible(), await page.getByLabel('Private key').isVisible()]).toEqual([false, false]);
    await page.getByLabel('Way').selectOption('ssh_key');
    expect([await secret.isVisible(), await page.getByLabel('Private key').isVisible()]).toEqual([false, true]);
    await page.getByLabel('Way').selectOption('basic');
    await secret.fill('a secret');
    await page.getByLabel('Way').selectOption('none');
    await press(page, 'Check');
    await page.getByText('It cannot be read').waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByLabel('Address').fill(`${git.url}/neither.git`);
    await page.getByLabel('Address').press('Enter');
    await page.getByText('Nothing was stored.').waitFor();
    const shown = await page.getByText('Nothing was stored.').boundingBox();
    expect((shown?.y ?? 0) > 0 && (shown?.y ?? 800) < 800).toBe(true);
    expect(await page.getByRole('button', { name: 'Add it anyway' }).isVisible()).toBe(true);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByLabel('Address').fill(`${git.url}/tool.git`);
    const before = gets();
    await press(page, 'Check');
    await page.getByText('It can be read: 1 tag, 1 branch, default branch main.').waitFor();
    ofCheck = gets() - before;
    expect(await page.getByLabel('Password or token').inputValue()).toBe('a secret');
    expect(new URL(page.url()).pathname).toBe('/ui/repositories/new');
  });

  itInSeries('adds the repository, and shows the log of its sync while it runs, and then its packages', async () => {
    let release = (): void => undefined;
    git.behave({ hangAfterGets: ofCheck, until: new Promise((resolve) => (release = resolve)) });
    await page.getByLabel('Address').press('Enter');
    await heading(page, 'Sync of tool');
    await page.getByText('its first sync has started').waitFor();
    await page.getByText('running', { exact: true }).waitFor();
    const log = page.getByLabel('the log of the sync', { exact: true });
    const before = await log.innerText();
    release();
    await page.getByText('succeeded', { exact: true }).waitFor();
    git.behave('well');
    expect((await log.innerText()).length).toBeGreaterThan(before.length);
    await page.getByRole('link', { name: '1.0.0', exact: true }).waitFor();
    await page.getByRole('link', { name: 'tool', exact: true }).click();
    await page.getByRole('cell', { name: 'acme/tool', exact: true }).waitFor();
    await page.getByRole('link', { name: '2 versions', exact: true }).waitFor();
  });

  it('publishes a ZIP that is dropped on the page, and shows how much was sent', async () => {
    await open(page, '/uploads');
    const bar = page.getByRole('progressbar');
    expect(await bar.isVisible()).toBe(false);
    await page.route('**/ui/uploads/file', async (route) => {
      await bar.waitFor(); // the upload is still on its way
      await route.continue();
    });
    await page.evaluate(`globalThis.bar = document.querySelector('progress')`);
    await drop(page, zip('acme/dropped'));
    await page.getByText('acme/dropped 1.0.0 is published.').waitFor();
    expect(await page.evaluate('globalThis.bar.value')).toBe(1);
    await page.unroute('**/ui/uploads/file');
    await page.getByRole('cell', { name: 'acme/dropped 1.0.0', exact: true }).waitFor();
  });

  itInSeries('says why a dropped file is refused, and takes the next one', async () => {
    const { complaints } = browsing;
    // the answer to a repository that cannot be read has the status 400
    expect(complaints.filter((text) => !text.includes('/ui/repositories/new'))).toEqual([]);
    await drop(page, Buffer.from('no ZIP'));
    await page.getByText('it has no end record').waitFor();
    await drop(page, zip('acme/second'));
    await page.getByText('acme/second 1.0.0 is published.').waitFor();
    expect(complaints.filter((text) => !/\/ui\/(?:uploads\/file|repositories\/new)/.test(text))).toEqual([]);
  });

  itInSeries('rolls back to an earlier publication', async () => {
    await open(page, '/history/1');
    await page.getByRole('link', { name: 'Roll back to here' }).click();
    await page.getByText('The rollback withdraws 2 versions.').waitFor();
    await page.getByLabel('Write 1 to confirm').fill('1');
    await press(page, 'Roll back to 1');
    await page.getByText('as a rollback to').waitFor();
    await open(page, '/packages');
    await page.getByRole('link', { name: 'acme/tool' }).waitFor();
    expect(await page.getByRole('link', { name: 'acme/dropped' }).count()).toBe(0);
  });

  itInSeries('registers a repository and uploads a ZIP with JavaScript off', async () => {
    plain = await openPage({ javaScriptEnabled: false });
    await open(plain, '/sign-in?next=/repositories/new');
    await plain.getByLabel('Email').fill(person.email);
    await plain.getByLabel('Password').fill(person.password);
    await press(plain, 'Sign in');
    await plain.getByLabel('Address').fill(`${git.url}/log.git`);
    await press(plain, 'Check');
    await plain.getByText('It can be read: 1 tag').waitFor();
    await press(plain, 'Add repository');
    await plain.getByText('succeeded', { exact: true }).waitFor();
    await plain.getByRole('link', { name: '1.0.0', exact: true }).waitFor();

    await open(plain, '/uploads');
    const file = { name: 'a.zip', mimeType: 'application/zip', buffer: zip('acme/chosen') };
    await plain.getByLabel('ZIP of a package').setInputFiles(file);
    await press(plain, 'Upload');
    await plain.getByRole('link', { name: 'acme/chosen 1.0.0' }).first().click();
    await heading(plain, 'acme/chosen');
  });

  itInSeries('previews, makes and revokes a limited token, and rolls back, with JavaScript off', async () => {
    await open(plain, '/tokens/new');
    await plain.getByLabel('Description').fill('CI of the shop');
    await plain.getByLabel('Package', { exact: true }).fill('acme/log:^1');
    await press(plain, 'Preview what it sees');
    await heading(plain, 'Sees 1 of 3 packages');
    await press(plain, 'Create token');
    await plain.getByText('Copy the secret now.').waitFor();
    await open(plain, '/tokens');
    await plain.getByRole('link', { name: 'CI of the shop' }).click();
    await plain.getByRole('link', { name: 'Revoke' }).click();
    await heading(plain, 'Revoke CI of the shop?');
    await press(plain, 'Revoke token');
    await plain.getByText('The registry refuses it from now on.').waitFor();

    await open(plain, '/history/5/roll-back');
    await plain.getByLabel('Write 5 to confirm').fill('6');
    await press(plain, 'Roll back to 5');
    await plain.getByText('Write 5: the rollback withdraws versions.').waitFor();
    await plain.getByLabel('Write 5 to confirm').fill('5');
    await press(plain, 'Roll back to 5');
    await plain.getByText('as a rollback to').waitFor();
    await plain.context().close();
  });

  itInSeries.each([
    {
      task: 'a limited token with its lines',
      from: '/overview',
      steps: ['Tokens', 'Create token', 'Description: CI', 'Package: acme/log:^1', 'Create token'],
      shows: 'composer config',
    },
    {
      task: 'a git repository, and its versions',
      from: '/overview',
      steps: ['Repositories', 'Add repository', 'Address: GIT/other.git', 'Add repository'],
      shows: 'acme/other 1.0.0',
    },
    {
      task: 'withdraw a version, as before',
      from: '/packages/acme/other',
      steps: ['Versions 2', 'Withdraw 1.0.0', 'Withdraw 1.0.0'],
      shows: 'is withdrawn',
    },
    {
      task: 'why is a version missing, as before',
      from: '/packages/acme/other',
      steps: ['Why', 'Version or constraint: 1.0.0', 'Explain'],
      shows: 'withdrawn',
    },
    {
      task: 'invite a person, as before',
      from: '/people',
      steps: ['Invite a person', 'Email: joan@example.org', 'Create invitation'],
      shows: '/ui/invitation',
    },
    {
      task: 'roll back, as before',
      from: '/history/6',
      steps: ['Roll back to here', 'Write 6 to confirm: 6', 'Roll back to 6'],
      shows: 'as a rollback to',
    },
  ])('takes no further press: $task', async ({ from, steps, shows }) => {
    await open(page, from);
    for (const step of steps) {
      const [name = '', text] = step.split(': ');
      const main = page.locator('main, nav, dialog');
      if (text !== undefined) {
        await main.getByLabel(name, { exact: true }).last().fill(text.replace('GIT', git.url));
        continue;
      }
      const link = main.getByRole('link', { name, exact: true });
      const target = link.or(main.getByRole('button', { name, exact: true })).last();
      const asks = (await target.getAttribute('data-dialog')) !== null;
      await target.click();
      if (asks) await page.getByRole('dialog').waitFor();
    }
    await page.getByText(shows).first().waitFor();
  });

  itInSeries(
    'leads a person without a mouse from the sign-in to a package, and to a token that is made and revoked',
    async () => {
      const keys = await openPage();
      const { keyboard } = keys;
      /** Presses Enter, and waits for the page with this heading. */
      const enter = async (title: string): Promise<void> => {
        await keyboard.press('Enter');
        await heading(keys, title);
        await keys.waitForLoadState('load');
      };
      await open(keys, '/sign-in');
      // a browser may move the focus to the first field after the load event
      await keys.locator('input[name=email]:focus').waitFor();
      await keyboard.type(person.email);
      await tabTo(keys, 'Password');
      await keyboard.type(person.password);
      await enter('Overview');
      await keyboard.press('/');
      await keyboard.type('tool');
      await enter('acme/tool');
      // the line to install it: found by one key, copied by one click
      await keys.locator('[data-copy] .copy').first().click();
      await keys.getByText('Copied', { exact: true }).first().waitFor();

      await tabTo(keys, 'Tokens');
      await enter('Tokens');
      await tabTo(keys, 'Create token');
      await enter('Create token');
      await tabTo(keys, 'Description');
      await keyboard.type('A laptop');
      await tabTo(keys, 'Create token');
      await enter('A laptop');
      await tabTo(keys, 'Tokens');
      await enter('Tokens');
      await tabTo(keys, 'A laptop');
      await enter('A laptop');
      await tabTo(keys, 'Revoke');
      await enter('Revoke A laptop?');
      await tabTo(keys, 'Revoke token');
      await enter('A laptop');
      await keys.getByText('The registry refuses it from now on.').waitFor();
      await keys.context().close();
    },
  );
});
