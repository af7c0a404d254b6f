// Tests the page “Used by” of a package, its CSV file, and the line about the users in the dialogs that take versions
// away.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent, request } from 'undici';
import { startManagedRegistry, type ManagedRegistry } from '../../util/managed-registry.ts';
import { below, libraryTree, writeTree } from '../../util/package-tree.ts';
import { startSmtpReceiver, type SmtpReceiver } from '../../util/smtp-receiver.ts';
import { openElements } from '../../util/page-text.ts';
import { runCli } from '../../util/run-cli.ts';
import { createBrowser, type PageReply, type TestBrowser } from '../../util/running-console.ts';
import { itInSeries } from '../../util/series.ts';

let registry: ManagedRegistry;
/** of the admin */
let browser: TestBrowser;
let viewer: TestBrowser;
const agent = new Agent();
let mailServer: SmtpReceiver;
const attack = '=1+1,"><script>alert(1)</script>';

beforeAll(async () => {
  mailServer = await startSmtpReceiver();
  registry = await startManagedRegistry({
    mail: `smtp://${mailServer.host}`,
    publicUrl: 'http://127.0.0.1:9',
    sources: [{ type: 'directory', path: 'packages' }],
    advisories: 'advisories.json',
  });
  const { folder } = registry;
  writeTree(folder.path, {
    'advisories.json': '[]',
    ...below('packages/one', libraryTree('acme/lib', { version: '1.0.0' })),
  });
  expect((await registry.cli('build')).exitCode).toBe(0);
  writeTree(folder.path, below('packages/two', libraryTree('acme/lib', { version: '2.0.0' })));
  expect((await registry.cli('build')).exitCode).toBe(0);
  browser = createBrowser(agent, registry.url());
  browser.cookies.set(`libretto-session-${new URL(registry.url()).port}`, registry.session);
});
afterAll(async () => {
  await agent.close();
  await registry[Symbol.asyncDispose]();
  await mailServer[Symbol.asyncDispose]();
});

const visit = (path: string): Promise<PageReply> => browser.get(`/packages/acme/lib${path}`);
const use = async (description: string, version: string): Promise<void> => {
  const { json } = await registry.api('POST', '/api/tokens', { description, kind: 'read' });
  const headers = { authorization: `Bearer ${String(json['token'])}` };
  const reply = await request(`${registry.url()}/dist/acme/lib/${version}.zip`, { headers });
  await reply.body.dump();
  expect(reply.statusCode).toBe(200);
};

