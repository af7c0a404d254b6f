// Tests the pages about webhooks over a socket, without JavaScript: making one, its secret that is shown once, the
// deliveries with their syncs, a replay, and the removal.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RepositoryId } from '../../../proxy/sync/repository.ts';
import { runConsole, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

let console: RunningConsole;
let keeper: TestBrowser;
let made = 0;

beforeAll(async () => {
  console = await runConsole();
  ({ browser: keeper } = await console.signIn('maintainer'));
});
afterAll(() => console[Symbol.asyncDispose]());

const register = async (): Promise<RepositoryId> => {
  const url = `https://git.example.org/acme/tool-${++made}.git`;
  return (await console.registry.services.repositoriesOf('cli:test').create({ type: 'git', url })).id;
};
const secretsIn = (text: string): readonly string[] => text.match(/whsec_[0-9A-Za-z+/]{43}=/g) ?? [];
/** Sends the form of this page as it is shown, with these fields. */
const submit = async (path: string, fields: Readonly<Record<string, string>> = {}) => {
  const { html } = await keeper.get(path);
  const [, current = ''] = /name="current" value="([^"]*)"/.exec(html) ?? [];
  return keeper.post(path, { current, ...fields });
};

it('a webhook is made with a secret that is shown once, and a reload of that page makes no second one', async () => {
  const id = await register();
  const page = `/repositories/${id}/hook`;
  expect((await keeper.get(`/repositories/${id}`)).html).toContain(`href="../repositories/${id}/hook"`);
  const before = await keeper.get(page);
  expect(before.text).toContain('No webhook');
  expect(before.text).toMatch(/Repositories \/ \w\S+ \/ Webhook of/);
  const first = await submit(`${page}/secret`);
  expect(first.status).toBe(200);
  expect(secretsIn(first.text)).toHaveLength(1);
  expect(first.text).toContain(`/hooks/${id}`);
  const again = await keeper.post(`${page}/secret`, { current: '' });
  expect([again.status, again.headers['location']]).toEqual([303, expect.stringContaining(`${id}/hook`)]);
  const shown = await keeper.get(page);
  expect(shown.text).toContain(`${console.origin}/hooks/${id}`);
  expect([secretsIn(shown.text), shown.text.match(/whs_\w{16}/g)]).toMatchObject([[], { length: 1 }]);
});

it('a new secret leaves the former one valid for a day, or ends it', async () => {
  const page = `/repositories/${await register()}/hook`;
  await submit(`${page}/secret`);
  await submit(`${page}/secret`);
  expect((await keeper.get(page)).text.match(/whs_\w{16}/g)).toHaveLength(2);
  await submit(`${page}/secret`, { drop_old: 'on' });
  expect((await keeper.get(page)).text.match(/whs_\w{16}/g)).toHaveLength(1);
});

it('the last deliveries are shown with their syncs, and replayed', async () => {
  const id = await register();
  const page = `/repositories/${id}/hook`;
  const { inbox, syncer, builder } = console.registry.repositories;
  const hook = { of: 'repository', id } as const;
  const event = 'push <b>';
  await inbox.receive({ hook, provider: 'gitea', id: 'one', event, concerns: [id], outcome: 'sync' });
  await syncer.idle();
  const { text, html } = await keeper.get(page);
  expect(text).toContain('Gitea or Forgejo: push <b> the sync succeeded Replay');
  const [, replay = ''] = new RegExp(`href="[^"]*(/repositories/${id}/hook/dlv_\\w{16}/replay)"`).exec(
    html.replaceAll('../', '/'),
  ) ?? [''];
  expect((await submit(replay)).status).toBe(303);
  await syncer.idle();
  expect(builder.calls.filter(([, , synced]) => synced === id)).toHaveLength(2);
});

it('refused requests are named with the remedy, until a new secret is made', async () => {
  const id = await register();
  const page = `/repositories/${id}/hook`;
  await submit(`${page}/secret`);
  const value = { count: 3, last_at: new Date().toISOString(), reason: 'wrong proof' };
  const puts = [{ key: `hook-refusal/${id}`, value }];
  await console.registry.state.commit({ conditions: [], puts, deletes: [], quiet: true });
  expect((await keeper.get(page)).text).toMatch(
    /3 requests were refused: wrong proof\. The last one came .*another secret/,
  );
  await submit(`${page}/secret`);
  expect((await keeper.get(page)).text).not.toContain('refused');
});
