// Tests which forms of the console ask for the password again: all that make or end secrets, change rights or settings,
// or decide what clients get. Their pages show the field, and a post without the password changes nothing.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasCondition } from '../../../proxy/auth/permissions.ts';
import { runConsole, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

/** The forms that do not ask, with the reason. */
const askingNothing: Readonly<Record<string, string>> = {
  '/sign-in': 'it asks for the password itself',
  '/sign-out': 'it only ends the own session',
  '/setup': 'nobody has a password yet',
  '/invitation': 'it sets the password',
  '/account/name': 'the own name gives no right',
  '/account/password': 'it always asks for the password',
  '/account/two-factor': 'it always asks for the password',
  '/account/two-factor/off': 'it always asks for the password',
  '/account/recovery-codes': 'it always asks for the password',
  '/passkey': 'it only asks a question for the authenticator',
  '/account/passkeys/:id/name': 'the name is for the person alone',
  '/account/passkeys/:id/remove': 'it always asks for another factor',
  '/account/tokens/:id/end': 'it takes rights away, and is urgent after a theft',
  '/device': 'it only looks',
  '/device/deny': 'it gives nothing',
  '/account/sessions/:id/end': 'it takes rights away, and is urgent after a theft',
  '/account/sessions/end-others': 'it takes rights away, and is urgent after a theft',
  '/people/:id/sessions/:session/end': 'it takes rights away, and is urgent after a theft',
  '/teams/:id/members/:user/remove': 'it takes rights away, and is urgent when somebody leaves',
  '/tokens/new/preview': 'it stores nothing',
  '/tokens/:id/edit/preview': 'it stores nothing',
  '/repositories/new': 'it publishes what the person can read, as an upload does',
  '/repositories/new/check': 'it stores nothing',
  '/repositories/:id/sync': 'it does only what the interval does later',
  '/repositories/hook/:delivery/replay': 'it starts only syncs',
  '/repositories/:id/hook/:delivery/replay': 'it starts only syncs',
  '/connections/new/plan': 'it stores nothing',
  '/connections/:id/refresh': 'it does only what the interval does later',
  '/notifications/:id/test': 'it sends a test to a known address',
  '/notifications/:id/replay': 'it sends what a known address heard before',
  '/notifications/:id/deliveries/:event/replay': 'it sends what a known address heard before',
  '/notifications/:id/off': 'it takes events away, and is urgent',
  '/notifications/:id/on': 'the address and its selection were confirmed',
  '/publishers/:id/explain': 'it only looks',
  '/policy/check': 'it stores nothing',
  '/uploads/file': 'it publishes what the person has, and takes nothing away',
  '/health': 'it only looks',
  '/audit/verify': 'it only looks',
};

let nowMs = Date.parse('2026-11-20T08:00:00Z');
let console: RunningConsole;
let admin: TestBrowser;
let password = '';

beforeAll(async () => {
  console = await runConsole({ now: () => nowMs });
  ({ browser: admin, password } = await console.signIn('admin'));
});
afterAll(() => console[Symbol.asyncDispose]());

const aWhileLater = (): void => {
  nowMs += 6 * 60_000;
  for (const name of admin.cookies.keys()) if (name.includes('confirmed')) admin.cookies.delete(name);
};

it('every form asks for the password again, except those with a reason not to', () => {
  const found = console.definitions.filter(({ posts, asksPassword }) => posts && !asksPassword);
  expect(found.map(({ path }) => path).sort()).toEqual(Object.keys(askingNothing).sort());
});

it('a token of `libretto login` may do nothing that the console asks the password for', () => {
  const asking = console.definitions.filter(({ asksPassword }) => asksPassword).map(({ operation }) => operation);
  expect(asking.filter((operation) => !hasCondition(operation, 'session'))).toEqual([]);
});

it('a new secret or a wider right needs the password, and the page has a field for it', async () => {
  const idIn = async (path: string): Promise<string> => /tok_\w{16}/.exec((await admin.get(path)).html)?.[0] ?? '';
  const token = await idIn('/tokens/new');
  await admin.post('/tokens/new', { id: token, description: 'CI', kind: 'read', expires: '90d' });
  const url = 'https://git.example.org/acme/tool.git';
  const { id } = await console.registry.services.repositoriesOf('cli:test').create({ type: 'git', url });
  await admin.post('/settings/people-and-sessions', { 'sessions.lifetime': '3600' });
  const forms: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    [`/tokens/${token}/edit`, { description: 'CI', expires: 'never' }],
    [`/repositories/${id}/hook/secret`, { current: '' }],
    [`/repositories/${id}/hook/remove`, {}],
    ['/repositories/hook/secret', { current: '' }],
    [`/repositories/${id}/edit`, { interval: '900' }],
    ['/settings/people-and-sessions', { 'passwords.min_length': '9' }],
    ['/settings/people-and-sessions', { 'reset.sessions.lifetime': 'on' }],
  ];
  for (const [path, fields] of forms) {
    aWhileLater();
    expect((await admin.get(path)).html, path).toContain('name="current_password"');
    const without = await admin.post(path, fields);
    expect([path, without.status, without.text]).toEqual([path, 400, expect.stringContaining('Enter your password')]);
    expect(without.text).not.toContain('whsec_');
    const done = await admin.post(path, { ...fields, current_password: password });
    expect([path, done.status]).toEqual([path, path.endsWith('/secret') ? 200 : 303]);
  }
  aWhileLater();
  expect((await admin.get('/connections/new')).html).toContain('name="current_password"');
});