describe('the page “Used by”', () => {
  it('says that nothing is counted, and leads to the setting', async () => {
    for (const path of ['/usage', '/withdraw?version=2.0.0', '/version?version=2.0.0']) {
      const { status, text, html } = await visit(path);
      expect([status, text]).toEqual([200, expect.stringContaining('Who uses it is not counted')]);
      expect(html).toContain('settings/counts-and-what-is-kept"');
    }
  });

  it('lists tokens with versions and states, filtered by a constraint, and escapes what they are called', async () => {
    expect((await registry.api('PATCH', '/api/settings', { statistics: { by: 'token' } })).status).toBe(200);
    for (const [description, version] of [
      ['CI of the shop', '2.0.0'],
      [attack, '2.0.0'],
      ['Third', '2.0.0'],
      ['Old one', '1.0.0'],
    ] as const)
      await use(description, version);
    const all = await visit('/usage');
    expect(all.text).toContain('Used by 4 tokens');
    expect(all.text).toMatch(/CI of the shop ada@example\.org 2\.0\.0 supported \d{4}-\d\d-\d\d 1 0/);
    expect(openElements(all.html).filter(({ name }) => name === 'script').length).toBe(
      openElements((await visit('')).html).filter(({ name }) => name === 'script').length,
    );
    const old = await visit('/usage?constraint=%5E1.0');
    expect(old.text).toContain('Used by 1 token');
    expect(old.text).not.toMatch(/CI of the shop|alone/);
    const short = await visit('/usage?constraint=1.0');
    expect(short.text).toContain('1.0 means 1.0.0 alone, as in Composer. Show all of 1.0.*');
    expect(short.html).toContain('lib/usage?constraint=1.0.*');
    expect((await visit('/usage?constraint=%3D%3D%3D')).text).toContain('neither a version nor a range');
    expect((await visit('/usage?constraint=%3E9')).text).toContain('No use is known');
    expect((await visit('')).html).toContain('lib/usage"');
  });

  itInSeries('gives a CSV file in which no cell is a formula', async () => {
    const { status, headers, html } = await visit('/usage?constraint=2.*&as=csv');
    expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
      200,
      'text/csv; charset=utf-8',
      expect.stringContaining('usage-acme-lib.csv'),
    ]);
    expect(html).toContain(`,"'=1+1,""><script>alert(1)</script>",read,`);
    expect(html.trim().split('\n')).toHaveLength(4);
  });

  itInSeries('a dialog that takes a version away names some of its users, and leads to all', async () => {
    const sentence = 'Used by 3 tokens since';
    for (const path of ['/packages/acme/lib/withdraw?version=2.0.0', '/history/1/roll-back']) {
      const { text, html } = await browser.get(path);
      expect(text, path).toContain(sentence);
      expect(text).toMatch(/; 1 more/);
      expect(html).toContain('usage?constraint=2.0.0&amp;since=');
    }
    expect((await visit('/version?version=1.0.0')).text).toContain('Used by 1 token since');
  });

  it('a message to the owners is shown before it is sent, with its reader and its frame', async () => {
    const { text, html } = await visit('/usage?constraint=2.*');
    expect([text, html]).toEqual([
      expect.stringContaining('Tell them'),
      expect.stringContaining('lib/tell?constraint=2'),
    ]);
    const form = await visit('/tell?constraint=2.*');
    expect(form.text).toContain('CI of the shop: ada@example.org');
    expect(form.text).not.toContain('Send it');
    const words = { constraint: '2.*', since: '', subject: 'Two ends', text: 'Take <i>3</i>.' };
    const post = (fields: Record<string, string>) => browser.post('/packages/acme/lib/tell', fields);
    const faulty = await post({ ...words, subject: '' });
    expect([faulty.status, faulty.text]).toEqual([400, expect.stringContaining('Take <i>3</i>.')]);
    const current_password = 'correct horse battery staple';
    expect(form.text).not.toContain('Your password');
    const preview = await post(words);
    expect(preview.text).toContain('Your password');
    for (const part of ['ada@example.org writes to the people who use acme/lib 2.* of', 'Send it to 1 person'])
      expect(preview.text).toContain(part);
    expect(preview.html).not.toContain('<i>');
    for (const wrong of [{}, { current_password: 'another one' }]) {
      const refused = await post({ ...words, ...wrong, send: '1' });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Send it to 1 person')]);
      expect(refused.text).toMatch(/Enter your password|This is not your password/);
    }
    expect(mailServer.mails).toEqual([]);
    const sent = await post({ ...words, current_password, send: '1' });
    expect([sent.status, sent.headers['location']]).toEqual([
      303,
      expect.stringMatching(/tell\?constraint=2\.\*&notice=told/),
    ]);
    await expect.poll(() => mailServer.mails).toHaveLength(1);
    expect(mailServer.mails[0]?.to).toEqual(['ada@example.org']);
    expect(mailServer.mails[0]?.source).toMatch(/^Subject: Two ends\r?$/m);
  });

  itInSeries('the page of a token lists what it used', async () => {
    const tokens = (await registry.api('GET', '/api/tokens')).json['data'] as { id: string; description: string }[];
    const { id } = tokens.find(({ description }) => description === 'Old one') ?? { id: '' };
    const { text, html } = await browser.get(`/tokens/${id}`);
    expect(text).toMatch(/Uses acme\/lib last on \d{4}-\d\d-\d\d/);
    expect(html).toContain('packages/acme/lib"');
  });

  it('a viewer sees neither the page nor the line', async () => {
    const made = await runCli(
      ['user', 'create', '--email', 'eve@example.org', '--role', 'viewer', '--password-stdin'],
      {
        cwd: registry.folder.path,
        input: 'correct horse battery\n',
      },
    );
    expect(made.exitCode, made.stderr).toBe(0);
    const other = createBrowser(agent, registry.url());
    await other.post('/sign-in', { email: 'eve@example.org', password: 'correct horse battery' });
    viewer = other;
    const { html, text } = await other.get('/packages/acme/lib/version?version=2.0.0');
    expect([html.includes('/usage'), text.includes('Used by')]).toEqual([false, false]);
    expect((await other.get('/packages/acme/lib/usage')).status).toBe(403);
  });
});

