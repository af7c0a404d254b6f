// Tests who a publication names as its author: a token by its description, for those who see every token.

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createTokens } from '../../../../../../proxy/auth/tokens.ts';
import { decidePermission, type Permission } from '../../../../../../proxy/auth/permissions.ts';
import type { Role } from '../../../../../../proxy/core/tokens/person.ts';
import { describePublications } from '../../../../../../proxy/console/pages/history/described-publication.ts';
import type { RecordedPublication } from '../../../../../../proxy/inspection/publications.ts';
import { createAuditedStore } from '../../../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../../../proxy/core/state/memory-store.ts';

it('names a token by its description to an admin, and as a token to others', async () => {
  const state = createMemoryStore();
  const store = createAuditedStore({ store: state, now: () => 0 });
  const tokens = createTokens({ store, now: () => 0, randomBytes, actor: 'cli:ada' });
  const { record } = await tokens.create({ description: 'CI of the shop', kind: 'write' });
  const authorsFor = async (role: Role) => {
    const by = (actor: string) => ({ by: { actor, command: 'publish' } }) as unknown as RecordedPublication;
    const request = { caller: undefined, may: (wanted: Permission) => decidePermission(wanted, role) === 'allowed' };
    const found = await describePublications(state, [by(`token:${record.id}`), by('token:tok_gone')], request);
    return found.map(({ author }) => author);
  };
  expect(await authorsFor('admin')).toEqual([
    'by the token CI of the shop, with publish',
    'by the token tok_gone, with publish',
  ]);
  expect(await authorsFor('maintainer')).toEqual(['by a token, with publish', 'by a token, with publish']);
});
