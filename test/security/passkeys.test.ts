// Tests attacks on passkeys: answers that are replayed, forged, or meant for another person, session, page or site;
// copied and removed passkeys; guesses; and posts of other sites. Each is refused, and the audit log says so.

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Email } from '../../proxy/auth/email.ts';
import { createPasswords } from '../../proxy/auth/password.ts';
import { createPeople } from '../../proxy/auth/people.ts';
import { standardRules } from '../../proxy/auth/people-rules.ts';
import { changeUser } from '../../proxy/auth/user-records.ts';
import { createPasskeys } from '../../proxy/passkeys/passkeys.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import { softAuthenticator, type SoftAuthenticator, type Twist } from '../util/passkey-authenticator.ts';
import { answerFields, passkeyBrowser, type PasskeyBrowser } from '../util/passkey-browser.ts';
import { runConsole, type RunningConsole } from '../util/running-console.ts';

async function personWithPasskey(console: RunningConsole, at = 0) {
  const person = await console.signIn('admin');
  const own = passkeyBrowser(console, person.browser);
  const authenticator = softAuthenticator();
  const added = await own.add(authenticator, `Laptop ${at}`);
  expect(added.status).toBe(200);
  return { ...person, own, authenticator };
}

const proofOf = async (at: PasskeyBrowser, { email, password }: { email: string; password: string }) =>
  /name="proof" value="([^"]+)"/.exec((await at.post('/sign-in', { email, password })).html)?.[1] ?? 'no proof';

async function refusals({ registry }: RunningConsole): Promise<readonly string[]> {
  const rows = await registry.state.range('audit/event/');
  const events = rows.map(({ value }) => value as unknown as { action: string; details: { reason?: string } });
  return events.flatMap(({ action, details }) => (action === 'login.refused' ? [details.reason ?? ''] : []));
}

const twists: readonly (readonly [string, Twist])[] = [
  ['for another site', { rpId: 'evil.example' }],
  ['without user verification', { isVerified: false }],
  ['to a challenge that the registry did not give', { challenge: randomBytes(32).toString('base64url') }],
  ['of another ceremony', { type: 'webauthn.create' }],
  ['with the name of another person', { userHandle: Buffer.from('usr_0000000000000000').toString('base64url') }],
];

