// Tests that people see a feed that shrank, at the API and in the console, and that its rows block versions until
// somebody with the right to change the policy accepts the small list.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAuditLog } from '../../../proxy/state/audit-log.ts';
import { advisory, startAdvisoryFeed, type AdvisoryFeed } from '../../util/advisory-feed.ts';
import { HandMadeTree, zipBytes } from '../../util/hand-made-tree.ts';
import { openFeeds, type OpenedFeeds } from '../../util/opened-feeds.ts';
import { runConsole, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';
import { temporaryFolder, type TemporaryFolder } from '../../util/temporary-folder.ts';

let folder: TemporaryFolder;
let osv: AdvisoryFeed;
let opened: OpenedFeeds;
let console: RunningConsole;
let admin: TestBrowser;
let userId = '';
let token = '';
let password = '';

beforeAll(async () => {
  folder = temporaryFolder('accepted-feed');
  osv = await startAdvisoryFeed();
  opened = openFeeds(folder.path, osv.url, { of: ['acme/lib'] });
  console = await runConsole({ now: () => opened.clock.nowMs, policy: { feeds: () => opened.feeds } });
  ({ browser: admin, userId, token, password } = await console.signIn('admin'));
  const tree = new HandMadeTree(console.registry.data);
  tree.put('acme/lib', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('lib', 1000) }]);
  tree.publish();
  const rules = [{ rule: 'advisories' as const, name: 'advisories', action: 'block' as const }];
  await console.registry.services.policyAdmin.replace({ rules }, undefined, 'cli:test');
});
afterAll(async () => {
  await console[Symbol.asyncDispose]();
  await opened[Symbol.asyncDispose]();
  await osv[Symbol.asyncDispose]();
  await folder.remove();
});

const call = (method: 'GET' | 'POST', path: string, as = token) => console.registry.call(method, path, { as });
const isBlocked = async (): Promise<boolean> =>
  (await admin.get('/packages/acme/lib/versions')).text.includes('Blocked by the rule advisories');

describe('a feed of the policy', () => {
  it('that works is shown with the number of its rows and its age', async () => {
    osv.advisories.set('GHSA-0', advisory('GHSA-0', 'acme/lib'));
    await opened.feeds.refresh();
    opened.clock.nowMs += 3_600_000;
    expect((await call('GET', '/api/policy/feeds')).json()).toEqual({
      data: [
        {
          id: 'osv',
          kind: 'osv',
          url: osv.url,
          rows: 1,
          fetched_at: '2026-06-01T00:00:00.000Z',
          failing_since: null,
          problem: null,
          shrunk: null,
        },
      ],
    });
    expect((await admin.get('/policy/feeds')).text).toMatch(/osv http:\S+ osv 1 1 hour ago works/);
    expect(await isBlocked()).toBe(true);
  });

  it('that is empty after it was full still blocks, and tells', async () => {
    osv.advisories.clear();
    await opened.feeds.refresh();
    expect(await isBlocked()).toBe(true);
    const page = await admin.get('/policy/feeds');
    expect(page.text).toContain('much smaller The newest list has 0 rows, and the copy in use 1 row.');
    expect(page.html).toContain('policy/feeds/osv/accept');
    const { browser: maintainer, token: maintainers } = await console.signIn('maintainer');
    expect((await maintainer.get('/policy/feeds')).text).not.toContain('Accept the list');
    expect((await maintainer.post('/policy/feeds/osv/accept', {})).status).toBe(403);
    expect((await call('POST', '/api/policy/feeds/osv/accept', maintainers)).status).toBe(403);
    expect(await isBlocked()).toBe(true);
  });

  it('is accepted in the console, with an event', async () => {
    expect((await admin.get('/policy/feeds/osv/accept')).text).toContain('1 row becomes 0');
    expect((await admin.post('/policy/feeds/osv/accept', {})).text).toContain('Enter your password');
    const reply = await admin.post('/policy/feeds/osv/accept', { current_password: password });
    expect([reply.status, String(reply.headers['location'])]).toEqual([
      303,
      expect.stringContaining('notice=accepted'),
    ]);
    opened.clock.nowMs += 2000;
    expect(await isBlocked()).toBe(false);
    const { events } = await readAuditLog(console.registry.state, { action: 'policy.feed_accept' }, { limit: 5 });
    expect(events).toMatchObject([{ actor: `user:${userId}`, subject: 'osv', details: { from: 1, to: 0 } }]);
    expect((await admin.get('/audit')).text).toContain('accepted the small list of the feed osv');
  });

  it('is accepted at the API; a second acceptance changes nothing, and has no event', async () => {
    osv.advisories.set('GHSA-1', advisory('GHSA-1', 'acme/lib'));
    await opened.feeds.refresh();
    osv.advisories.clear();
    await opened.feeds.refresh();
    const reply = await call('POST', '/api/policy/feeds/osv/accept');
    expect([reply.status, reply.json()]).toMatchObject([200, { id: 'osv', rows: 0, shrunk: null }]);
    const again = await call('POST', '/api/policy/feeds/osv/accept');
    expect([again.status, again.json()['error']]).toEqual([404, expect.stringContaining('no smaller list')]);
    const { events } = await readAuditLog(console.registry.state, { action: 'policy.feed_accept' }, { limit: 5 });
    expect(events).toHaveLength(2);
  });

  it('with a row that Composer cannot read works, and tells that the row blocks nothing', async () => {
    const affected = [{ package: { ecosystem: 'Packagist', name: 'acme/lib' }, versions: ['one two'] }];
    osv.advisories.set('GHSA-2', advisory('GHSA-2', 'acme/lib', '2.0.0', { affected }));
    await opened.feeds.refresh();
    expect((await admin.get('/policy/feeds')).text).toMatch(
      / works in part Rows that block nothing, because .* constraint: 1\./,
    );
  });
});
