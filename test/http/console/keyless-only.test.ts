// Tests the section and the page of the console about packages that only CI jobs of trusted publishers upload.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { audience } from '../../util/publisher-claims.ts';
import { runConsole, type PageReply, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

const path = '/publishers/keyless-only';
let nowMs = Date.parse('2026-11-27T10:00:00Z');
let console: RunningConsole;
let admin: TestBrowser;
let password = '';

beforeAll(async () => {
  console = await runConsole({ now: () => nowMs, settings: { publicUrl: audience } });
  ({ browser: admin, password } = await console.signIn('admin'));
  await publishers().create({
    issuer: 'github',
    purpose: 'publish',
    name: 'Release',
    repository: 'acme/app',
    packages: ['acme/app'],
  });
  await publishers().create({ issuer: 'github', purpose: 'read', name: 'Shop', repository: 'acme/shop' });
});
beforeEach(async () => {
  await console.registry.services.settings.update({ 'publishing.keyless_only': null }, 'cli:test');
});
afterAll(() => console[Symbol.asyncDispose]());

const publishers = () => console.registry.services.publishersOf('cli:test');
const save = (patterns: string): Promise<PageReply> => admin.post(path, { patterns, current_password: password });
const stored = async (): Promise<readonly string[]> =>
  (await console.registry.services.settings.current())['publishing.keyless_only'];

it('an admin sets packages, sees who publishes them, and unsets them', async () => {
  expect((await admin.get('/publishers')).text).toContain('Every package may also be uploaded with a stored token');
  const form = await admin.get(path);
  expect(form.text).toContain('Publishers publish acme/app.');
  const done = await save('acme/*\nother/tool\nacme/*');
  expect([done.status, done.headers['location']]).toEqual([303, expect.stringContaining('notice=keyless')]);
  expect(await stored()).toEqual(['acme/*', 'other/tool']);
  const list = await admin.get('/publishers?notice=keyless');
  expect(list.text).toContain('The keyless only packages are saved.');
  expect(list.text).toMatch(/Packages Publishers acme\/\* Release other\/tool none: nobody can upload/);
  expect((await admin.get(path)).html).toMatch(/<textarea[^>]*>acme\/\*\nother\/tool<\/textarea>/);
  expect((await admin.get('/audit')).text).toContain('publishing.keyless_only');

  expect((await save('acme/*\nother/tool')).headers['location']).toContain('notice=same');
  expect((await save('')).headers['location']).toContain('notice=keyless-none');
  expect(await stored()).toEqual([]);
});

it('a text that is no pattern is refused beside the field, and stays there', async () => {
  const refused = await save('acme/app\nno package');
  expect([refused.status, refused.html.includes('aria-invalid="true"')]).toEqual([400, true]);
  expect(refused.html).toContain('no package</textarea>');
  expect(await stored()).toEqual([]);
});

it('the password is asked for again, and without it nothing changes', async () => {
  nowMs += 6 * 60_000;
  for (const name of admin.cookies.keys()) if (name.includes('confirmed')) admin.cookies.delete(name);
  expect((await admin.get(path)).html).toContain('name="current_password"');
  const without = await admin.post(path, { patterns: 'acme/app' });
  expect([without.status, without.text]).toEqual([400, expect.stringContaining('Enter your password')]);
  expect(await stored()).toEqual([]);
  expect((await save('acme/app')).status).toBe(303);
  expect(await stored()).toEqual(['acme/app']);
});

it('maintainers and viewers may not open or send the form', async () => {
  for (const role of ['maintainer', 'viewer'] as const) {
    const { browser } = await console.signIn(role);
    expect((await browser.get(path)).status, role).toBe(403);
    expect((await browser.post(path, { patterns: 'acme/app' })).status, role).toBe(403);
  }
  expect(await stored()).toEqual([]);
});