describe('an answer of a passkey', () => {
  it.each(twists)('%s signs nobody in', async (_, twist) => {
    await using console = await runConsole();
    const { authenticator } = await personWithPasskey(console);
    const at = passkeyBrowser(console);
    const reply = await at.post('/sign-in', await at.answer('sign-in', authenticator, {}, twist));
    expect([reply.status, at.browser.cookies.size]).toEqual([401, 0]);
    expect(await refusals(console)).toEqual(['wrong passkey']);
  });

  it('of a page with another origin signs nobody in', async () => {
    await using console = await runConsole();
    const { authenticator } = await personWithPasskey(console);
    const at = passkeyBrowser(console);
    const asked = await at.question('sign-in');
    for (const origin of ['https://evil.example', `${at.origin}1`, at.origin.replace('http:', 'https:'), 'null']) {
      const fields = answerFields('sign-in', asked, authenticator.get(asked, origin));
      expect((await at.post('/sign-in', fields)).status).toBe(401);
    }
  });

  it('works once', async () => {
    await using console = await runConsole();
    const { authenticator } = await personWithPasskey(console);
    const at = passkeyBrowser(console);
    const fields = await at.answer('sign-in', authenticator);
    expect((await at.post('/sign-in', fields)).status).toBe(303);
    const again = passkeyBrowser(console);
    const replayed = await again.post('/sign-in', fields);
    expect([replayed.status, replayed.text]).toEqual([401, expect.stringContaining('was used already. Load the page')]);
    expect(await refusals(console)).toEqual(['used answer']);
    // an authenticator that does not count: the challenge alone stops the replay
    const asked = await at.question('sign-in');
    const silent = async (name: string) => {
      const quiet = softAuthenticator();
      await at.add({ ...quiet, create: (question, origin) => quiet.create(question, origin, { counter: 0 }) }, name);
      return answerFields('sign-in', asked, quiet.get(asked, at.origin, { counter: 0 }));
    };
    const quietFields = await silent('Key');
    expect((await passkeyBrowser(console).post('/sign-in', quietFields)).status).toBe(303);
    expect((await passkeyBrowser(console).post('/sign-in', quietFields)).status).toBe(401);
  });

  it('works once on three hosts that share the state', async () => {
    await using console = await runConsole();
    const { authenticator } = await personWithPasskey(console);
    const { state, keys, sealer } = console.registry;
    const passwords = createPasswords({ randomBytes });
    const parts = { state, keys, sealer, passwords, now: Date.now, randomBytes, rules: () => standardRules };
    const hosts = [0, 1, 2].map(() => createPasskeys({ ...parts, people: createPeople(parts) }));
    const at = passkeyBrowser(console);
    const asked = await at.question('sign-in');
    const answer = { token: asked.token, credential: authenticator.get(asked, at.origin) };
    const site = { origin: at.origin, rpId: 'localhost' };
    const place = (host: number) => ({ site, address: `192.0.2.${host}` });
    const done = await Promise.allSettled(hosts.map((host, index) => host.signIn(answer, place(index))));
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('signs in only those who may sign in here with a password', async () => {
    await using console = await runConsole();
    const { authenticator, email, userId } = await personWithPasskey(console);
    const { state, keys, sealer } = console.registry;
    const passwords = createPasswords({ randomBytes });
    const parts = { state, keys, sealer, passwords, now: Date.now, randomBytes, rules: () => standardRules };
    const at = passkeyBrowser(console);
    const signIn = async (only: readonly string[] | undefined) => {
      const localSignIn = only && { only: only as readonly Email[], providers: ['Acme login'] };
      const people = createPeople({ ...parts, ...(localSignIn && { localSignIn }) });
      const asked = await at.question('sign-in');
      const answer = { token: asked.token, credential: authenticator.get(asked, at.origin) };
      const place = { site: { origin: at.origin, rpId: 'localhost' }, address: '192.0.2.1' };
      return createPasskeys({ ...parts, people }).signIn(answer, place);
    };
    const refusal = { code: 'CONFLICT', message: expect.stringContaining('at an identity provider') as string };
    await expect(signIn(['somebody@example.org'])).rejects.toMatchObject(refusal);
    await expect(signIn([email])).resolves.toMatchObject({ user: { email } });
    await changeUser(createAuditedStore({ store: state, now: Date.now }), userId, (record) => ({
      record: { ...record, password: null },
      event: { actor: 'cli:test', action: 'user.update', subject: userId, details: {} },
    }));
    await expect(signIn(undefined)).rejects.toMatchObject(refusal);
  });

  it('ends after five minutes', async () => {
    let nowMs = Date.now();
    await using console = await runConsole({ now: () => nowMs });
    const { authenticator } = await personWithPasskey(console);
    const at = passkeyBrowser(console);
    const fields = await at.answer('sign-in', authenticator);
    nowMs += 5 * 60_000 + 31_000;
    const reply = await at.post('/sign-in', fields);
    expect([reply.status, reply.text.includes('More than five minutes have passed')]).toEqual([400, true]);
  });

  it('counts only for the ceremony, the person and the session that it was asked for', async () => {
    await using console = await runConsole();
    const ada = await personWithPasskey(console, 1);
    const bob = await personWithPasskey(console, 2);
    const asked = await ada.own.question('confirm');
    const credential = ada.authenticator.get(asked, ada.own.origin);
    const at = passkeyBrowser(console);
    // as a sign-in, and as the second step of the same person
    expect((await at.post('/sign-in', answerFields('sign-in', asked, credential))).status).toBe(400);
    const proof = await proofOf(at, ada);
    expect((await at.post('/sign-in', { proof, ...answerFields('second-step', asked, credential) })).status).toBe(400);
    // in the second step of another login of the same person
    const second = await at.answer('second-step', ada.authenticator, { proof });
    expect((await at.post('/sign-in', { proof: await proofOf(at, ada), ...second })).status).toBe(400);
    // in the second step of another person
    const proofOfBob = await proofOf(at, bob);
    expect((await at.post('/sign-in', { proof: proofOfBob, ...second })).status).toBe(400);
    const foreign = await at.answer('second-step', ada.authenticator, { proof: proofOfBob });
    expect((await at.post('/sign-in', { proof: proofOfBob, ...foreign })).status).toBe(401);
    expect(at.browser.cookies.size).toBe(0);
  });

  it('confirms nothing in the session of another person, nor in another session', async () => {
    let nowMs = Date.now();
    await using console = await runConsole({ now: () => nowMs });
    const ada = await personWithPasskey(console, 1);
    const bob = await personWithPasskey(console, 2);
    const other = passkeyBrowser(console);
    await other.post('/sign-in', await other.answer('sign-in', ada.authenticator));
    nowMs += 6 * 60_000;
    const fields = await ada.own.answer('confirm', ada.authenticator);
    const invite = { email: 'new@example.org', role: 'admin' };
    for (const at of [bob.own, other])
      expect((await at.post('/people/invite', { ...invite, ...fields })).status).toBe(400);
    const foreign = await bob.own.answer('confirm', ada.authenticator);
    expect((await bob.own.post('/people/invite', { ...invite, ...foreign })).status).toBe(401);
    expect((await ada.own.post('/people/invite', { ...invite, ...fields })).status).toBe(200);
  });
});

describe('a passkey', () => {
  it('whose count went back was copied: it is refused, and the audit log says so', async () => {
    await using console = await runConsole();
    const { authenticator } = await personWithPasskey(console);
    const signIn = async (counter: number) => {
      const at = passkeyBrowser(console);
      return at.post('/sign-in', await at.answer('sign-in', authenticator, {}, { counter }));
    };
    expect((await signIn(7)).status).toBe(303);
    for (const counter of [7, 3, 0]) {
      const reply = await signIn(counter);
      expect([reply.status, reply.text.includes('a copy of it was used')]).toEqual([401, true]);
    }
    expect(await refusals(console)).toEqual(['copied passkey', 'copied passkey', 'copied passkey']);
    expect((await signIn(8)).status).toBe(303);
  });

  it('is registered once, whoever tries', async () => {
    await using console = await runConsole();
    const ada = await personWithPasskey(console, 1);
    const bob = await personWithPasskey(console, 2);
    for (const { own } of [ada, bob]) {
      const again = await own.add(ada.authenticator, 'Again');
      expect([again.status, again.text.includes('registered already')]).toEqual([400, true]);
    }
    const shared = softAuthenticator();
    const both = await Promise.all([ada.own.add(shared, 'A'), bob.own.add(shared, 'B')]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 400]);
  });

  it('of a disabled person signs nobody in', async () => {
    await using console = await runConsole();
    const { authenticator, userId } = await personWithPasskey(console, 1);
    await personWithPasskey(console, 2);
    await console.registry.people.usersOf('system:test').update(userId, { status: 'disabled' });
    const at = passkeyBrowser(console);
    expect((await at.post('/sign-in', await at.answer('sign-in', authenticator))).status).toBe(401);
    expect(await refusals(console)).toEqual(['not active']);
  });

  it('is not added from another site, without the password, or with an answer for another page', async () => {
    let nowMs = Date.now();
    await using console = await runConsole({ now: () => nowMs });
    const { own } = await personWithPasskey(console);
    const tried = softAuthenticator();
    const add = (fields: Readonly<Record<string, string>>, headers = {}) =>
      own.post('/account/passkeys/new', { name: 'Evil', ...fields }, headers);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await add(await own.answer('add', tried), foreign)).status).toBe(403);
    expect((await own.post('/passkey', { purpose: 'add' }, foreign)).status).toBe(403);
    for (const twist of [{ rpId: 'evil.example' }, { isVerified: false }, { challenge: 'AAAA' }])
      expect((await add(await own.answer('add', tried, {}, twist))).status).toBe(400);
    const asked = await own.question('add');
    expect((await add(answerFields('add', asked, tried.create(asked, 'https://evil.example')))).status).toBe(400);
    nowMs += 6 * 60_000;
    const late = await add(await own.answer('add', tried));
    expect([late.status, late.text.includes('Enter your password')]).toEqual([400, true]);
    expect((await own.get('/account')).text).not.toContain('Evil');
  });
});

