// Tests what a person's token may do at the API, by role and operation, and that it ends with the person
// (I25).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decidePermission, hasCondition, roles } from '../../../proxy/auth/permissions.ts';
import type { Role, UserId } from '../../../proxy/core/tokens/person.ts';
import type { TokenId } from '../../../proxy/core/tokens/token.ts';
import { describedOperations, type DescribedOperation } from '../../util/described-operations.ts';
import { HandMadeTree, zipBytes } from '../../util/hand-made-tree.ts';
import { runManagement, type RunningManagement, type SignedIn } from '../../util/running-management.ts';
import { firstOf } from '../../util/series.ts';

let registry: RunningManagement;
let operations: readonly DescribedOperation[];

beforeAll(async () => {
  registry = await runManagement();
  operations = await describedOperations(registry);
  const tree = new HandMadeTree(registry.data);
  tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('hello', 1000) }]);
  tree.publish();
});
afterAll(() => registry[Symbol.asyncDispose]());

interface Holder extends SignedIn {
  readonly personal: string;
  readonly tokenId: TokenId;
}

async function holder(role: Role): Promise<Holder> {
  const person = await registry.signIn(role);
  const { record, secret } = await registry.services
    .tokensOf(`user:${person.userId}`)
    .create({ kind: 'read', description: 'a laptop', person: person.userId as UserId });
  return { ...person, personal: secret.reveal(), tokenId: record.id };
}

async function ask({ method, path, takesJson, content }: DescribedOperation, as: string): Promise<string> {
  const body = takesJson || Object.keys(content).length > 0 ? {} : undefined;
  const reply = await registry.call(method, path, { as, ...(body === undefined ? {} : { body }) });
  return reply.status === 401 || reply.status === 403 ? String(reply.json()['code']) : 'admitted';
}

describe('a personal token', () => {
  it.each(firstOf(roles, 1))(
    'of a person who is %s does what the role may, without what needs a session',
    async (role) => {
      const found: Record<string, string> = {};
      const expected: Record<string, string> = {};
      for (const operation of operations) {
        found[operation.id] = await ask(operation, (await holder(role)).personal);
        const isAllowed = decidePermission(operation.id, role) === 'allowed' && !hasCondition(operation.id, 'session');
        expected[operation.id] = isAllowed ? 'admitted' : 'INSUFFICIENT_SCOPE';
      }
      expect(found).toEqual(expected);
    },
  );

  it('is refused with the reason and the next step', async () => {
    const { personal, userId } = await holder('admin');
    const refused = await registry.call('PATCH', `/api/users/${userId}`, { as: personal, body: { role: 'viewer' } });
    expect([refused.status, refused.json()['error']]).toEqual([
      403,
      'A token of `libretto login` may not do that. Sign in to the console, and do it there.',
    ]);
    const viewer = await holder('viewer');
    const role = await registry.call('GET', '/api/users', { as: viewer.personal });
    expect([role.status, role.json()['error']]).toEqual([
      403,
      'The role viewer may not do that. It needs the role admin.',
    ]);
  });

  it('acts as its person', async () => {
    const { personal, userId, email } = await holder('maintainer');
    const me = await registry.call('GET', '/api/auth/me', { as: personal });
    expect([me.status, me.json()]).toMatchObject([200, { id: userId, email, role: 'maintainer' }]);
    await registry.call('PATCH', '/api/auth/me', { as: personal, body: { name: 'Ada' } });
    const admin = await registry.signIn('admin');
    const audit = await registry.call('GET', '/api/audit?action=user.update&limit=1', { as: admin.token });
    expect(audit.json()['data']).toMatchObject([{ actor: `user:${userId}`, action: 'user.update', subject: userId }]);
  });

  it('cannot be changed or rotated, also by an admin', async () => {
    const { tokenId } = await holder('viewer');
    const admin = await registry.signIn('admin');
    const changed = await registry.call('PATCH', `/api/tokens/${tokenId}`, {
      as: admin.token,
      body: { rate_limit: 0 },
    });
    const rotated = await registry.call('POST', `/api/tokens/${tokenId}/rotate`, { as: admin.token });
    expect([changed.json()['code'], rotated.json()['code']]).toEqual(['CONFLICT', 'CONFLICT']);
    expect(rotated.json()['error']).toContain('belongs to the person');
  });
});

