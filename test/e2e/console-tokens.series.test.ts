// Tests the way of a token through a real browser and the real Composer: a person limits a new token while the preview
// counts, pastes what the page shows, installs, and revokes it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse, type Browsing } from '../util/browser.ts';
import { createProject, type Project } from '../util/composer.ts';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { lacks } from '../util/tool.ts';

const person = { email: 'ada@example.org', password: 'correct horse battery staple' };
const published = ['acme/core 1.0.0', 'acme/core 2.0.0', 'acme/log 1.0.0', 'tools/cli 1.0.0'];

describe.skipIf(lacks('chromium-headless-shell', 'composer', 'php'))('a token from the console', () => {
  let registry: ManagedRegistry;
  let browsing: Browsing;
  let project: Project;

  beforeAll(async () => {
    registry = await startManagedRegistry({});
    for (const release of published) {
      const [name, version] = release.split(' ');
      const folder = registry.folder.at(`packages/${release.replace(' ', '/')}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(`${folder}/composer.json`, JSON.stringify({ name, version }));
    }
    expect((await registry.cli('build', 'packages')).exitCode).toBe(0);
    project = createProject({ url: '', only: true });
    browsing = await browse(`${registry.url()}/ui/sign-in?next=/tokens/new`);
    const { page } = browsing;
    await page.locator('#email').fill(person.email);
    await page.locator('#password').fill(person.password);
    await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Create token' }).waitFor();
  });
  afterAll(async () => {
    await browsing[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
    await project.remove();
  });

  const install = (requirement: string) => project.run('require', requirement);

  it('is previewed while one types its limits', async () => {
    const { page } = browsing;
    const sees = (text: string) => page.getByRole('heading', { name: `Sees ${text} packages`, exact: true }).waitFor();
    await sees('3 of 3');
    await page.getByLabel('Description').fill('CI of the shop');
    const fields = page.getByRole('main').locator('input:visible, select:visible, textarea:visible');
    expect(await fields.evaluateAll((all) => new Set(all.map((one) => one.getAttribute('name'))).size)).toBe(5);
    await page.getByLabel('Package', { exact: true }).fill('acme/log');
    await sees('1 of 3');
    await page.getByRole('button', { name: 'Add a package' }).click();
    await page.keyboard.type('acme/core');
    await page.getByLabel('Versions', { exact: true }).last().fill('<2.0');
    await page.getByText('1 of 2 versions').waitFor();
    expect(new URL(page.url()).pathname).toBe('/ui/tokens/new');
    expect(await page.getByRole('button', { name: 'Preview' }).count()).toBe(0);
  });

  it('shows its secret once, though the button is pressed twice and the page is loaded again', async () => {
    const { page } = browsing;
    const button = page.getByRole('button', { name: 'Create token' });
    await button.scrollIntoViewIfNeeded();
    const box = (await button.boundingBox()) ?? expect.fail('the button is not shown');
    const press = () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    let posts = 0;
    await page.route('**/ui/tokens/new', async (route) => {
      posts += 1;
      if (posts === 1) await press(); // the first post is still on its way
      await route.continue();
    });
    await press();
    await page.getByText('Copy the secret now.').waitFor();
    await page.unroute('**/ui/tokens/new');
    expect(posts).toBe(1);
    const lines = (await page.getByLabel('the lines for Composer', { exact: true }).innerText()).trim().split('\n');
    for (const line of lines) {
      const [composer, ...words] = line.split(' ');
      expect(composer).toBe('composer');
      expect((await project.run(...words)).exitCode, line).toBe(0);
    }
    await page.reload();
    await page.getByText('This form has made this token already.').waitFor();
    expect(await page.content()).not.toContain('lib_r_');
    const { json } = await registry.api('GET', '/api/tokens');
    expect(json['data']).toHaveLength(1);
  });

  it('installs with Composer what the preview showed, and nothing else', async () => {
    const done = await install('acme/core:*');
    expect(done.exitCode, done.output).toBe(0);
    expect(project.locked()['acme/core']?.version).toBe('1.0.0');
    expect((await install('acme/core:^2.0')).exitCode).not.toBe(0);
    expect((await install('tools/cli')).exitCode).not.toBe(0);
  });

  it('is refused as soon as the person has revoked it in the dialog', async () => {
    const { page, complaints } = browsing;
    await page.getByRole('link', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke CI of the shop?' });
    await dialog.getByText('from 127.0.0.1').waitFor();
    await dialog.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('The registry refuses it from now on.').waitFor();
    const refused = await install('acme/log');
    expect([refused.exitCode === 0, refused.output]).toEqual([false, expect.stringContaining('401')]);
    expect(complaints).toEqual([]);
  });
});