describe('a passkey that can never sign in', () => {
  const useless: readonly (readonly [string, Twist])[] = [
    ['an empty id', { attestedId: Buffer.alloc(0) }],
    ['an id of 1024 bytes', { attestedId: Buffer.alloc(1024, 1) }],
    ['a key beside its curve', { isOffCurve: true }],
  ];

  it('is not added, and lists of users stay readable', async () => {
    await using console = await runConsole();
    const { own } = await personWithPasskey(console);
    const { people } = console.registry;
    for (const [what, twist] of useless) {
      const fields = await own.answer('add', softAuthenticator(), {}, twist);
      const reply = await own.post('/account/passkeys/new', { name: 'Useless', ...fields });
      expect([what, reply.status]).toEqual([what, 400]);
      expect(await people.usersOf('system:test').list()).toHaveLength(1);
    }
    const longest = await own.answer('add', softAuthenticator(), {}, { attestedId: Buffer.alloc(1023, 1) });
    expect((await own.post('/account/passkeys/new', { name: 'Longest', ...longest })).status).toBe(303);
  });

  it('is never written: a record that cannot be read again is refused', async () => {
    await using console = await runConsole();
    const { userId } = await personWithPasskey(console);
    const store = createAuditedStore({ store: console.registry.state, now: Date.now });
    const change = changeUser(store, userId, (record) => ({
      record: { ...record, passkeys: (record.passkeys ?? []).map((passkey) => ({ ...passkey, credential_id: '?' })) },
      event: { actor: 'cli:test', action: 'user.update', subject: userId, details: {} },
    }));
    await expect(change).rejects.toThrow('A user record (passkeys.0.credential_id) in the state is malformed');
    expect((await console.registry.people.usersOf('system:test').get(userId)).id).toBe(userId);
  });

  it('and that an earlier version took goes with the second factor', async () => {
    await using console = await runConsole();
    const { userId } = await personWithPasskey(console);
    const { state, people } = console.registry;
    await changeUser(createAuditedStore({ store: state, now: Date.now }), userId, (record) => ({
      record: { ...record, passkeys: (record.passkeys ?? []).map((passkey) => ({ ...passkey, credential_id: '' })) },
      event: { actor: 'cli:test', action: 'user.update', subject: userId, details: {} },
    }));
    const users = people.usersOf('system:test');
    expect(await users.list()).toMatchObject([{ id: userId, passkeys: [{ credential_id: '' }] }]);
    expect(await users.update(userId, { resetTwoFactor: true })).toMatchObject({ record: { passkeys: [] } });
  });
});

