// Tests which parts of a sentence become names: those of people and tokens, and no name of a file.

import { expect, it } from 'vitest';
import { parseTokenId, tokenKey } from '../../../../../proxy/core/tokens/token.ts';
import { withNames } from '../../../../../proxy/policy/admin/with-names.ts';
import { createMemoryStore } from '../../../../../proxy/core/state/memory-store.ts';

const token = {
  description: 'CI',
  kind: 'write',
  limit: null,
  created_at: '2026-01-01T00:00:00.000Z',
  created_by: 'cli:ada',
  expires_at: null,
  revoked_at: null,
  hash: 'ab'.repeat(32),
} as const;

it('names the token that uploaded or approved, and leaves the same text in the name of a file', async () => {
  const store = createMemoryStore();
  const id = parseTokenId('tok_0123456789abcdef');
  if (id === undefined) throw new Error('no id of a token');
  const [actor, reader] = [`token:${id}`, { kind: 'operator', actor: 'cli:ada' } as const];
  await store.commit({ conditions: [], puts: [{ key: tokenKey(id), value: { ...token, id } }], deletes: [] });
  const file = `it runs src/${actor} in every request; held until 2026-06-08`;
  expect(await withNames(store, reader, `${file}; ${actor} approved it, and one more`)).toBe(
    `${file}; the token CI (${id}) approved it, and one more`,
  );
  expect(await withNames(store, reader, `${actor} and ${actor} rejected it`)).not.toContain('token:');
  expect(await withNames(store, reader, actor)).toBe(`the token CI (${id})`);
});