/** The details of the last event of this action. */
async function eventOf(action: string, as: string): Promise<unknown> {
  const audit = await registry.call('GET', `/api/audit?action=${action}&limit=1`, { as });
  return (audit.json()['data'] as readonly { readonly details: unknown }[])[0]?.details;
}

describe('a personal token opens nothing from the next request on', () => {
  const standing = async (as: string): Promise<readonly number[]> => [
    (await registry.call('GET', '/api/auth/me', { as })).status,
    (await registry.call('GET', '/p2/acme/hello.json', { as })).status,
  ];

  it('after its person is disabled, also once the person is active again', async () => {
    const [{ personal, userId, tokenId }, admin] = [await holder('viewer'), await registry.signIn('admin')];
    const change = (status: string) =>
      registry.call('PATCH', `/api/users/${userId}`, { as: admin.token, body: { status } });
    expect(await standing(personal)).toEqual([200, 200]);
    await change('disabled');
    expect(await standing(personal)).toEqual([401, 401]);
    await change('active');
    expect(await standing(personal)).toEqual([401, 401]);
    const record = await registry.call('GET', `/api/tokens/${tokenId}`, { as: admin.token });
    expect(record.json()).toMatchObject({ status: 'revoked', person: userId });
    expect(await eventOf('user.update', admin.token)).toMatchObject({ status: 'active' });
    await change('disabled');
    expect(await eventOf('user.update', admin.token)).toEqual({ status: 'disabled' });
  });

  it('after its person is removed', async () => {
    const [{ personal, userId }, admin] = [await holder('viewer'), await registry.signIn('admin')];
    expect(await standing(personal)).toEqual([200, 200]);
    expect((await registry.call('DELETE', `/api/users/${userId}`, { as: admin.token })).status).toBe(200);
    expect(await standing(personal)).toEqual([401, 401]);
  });

  it('after an admin turns off the second factor, and after a link for a new password was used', async () => {
    const admin = await registry.signIn('admin');
    const [reset, invited] = [await holder('viewer'), await holder('viewer')];
    const change = (userId: string, body: object) =>
      registry.call('PATCH', `/api/users/${userId}`, { as: admin.token, body });
    await change(reset.userId, { reset_two_factor: true });
    expect(await standing(reset.personal)).toEqual([401, 401]);
    expect(await eventOf('user.update', admin.token)).toEqual({
      reset_two_factor: true,
      tokens_revoked: [reset.tokenId],
    });
    const { invitation } = (await change(invited.userId, { invite: true })).json() as { invitation: { token: string } };
    expect(await standing(invited.personal)).toEqual([200, 200]);
    const body = { token: invitation.token, password: 'another good password' };
    expect((await registry.call('POST', '/api/auth/invitations/accept', { body })).status).toBe(200);
    expect(await standing(invited.personal)).toEqual([401, 401]);
    expect(await eventOf('user.accept_invitation', admin.token)).toMatchObject({ tokens_revoked: [invited.tokenId] });
  });

  it('except after a change of the own password, which leaves terminals signed in', async () => {
    const { personal, token, password } = await holder('viewer');
    const body = { current_password: password, new_password: 'another good password' };
    expect((await registry.call('POST', '/api/auth/password', { as: token, body })).status).toBe(200);
    expect(await standing(personal)).toEqual([200, 200]);
  });

  it('after an admin revokes it', async () => {
    const [{ personal, tokenId }, admin] = [await holder('viewer'), await registry.signIn('admin')];
    expect(await standing(personal)).toEqual([200, 200]);
    expect((await registry.call('DELETE', `/api/tokens/${tokenId}`, { as: admin.token })).status).toBe(200);
    expect(await standing(personal)).toEqual([401, 401]);
  });

  it('except what the new role of its person opens', async () => {
    const [{ personal, userId }, admin] = [await holder('admin'), await registry.signIn('admin')];
    const listUsers = async () => (await registry.call('GET', '/api/users', { as: personal })).status;
    expect(await listUsers()).toBe(200);
    await registry.call('PATCH', `/api/users/${userId}`, { as: admin.token, body: { role: 'viewer' } });
    expect(await listUsers()).toBe(403);
    expect(await standing(personal)).toEqual([200, 200]);
  });
});
