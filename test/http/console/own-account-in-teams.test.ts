// Tests that people who see only the packages of their teams keep their own account: its pages, passkeys and terminals.
// A terminal sees what its person sees now (I25).

import { afterAll, beforeAll, expect, it } from 'vitest';
import { deviceTerminal } from '../../util/device-terminal.ts';
import { runConsole, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

let console: RunningConsole;
let member: Awaited<ReturnType<RunningConsole['signIn']>>;
let browser: TestBrowser;
let admin: string;

beforeAll(async () => {
  console = await runConsole();
  member = await console.signIn('viewer');
  ({ browser } = member);
  admin = (await console.registry.signIn('admin')).token;
  const body = { name: 'Shop', packages: ['acme/*'], members: [member.email] };
  expect((await console.registry.call('POST', '/api/teams', { as: admin, body })).status).toBe(201);
});
afterAll(() => console[Symbol.asyncDispose]());

it('a member of a team opens each page of the account, and the page for the code of a terminal', async () => {
  const own = console.definitions.filter(({ path }) => /^\/(?:account|device)(?:\/|$)/.test(path));
  expect(own.length).toBeGreaterThan(12);
  const refused: string[] = [];
  for (const { path } of own)
    if ((await browser.get(path.replaceAll(/:\w+/g, 'x1'))).status === 403) refused.push(path);
  expect(refused).toEqual([]);
});

it('a member of a team signs a terminal in, and ends its token', async () => {
  const terminal = deviceTerminal(console);
  const waiting = await terminal.begin();
  expect((await browser.post('/device/approve', { code: waiting.userCode })).text).toContain(
    'The terminal is approved',
  );
  const { token, id } = await terminal.redeem(waiting);
  expect((await console.registry.call('GET', '/api/auth/tokens', { as: token })).status).toBe(200);
  expect((await console.registry.call('DELETE', `/api/auth/tokens/${id}`, { as: token })).status).toBe(200);
  expect((await console.registry.call('GET', '/api/auth/me', { as: token })).status).toBe(401);
});

it('a terminal of a person who leaves a team with all packages sees only the others, with the next request', async () => {
  const body = { name: 'All', packages: ['*'], members: [member.email] };
  const team = (await console.registry.call('POST', '/api/teams', { as: admin, body })).json()['id'];
  const terminal = deviceTerminal(console);
  const waiting = await terminal.begin();
  await browser.post('/device/approve', { code: waiting.userCode });
  const { token: as } = await terminal.redeem(waiting);
  const listRepositories = async () => (await console.registry.call('GET', '/api/repositories', { as })).status;
  expect(await listRepositories()).toBe(200);
  await console.registry.call('DELETE', `/api/teams/${team}/members/${member.userId}`, { as: admin });
  expect(await listRepositories()).toBe(403);
});