describe('guesses', () => {
  const wrong = { isVerified: false };
  const guess = async (at: PasskeyBrowser, authenticator: SoftAuthenticator, proof: string) =>
    at.post('/sign-in', { proof, ...(await at.answer('second-step', authenticator, { proof }, wrong)) });

  it('in the second step are limited as codes are, together with them', async () => {
    const nowMs = Date.now();
    await using console = await runConsole({ now: () => nowMs });
    const { authenticator, ...person } = await personWithPasskey(console);
    const at = passkeyBrowser(console);
    const proof = await proofOf(at, person);
    for (let count = 0; count < 5; count += 1) {
      expect((await guess(at, authenticator, proof)).status).toBe(401);
      expect((await at.post('/sign-in', { proof, code: '000000' })).status).toBe(401);
    }
    expect((await guess(at, authenticator, proof)).status).toBe(429);
    const right = { proof, ...(await at.answer('second-step', authenticator, { proof })) };
    expect((await at.post('/sign-in', right)).status).toBe(429);
  });

  it('of a sign-in are limited by the network, and a right answer does not clear them', async () => {
    const nowMs = Date.now();
    await using console = await runConsole({ now: () => nowMs });
    const { authenticator } = await personWithPasskey(console);
    const at = passkeyBrowser(console);
    const tryIt = async (twist: Twist) =>
      (await passkeyBrowser(console).post('/sign-in', await at.answer('sign-in', authenticator, {}, twist))).status;
    for (let count = 0; count < 19; count += 1) expect(await tryIt(wrong)).toBe(401);
    expect([await tryIt({}), await tryIt(wrong), await tryIt({})]).toEqual([303, 401, 429]);
  });
});
