// Tests who may read and change the policy about versions: each role, the right of its own, API tokens, tokens of
// terminals, and people of teams.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAuditLog } from '../../../proxy/state/audit-log.ts';
import type { UserId } from '../../../proxy/core/tokens/person.ts';
import { runManagement, type RunningManagement, type SignedIn } from '../../util/running-management.ts';

let registry: RunningManagement;
let admin: SignedIn;
const bodies = { rules: [{ rule: 'abandoned', name: 'abandoned', action: 'warn' }] };

beforeAll(async () => {
  registry = await runManagement();
  admin = await registry.signIn('admin');
});
afterAll(() => registry[Symbol.asyncDispose]());

type Deed = 'read' | 'change' | 'check' | 'try' | 'explain' | 'hits' | 'feeds' | 'accept';

const deeds: Readonly<Record<Deed, readonly ['GET' | 'POST' | 'PUT', string]>> = {
  read: ['GET', '/api/policy'],
  change: ['PUT', '/api/policy'],
  check: ['POST', '/api/policy/check'],
  try: ['POST', '/api/policy/test'],
  explain: ['GET', '/api/packages/acme/none/versions/1.0.0/policy'],
  hits: ['GET', '/api/policy/hits'],
  feeds: ['GET', '/api/policy/feeds'],
  accept: ['POST', '/api/policy/feeds/none/accept'],
};
const all = Object.keys(deeds) as Deed[];
const readings: readonly Deed[] = ['read', 'check', 'try', 'explain', 'hits', 'feeds'];

/** What these credentials may do. */
async function allowedTo(as: string): Promise<readonly Deed[]> {
  const allowed: Deed[] = [];
  for (const deed of all) {
    const [method, path] = deeds[deed];
    const hasBody = method !== 'GET' && deed !== 'accept';
    const { status } = await registry.call(method, path, { as, ...(hasBody && { body: bodies }) });
    if (status !== 403) allowed.push(deed);
  }
  return allowed;
}

const update = async (id: string, body: object): Promise<Record<string, unknown>> =>
  (await registry.call('PATCH', `/api/users/${id}`, { as: admin.token, body })).json();
const refusalOf = async (as: string): Promise<unknown> =>
  (await registry.call('PUT', '/api/policy', { as, body: bodies })).json()['error'];

describe('the rights to the policy', () => {
  it('viewers read it, maintainers try it and admins change it', async () => {
    const found = {
      viewer: await allowedTo((await registry.signIn('viewer')).token),
      maintainer: await allowedTo((await registry.signIn('maintainer')).token),
      admin: await allowedTo(admin.token),
    };
    expect(found).toEqual({ viewer: ['read'], maintainer: readings, admin: all });
  });

  it('a right of its own lets people of each role change it, until an admin takes it away', async () => {
    for (const role of ['viewer', 'maintainer'] as const) {
      const person = await registry.signIn(role);
      expect(await refusalOf(person.token)).toBe(
        `The role ${role} may not do that without the right to change the policy. Ask an admin for it.`,
      );
      expect(await update(person.userId, { policy_editor: true })).toMatchObject({ role, policy_editor: true });
      expect(await allowedTo(person.token)).toEqual(all);
      const { status } = await registry.call('GET', '/api/settings', { as: person.token });
      expect([status, (await registry.call('GET', '/api/users', { as: person.token })).status]).toEqual([200, 403]);
      await update(person.userId, { policy_editor: false });
      expect(await allowedTo(person.token)).toEqual(role === 'viewer' ? ['read'] : readings);
    }
  });

  it('the right is an event of the audit log, and nobody gives it to themselves', async () => {
    const person = await registry.signIn('maintainer');
    await update(person.userId, { policy_editor: true });
    const { events } = await readAuditLog(registry.state, { action: 'user.update' }, { limit: 1 });
    expect(events).toMatchObject([
      { actor: `user:${admin.userId}`, subject: person.userId, details: { policy_editor: true } },
    ]);
    const own = await registry.call('PATCH', '/api/auth/me', { as: person.token, body: { policy_editor: true } });
    const other = await registry.call('PATCH', `/api/users/${person.userId}`, {
      as: person.token,
      body: { policy_editor: true },
    });
    expect([own.status, other.status]).toEqual([400, 403]);
  });

  it('API tokens never read nor change it', async () => {
    for (const kind of ['read', 'write'] as const)
      expect(await allowedTo(await registry.createToken(kind))).toEqual([]);
  });

  it('the terminal of a person with the right tries the policy, and cannot change it', async () => {
    const person = await registry.signIn('viewer');
    await update(person.userId, { policy_editor: true });
    const { secret } = await registry.services
      .tokensOf(`user:${person.userId}`)
      .create({ kind: 'read', description: 'a laptop', person: person.userId as UserId });
    expect(await allowedTo(secret.reveal())).toEqual(readings);
    expect(await refusalOf(secret.reveal())).toContain('Sign in to the console');
  });

  it('people of teams see nothing of it, with the right too', async () => {
    const person = await registry.signIn('maintainer');
    await registry.services
      .teamsOf('cli:test')
      .create({ name: 'Tools', packages: ['acme/tool'], members: [person.userId] });
    try {
      expect(await allowedTo(person.token)).toEqual([]);
      await update(person.userId, { policy_editor: true });
      expect(await allowedTo(person.token)).toEqual([]);
      expect(await refusalOf(person.token)).toContain('You see only the packages of your teams');
    } finally {
      await registry.services.settings.update({ 'people.packages': 'all' }, 'cli:test');
    }
  });
});
