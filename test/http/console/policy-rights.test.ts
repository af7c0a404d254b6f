// Tests who sees which pages about the policy, who changes it, and what a policy file means for the pages.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../build/contract/json.ts';
import { HandMadeTree, zipBytes } from '../../util/hand-made-tree.ts';
import { runConsole, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

const nowMs = Date.parse('2026-11-27T10:00:00Z');
const rules = [{ rule: 'plugin', name: 'plugins', action: 'block', allow: ['acme/*'] }] as const;
const given: JsonValue = { rules: [{ ...rules[0], allow: [...rules[0].allow] }] };
const paths = ['/policy', '/policy/hits', '/policy/feeds', '/policy/check', '/policy/edit'] as const;

let console: RunningConsole;
let admin: TestBrowser;

beforeAll(async () => {
  console = await runConsole({ now: () => nowMs });
  ({ browser: admin } = await console.signIn('admin'));
  const tree = new HandMadeTree(console.registry.data);
  for (const name of ['acme/hello', 'secret/thing'])
    tree.put(name, [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes(name.replace('/', '-'), 1000) }]);
  tree.publish();
  await console.registry.services.policyAdmin.replace(given, undefined, 'cli:test');
});
afterAll(() => console[Symbol.asyncDispose]());

const statuses = (browser: TestBrowser): Promise<readonly number[]> =>
  Promise.all(paths.map(async (path) => (await browser.get(path)).status));
const save = async (browser: TestBrowser) => {
  const { html } = await browser.get('/policy/edit');
  const revision = /name="revision"[^>]* value="([^"]*)"/.exec(html)?.[1] ?? '';
  return browser.post('/policy/edit', { policy: JSON.stringify(given), revision });
};

describe('the pages about the policy', () => {
  it('viewers read the rules, maintainers try others, admins change them', async () => {
    const [{ browser: viewer }, { browser: maintainer }] = [
      await console.signIn('viewer'),
      await console.signIn('maintainer'),
    ];
    expect({
      viewer: await statuses(viewer),
      maintainer: await statuses(maintainer),
      admin: await statuses(admin),
    }).toEqual({
      viewer: [200, 403, 403, 403, 403],
      maintainer: [200, 200, 200, 200, 403],
      admin: [200, 200, 200, 200, 200],
    });
    const [read, tried] = [await viewer.get('/policy'), await maintainer.get('/policy')];
    expect(read.text).toContain('plugins a Composer plugin other than acme/* block');
    expect(read.html).toContain('<code class="whole">plugins</code>');
    expect([
      read.text.includes('First hits'),
      read.text.includes('Try another'),
      read.text.includes('Edit the'),
    ]).toEqual([false, false, false]);
    expect([tried.text.includes('Try another policy'), tried.text.includes('Edit the policy')]).toEqual([true, false]);
    expect([(await save(viewer)).status, (await save(maintainer)).status]).toEqual([403, 403]);
    const check = await maintainer.get('/policy/check');
    expect([check.html.includes('Save the policy'), check.text.includes('people with the right')]).toEqual([
      false,
      true,
    ]);
  });

  it('an admin gives the right on the page of the person, and takes it away', async () => {
    const { browser, userId, email } = await console.signIn('viewer');
    expect((await admin.get(`/people/${userId}`)).text).toContain('Let change the policy');
    expect((await admin.get(`/people/${userId}/policy-right`)).text).toContain(`Let ${email} change the policy?`);
    await admin.post(`/people/${userId}/policy-right`, {});
    expect((await admin.get(`/people/${userId}`)).text).toContain('Rights beside the role changes the policy');
    expect(await statuses(browser)).toEqual([200, 200, 200, 200, 200]);
    expect((await browser.get('/policy')).text).toContain('Edit the policy');
    expect((await save(browser)).status).toBe(303);
    expect((await browser.get('/people')).status).toBe(403);
    expect((await admin.get('/people')).text).toContain('viewer changes the policy');
    await admin.post(`/people/${userId}/policy-right`, {});
    expect(await statuses(browser)).toEqual([200, 403, 403, 403, 403]);
    expect((await admin.get('/audit')).text).toContain('policy editor: yes');
  });

  it('people of teams have no page of it, and see what blocks the packages of their teams', async () => {
    const person = await console.signIn('maintainer');
    const { services } = console.registry;
    await services.teamsOf('cli:test').create({ name: 'Tools', packages: ['acme/*'], members: [person.userId] });
    await services.policyAdmin.replace(
      { rules: [{ rule: 'license', name: 'licences', action: 'block', allow: ['X'] }] },
      undefined,
      'cli:test',
    );
    try {
      expect(await statuses(person.browser)).toEqual([403, 403, 403, 403, 403]);
      const explanations = await Promise.all(
        ['acme/hello', 'secret/thing'].map((name) => person.browser.get(`/packages/${name}/policy?version=1.0.0`)),
      );
      expect(explanations.map(({ status }) => status)).toEqual([403, 403]);
      const list = await person.browser.get('/packages/acme/hello/versions');
      expect(list.text).toContain('Blocked by the rule licences');
      expect([list.html.includes('policy?version'), list.html.includes('href="../../policy"')]).toEqual([false, false]);
      expect((await person.browser.get('/packages/secret/thing/versions')).status).toBe(404);
    } finally {
      await services.settings.update({ 'people.packages': 'all' }, 'cli:test');
      await services.policyAdmin.replace(given, undefined, 'cli:test');
    }
  });

  it('a policy of a file is shown with its path, and is changed nowhere else', async () => {
    const policyFile = {
      path: '/etc/libretto/policy.json',
      policy: { rules: [...rules].map((rule) => ({ ...rule, allow: [...rule.allow] })), exceptions: [] },
    };
    await using other = await runConsole({ policy: { policyFile } });
    const { browser } = await other.signIn('admin');
    const page = await browser.get('/policy');
    expect(page.text).toContain('The policy is the file /etc/libretto/policy.json on the host of this server.');
    expect(page.text).toContain('plugins a Composer plugin other than acme/*');
    expect([page.text.includes('Edit the policy'), page.text.includes('Try another policy')]).toEqual([false, true]);
    const form = await browser.get('/policy/edit');
    expect([form.html.includes('Save the policy'), form.text.includes('/etc/libretto/policy.json')]).toEqual([
      false,
      true,
    ]);
    const refused = await save(browser);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Change that file')]);
    const { token } = await other.registry.signIn('admin');
    const put = await other.registry.call('PUT', '/api/policy', { as: token, body: { rules: [] } });
    expect([put.status, put.json()['code']]).toEqual([400, 'SETTING_FIXED']);
    expect((await other.registry.call('GET', '/api/policy', { as: token })).json()['file']).toBe(policyFile.path);
  });
});
