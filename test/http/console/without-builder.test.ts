// Tests the console of a server whose tree is built on another host: no page there changes published versions.

import { expect, it } from 'vitest';
import { hasCondition } from '../../../proxy/auth/permissions.ts';
import { runConsole } from '../../util/running-console.ts';

it('a console without a builder refuses every page that needs one, and shows the others without buttons for them', async () => {
  await using console = await runConsole({ hasBuilder: false });
  const { browser } = await console.signIn('admin');
  const concerned = console.definitions.filter(({ operation }) => hasCondition(operation, 'builder'));
  expect(concerned).not.toEqual([]);
  for (const { path, posts } of concerned) {
    const at = path.replaceAll(/:\w+/g, 'x1');
    expect((await browser.get(at)).text, path).toContain('This server serves a tree from another host');
    if (posts) expect((await browser.post(at, {})).text, path).toContain('This server serves a tree from another host');
  }
  expect((await browser.get('/packages')).status).toBe(200);
  const history = await browser.get('/history');
  expect([history.status, history.text]).toEqual([200, expect.stringContaining('Recorded on another host')]);
  expect((await browser.get('/notifications')).text).toContain('That host sends the notifications');
  for (const path of ['/repositories', '/connections', '/uploads']) {
    const { text, html } = await browser.get(path);
    expect(text, path).toContain('Change what is published on the host that builds them.');
    expect(html, path).not.toMatch(/href="(?:repositories|connections)\/new"|type="file"/);
  }
});
