// Tests the pages about settings: values with their origin, forms for each kind of value, and fixed settings.

import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/config/config.ts';
import { baselineOf } from '../../../cli/state/state-settings.ts';
import { shownConfiguration } from '../../../cli/state/shown-configuration.ts';
import { settingPage } from '../../../proxy/settings/setting-groups.ts';
import { runConsole, type PageReply, type RunningConsole } from '../../util/running-console.ts';

/** A console of a server that was started with these variables. */
async function runWith(environment: Readonly<Record<string, string>>): Promise<RunningConsole> {
  const config = await loadConfig({ flags: {}, environment, workingDirectory: '/nowhere' });
  return runConsole({ baseline: baselineOf(config), configuration: shownConfiguration(config) });
}

/** The value of a setting, as the service has it. */
async function valueOf(console: RunningConsole, key: string): Promise<unknown> {
  return (await console.registry.services.settings.describe()).find((one) => one.key === key)?.value;
}

/** The text of the row of a setting. */
function rowOf({ html }: PageReply, key: string): string {
  const row = html.split('<tr>').find((one) => new RegExp(`<code[^>]*>${key}</code>`).test(one)) ?? '';
  return row
    .replaceAll(/<svg.*?<\/svg>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

describe('the list of settings', () => {
  it('shows value, origin and purpose, and changes only for admins', async () => {
    await using console = await runWith({ LIBRETTO_READ_LIMIT: '7', LIBRETTO_STATISTICS_BY: 'token' });
    const { browser } = await console.signIn('admin');
    await console.registry.services.settings.update({ 'limits.write': 9 }, 'cli:ada');
    const page = await browser.get('/settings');
    expect(rowOf(page, 'limits.write')).toMatch(/Requests per hour of a write token limits.write 9 changed here/);
    expect(rowOf(page, 'statistics.by')).toMatch(/token .*LIBRETTO_STATISTICS_BY/);
    expect(rowOf(page, 'retention.jobs')).toMatch(/20 the default/);
    expect(rowOf(page, 'mirroring.enabled')).toContain('off');
    expect(rowOf(page, 'sessions.lifetime')).toContain('12 hours the default');
    expect(rowOf(page, 'mirroring.minimum_age')).toContain('0 seconds the default');
    expect(page.text).toMatch(
      /Changed here .*Requests per hour of a write token limits\.write 9 changed here .*Name and colour/,
    );
    expect(page.html).not.toContain('<details open');
    const viewer = await console.signIn('viewer');
    const seen = await viewer.browser.get('/settings');
    expect(seen.status).toBe(200);
    expect(page.html).toContain('href="settings/request-limits"');
    expect(seen.html).not.toContain('href="settings/');
    expect(seen.text).not.toContain('Configuration of the server');
  });

  it('gives the registry its name and colour, on the page for signing in too', async () => {
    await using console = await runConsole();
    const { settings } = console.registry.services;
    await settings.update({ 'branding.name': 'Acme & Co <packages>', 'branding.color': 'teal' }, 'cli:ada');
    const { browser: viewer } = await console.signIn('viewer');
    for (const { html } of [await console.browser().get('/sign-in'), await viewer.get('/settings')]) {
      expect(html).toContain('<html lang="en" data-color="teal">');
      expect(html).toMatch(/<title>\S.* · Acme &amp; Co &lt;packages&gt;<\/title>/);
      expect(html).toContain('<span>Acme &amp; Co &lt;packages&gt;</span>');
    }
    for (const name of ['', ' Acme', 'a\nb', 'Acme\u202e', 'a'.repeat(41)])
      await expect(settings.update({ 'branding.name': name }, 'cli:ada')).rejects.toThrow('Invalid request');
    await expect(settings.update({ 'branding.color': 'mauve' }, 'cli:ada')).rejects.toThrow('Invalid request');
  });

  it('shows the configuration of the server with its origins, and no secret', async () => {
    await using console = await runWith({
      LIBRETTO_REDIS: 'redis://libretto:hunter2@redis.example:6379',
      LIBRETTO_ORIGIN: 'https://origin.example',
      LIBRETTO_ORIGIN_AUTHORIZATION: 'Bearer hunter3',
      LIBRETTO_LISTEN: '[::1]:9000',
    });
    const { browser } = await console.signIn('admin');
    const page = await browser.get('/settings');
    expect(rowOf(page, 'redis')).toContain('redis://***@redis.example:6379 LIBRETTO_REDIS');
    expect(rowOf(page, 'origin')).toContain('https://origin.example LIBRETTO_ORIGIN');
    expect(rowOf(page, 'originAuthorization')).toContain('set, and not shown LIBRETTO_ORIGIN_AUTHORIZATION');
    expect(rowOf(page, 'listen')).toContain('[::1]:9000 LIBRETTO_LISTEN');
    expect(rowOf(page, 'data')).toContain('/nowhere/var the default');
    expect(rowOf(page, 'sources')).toContain('not set the default');
    expect(rowOf(page, 'git.fetchTimeout')).toContain('300 seconds the default');
    expect(page.html).not.toMatch(/hunter[23]/);
  });
});

describe('a change of a setting', () => {
  it.each([
    ['limits.read', 'many', 'Must be a whole number from 0'],
    ['warnings', 'no constraint', 'Must be a list of at most 20 objects'],
    ['mirroring.url', 'http://packages.example', 'Must be an https address'],
  ])('of %s to something else is refused beside its field, and keeps what was typed', async (key, value, message) => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const reply = await browser.post(settingPage(key), { [key]: value });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(message)]);
    expect(reply.html).toContain('aria-invalid="true"');
    expect(reply.html).toContain(value);
  });

  it('that a variable fixes is not offered, and refused', async () => {
    await using console = await runWith({ LIBRETTO_METADATA_URL: '/p2/%package%.json' });
    const { browser } = await console.signIn('admin');
    expect(rowOf(await browser.get('/settings'), 'metadata_url')).toContain('fixed by LIBRETTO_METADATA_URL');
    const page = await browser.get('/settings/what-composer-learns');
    expect(page.text).toContain('Addresses of package documents is fixed by LIBRETTO_METADATA_URL.');
    expect(page.html).not.toContain('name="metadata_url"');
    const reply = await browser.post('/settings/what-composer-learns', { metadata_url: '/other/%package%.json' });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('fixes: metadata_url')]);
    expect(await valueOf(console, 'metadata_url')).toBe('/p2/%package%.json');
  });

  it('saves a group at once: what changed, and nothing that the form does not have', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const form = await browser.get('/settings/mirroring');
    expect(form.text).toContain('Mirror a public registry');
    expect(form.text).not.toMatch(/whether the registry mirrors|allowed: (true|allow)/i);
    expect(form.text).toMatch(/allowed: a whole number from 10 to 86400. Now 10 minutes/i);
    expect(form.text).toMatch(/an empty list: all. One in each line, at most 1000 package names/i);
    const posted = await browser.post('/settings/mirroring', {
      'mirroring.fresh': '60',
      'mirroring.missing': '60',
      'mirroring.deny': 'acme/*\nother/*',
      'mirroring.abandoned': 'warn',
    });
    expect(posted.status).toBe(303);
    const changed = (await console.registry.services.settings.describe()).filter(({ origin }) => origin === 'api');
    expect(Object.fromEntries(changed.map(({ key, value }) => [key, value]))).toEqual({
      'mirroring.fresh': 60,
      'mirroring.deny': ['acme/*', 'other/*'],
      'mirroring.abandoned': 'warn',
    });
  });

  it('has the address of its group: one of a single setting leads there, and one of none is not found', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    for (const old of ['limits.read', 'limits.read/reset']) {
      const reply = await browser.get(`/settings/${old}`);
      expect([reply.status, reply.headers['location']]).toEqual([
        303,
        expect.stringMatching(/settings\/request-limits$/),
      ]);
    }
    for (const key of ['limits.none', 'constructor']) expect((await browser.get(`/settings/${key}`)).status).toBe(404);
  });
});
