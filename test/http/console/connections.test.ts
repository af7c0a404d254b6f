// Tests the pages about connections to forges over a socket, without JavaScript: the plan, the connection, a refresh,
// the repositories with what needs a person, and the removal.

import { expect, it } from 'vitest';
import type { ConnectionId } from '../../../proxy/sync/forge-place.ts';
import { addTools } from '../../util/forges/all-forges.ts';
import { startGitHub } from '../../util/forges/fake-github.ts';
import { runConsole } from '../../util/running-console.ts';

it('an owner is connected, kept in step and disconnected on pages', async () => {
  await using forge = await startGitHub();
  addTools(forge, 2);
  forge.repositories.push({ id: '9', name: '<b>website</b>' }, { id: '10', name: 'website' });
  await using console = await runConsole({ settings: { egress: { allow: ['127.0.0.0/8'] } } });
  const { browser, password } = await console.signIn('maintainer');
  expect((await browser.get('/connections')).text).toContain('No connection yet');
  const fields = { forge: 'github', url: forge.url, owner: 'acme', token: forge.token, only: 'tool-*\nweb*' };

  const plan = await browser.post('/connections/new/plan', fields);
  expect([plan.status, plan.text]).toEqual([200, expect.stringContaining('2 repositories would be registered.')]);
  expect(plan.text).toContain('its default branch has no composer.json');
  expect(plan.html).not.toContain(forge.token);
  expect(plan.html).toContain('value="acme"');
  expect((await browser.get('/connections')).text).toContain('No connection yet');

  const wrong = await browser.post('/connections/new', { ...fields, token: 'wrong' });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('did not accept the credentials')]);
  const made = await browser.post('/connections/new', fields);
  const path = /\/connections\/conn_\w+/.exec(String(made.headers['location']))?.[0] ?? '';
  expect([made.status, path]).toEqual([303, expect.stringMatching(/^\/connections\/conn_/)]);

  const id = path.slice('/connections/'.length) as ConnectionId;
  const { signal } = new AbortController();
  const { refresher } = console.registry.repositories;
  await refresher.refresh(id, { actor: 'system:connection', signal });
  forge.repositories[0]!.archived = true;
  expect((await browser.post(`${path}/refresh`, {})).status).toBe(303);
  await refresher.refresh(id, { actor: 'system:connection', signal });
  const { text } = await browser.get(path);
  expect(text).toContain('1 repository archived or removed at the forge.');
  expect(text).toMatch(/acme\/tool-1.*archived there.*acme\/tool-2.*registered.*acme\/website.*not registered/);
  expect((await browser.get('/connections')).text).toMatch(/acme.*GitHub.*in step/);

  const edit = await browser.get(`${path}/edit`);
  expect(edit.html).toContain('tool-*\nweb*</textarea>');
  const change = {
    only: 'tool-*',
    subdirectories: 'packages/*\nlib',
    interval: '900',
    sync_interval: '86400',
    forks: 'on',
  };
  expect((await browser.post(`${path}/edit`, change)).headers['location']).toMatch(/saved/);
  const changed = (await browser.get(path)).text;
  expect(changed).toMatch(/Names ?tool-\* ?Subfolders ?packages\/\* lib ?Forks ?included ?Webhooks ?not installed/);
  expect(changed).toContain('every 15 minutes');
  const refused = await browser.post(`${path}/credentials`, { token: 'wrong', password });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('did not accept the credentials')]);
  expect(refused.html).not.toContain('value="wrong"');
  expect((await browser.get(`${path}/credentials`)).html).not.toContain('name="user"');
  const replaced = await browser.post(`${path}/credentials`, { token: forge.token, password });
  expect([replaced.status, replaced.headers['location']]).toEqual([303, expect.stringContaining('credentials')]);

  const asked = await browser.get(`${path}/remove`);
  expect(asked.text).toContain('2 repositories stay registered and published');
  expect((await browser.post(`${path}/remove`, { password })).status).toBe(303);
  expect((await browser.get(path)).status).toBe(404);
});