describe('a version that an advisory calls malware', () => {
  const advisory = { advisoryId: 'MAL-7', packageName: 'acme/lib', affectedVersions: '1.0.0', title: 'Steals keys' };
  const offered = async (): Promise<readonly string[]> => {
    const { json } = await registry.api('POST', '/api/tokens', { description: 'reads', kind: 'read' });
    const headers = { authorization: `Bearer ${String(json['token'])}` };
    const { body } = await request(`${registry.url()}/p2/acme/lib.json`, { headers });
    const { packages } = (await body.json()) as { packages: Record<string, object> };
    return Object.values((packages['acme/lib'] ?? {}) as Record<string, { version: string }>).map(
      ({ version }) => version,
    );
  };
  const textOf = async (path: string, of = browser): Promise<string> => (await of.get(path)).text;

  it('needs people, on the overview and on the page “Status”, who learn only what they may know', async () => {
    expect(await textOf('/overview', viewer)).toContain('All is well');
    const reportedAt = '2026-03-01T12:00:00+00:00';
    writeTree(registry.folder.path, { 'advisories.json': JSON.stringify([{ ...advisory, reportedAt }]) });
    expect((await registry.cli('build')).exitCode).toBe(0);
    await expect.poll(() => textOf('/overview')).toContain('acme/lib 1.0.0 is malware, used by');
    expect((await browser.get('/overview')).html).toMatch(/href="security"[^>]*>Open security/);
    expect(await textOf('/health')).toMatch(/Packages acme\/lib 1\.0\.0 is malware, used by Old one No rule/);
    const seen = await textOf('/overview', viewer);
    expect(seen).toContain('1 version is malware Ask an admin');
    expect(seen).not.toMatch(/Old one|All is well/);
    for (const [path, shown] of [
      ['', /composer require -n 'acme\/lib:\^2\.0'/],
      ['', /malware 1\.0\.0 (?!advisory)/],
      ['/versions', /2\.0\.0 latest .*1\.0\.0 malware/],
      ['/why', /1\.0\.0 malware Steals keys MAL-7 acme\/lib is published here/],
      ['/why?version=1.0.0', /malware Steals keys MAL-7 .*Known contents/],
      ['/version?version=1.0.0', /malware Steals keys \(1\.0\.0\)/],
      ['/compare?from=1.0.0&to=2.0.0', /From 1\.0\.0 malware .*To 2\.0\.0 (?!malware)/],
    ] as const)
      expect(await textOf(`/packages/acme/lib${path}`, viewer), path).toMatch(shown);
    expect(await textOf('/packages/acme/lib/why?version=1.0.0')).not.toContain('is published here');
    for (const version of [['1.0.0'], []])
      expect((await registry.cli('why', 'acme/lib', ...version)).stdout).toContain('is malware (MAL-7: Steals keys).');
    expect((await browser.get('/packages/acme/lib/versions')).html).not.toContain('composer require -n acme/lib:1.0.0');
    expect(await textOf('/packages/acme/lib/why?version=2.0.0')).toContain('2.0.0 is published here');
    expect(await textOf('/packages/acme/lib/version?version=1.0.0')).not.toContain('composer require');
    expect(await textOf('/packages?state=advisory', viewer)).toMatch(/1 package .*acme\/lib malware 1\.0\.0/);
  });

  itInSeries('is blocked by the template of the policy, and the page “Security” says whether it is', async () => {
    const open = await browser.get('/security');
    expect(open.text).toContain('1 version is malware. No rule of the policy refuses acme/lib 1.0.0.');
    expect(open.html).toMatch(/<a href="packages\/acme\/lib\/version\?version=1\.0\.0">1\.0\.0/);
    for (const [page, label] of [
      ['usage?constraint', 'Used by 1 token'],
      ['tell?constraint', 'Tell them'],
      ['withdraw?version', 'Withdraw'],
    ] as const)
      expect(open.html).toContain(`<a href="packages/acme/lib/${page}=1.0.0">${label}`);
    expect(await textOf('/security?origin=mirrored')).toContain('No version fits.');
    expect(await textOf('/security?origin=private&severity=critical')).toContain('acme/lib 1.0.0');
    expect(await offered()).toContain('1.0.0');
    const fix = 'It is the first release that fixes an advisory in 1.0.0.';
    expect(await textOf('/packages/acme/lib/withdraw?version=2.0.0')).toContain(fix);
    expect(await textOf('/packages/acme/lib/withdraw?version=1.0.0')).not.toContain('first release that fixes');
    const form = await browser.get('/policy/edit');
    expect(form.text).not.toMatch(/looked at|The policy has no fault/);
    const revision = /name="revision"[^>]* value="([^"]*)"/.exec(form.html)?.[1] ?? '';
    const fields = { view: 'cards', policy: '{"rules": []}', revision, add: 'malware' };
    const checked = await browser.post('/policy/check', fields);
    expect(checked.text).toContain('It concerns 1 version now, 1 of them in use. Used by 1 token.');
    expect(checked.text).not.toContain('no list malware is known');
    const current_password = 'correct horse battery staple';
    expect((await browser.post('/policy/edit', { ...fields, current_password })).status).toBe(303);
    await expect.poll(offered).toEqual(['2.0.0']);
    expect(await textOf('/security')).toContain('1 version is malware. Rules of the policy refuse it.');
    expect(await textOf('/security')).toMatch(/Steals keys MAL-7 malware, blocked/);
    expect(await textOf('/overview', viewer)).toContain('All is well');
    await expect.poll(() => textOf('/packages?state=advisory')).toContain('malware 1.0.0, blocked');
    expect((await registry.cli('why', 'acme/lib', '1.0.0')).stdout).toMatch(/is malware .* is blocked/s);

    for (const [affectedVersions, shown] of [
      ['2.0.0', /acme\/lib malware 2\.0\.0, blocked .*1\.0\.0 library/],
      ['*', /acme\/lib malware in 2 versions, blocked blocked .*none library/],
    ] as const) {
      const others = { ...advisory, affectedVersions, reportedAt: '2026-03-01T12:00:00+00:00' };
      writeTree(registry.folder.path, { 'advisories.json': JSON.stringify([others]) });
      expect((await registry.cli('build')).exitCode).toBe(0);
      await expect.poll(() => textOf('/packages?state=advisory')).toMatch(shown);
    }
    expect((await browser.get('/packages?state=advisory')).html).not.toContain('badge warn');
    const sentence = 'All versions of acme/lib are malware, and blocked.';
    await expect.poll(() => textOf('/packages/acme/lib')).toContain(sentence);
  });
});
