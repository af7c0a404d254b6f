// Tests creating, listing, changing and revoking tokens, with their audit events.

import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { hashToken, parseToken } from '../../../../proxy/core/tokens/token-format.ts';
import { createTokens, type Tokens } from '../../../../proxy/auth/tokens.ts';
import type { TokenDraft } from '../../../../proxy/auth/token-fields.ts';
import { auditEventPrefix, createAuditedStore, verifyAudit } from '../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../../../proxy/core/state/state-store.ts';

const start = Date.parse('2026-03-01T12:00:00Z');
const draft: TokenDraft = { description: 'CI of the shop', kind: 'read' };

let store: StateStore;
let tokens: Tokens;
let nowMs: number;

beforeEach(() => {
  nowMs = start;
  store = createMemoryStore();
  tokens = createTokens({
    store: createAuditedStore({ store, now: () => nowMs }),
    now: () => nowMs,
    randomBytes,
    actor: 'cli:ada',
  });
});

const events = async (): Promise<unknown[]> => (await store.range(auditEventPrefix)).map(({ value }) => value);
const everything = async (): Promise<string> => JSON.stringify(await store.range(''));

describe('creating a token', () => {
  it('returns its record and, only this once, its text', async () => {
    const { record, secret } = await tokens.create({ ...draft, description: '  CI of the shop ' });
    expect(record).toEqual({
      id: expect.stringMatching(/^tok_[0-9A-Za-z]{16}$/),
      description: 'CI of the shop',
      kind: 'read',
      limit: null,
      created_at: '2026-03-01T12:00:00.000Z',
      created_by: 'cli:ada',
      expires_at: '2026-05-30T12:00:00.000Z',
      revoked_at: null,
      packages: null,
      constraints: null,
      stability: null,
      not_after: null,
      networks: null,
      previous_hash: null,
      previous_expires_at: null,
      hash: hashToken(parseToken(secret.reveal()) ?? expect.fail()),
    });
    expect(await tokens.get(record.id)).toEqual(record);
    expect(await tokens.list()).toEqual([record]);
  });

  it('rows 27 and 30: stores nothing from which the token could be derived', async () => {
    const { secret } = await tokens.create(draft);
    const text = secret.reveal();
    expect(await everything()).not.toContain(text.slice(6, 20));
  });

  it('stores a limit and an expiry', async () => {
    const { record } = await tokens.create({
      ...draft,
      kind: 'write',
      limit: 0,
      expiresAt: new Date('2027-01-31T00:00:00Z'),
    });
    expect(record).toMatchObject({ kind: 'write', limit: 0, expires_at: '2027-01-31T00:00:00.000Z' });
  });

  it('appends its event', async () => {
    const { record } = await tokens.create(draft);
    expect(await events()).toMatchObject([
      {
        actor: 'cli:ada',
        action: 'token.create',
        subject: record.id,
        details: {
          description: 'CI of the shop',
          kind: 'read',
          limit: null,
          expires_at: '2026-05-30T12:00:00.000Z',
        },
      },
    ]);
  });

  it.each<[string, Partial<TokenDraft>, string]>([
    ['an empty description', { description: ' ' }, 'DESCRIPTION_INVALID'],
    ['one that is too long', { description: 'x'.repeat(201) }, 'DESCRIPTION_INVALID'],
    ['one with a line break', { description: 'a\nb' }, 'DESCRIPTION_INVALID'],
    ['a negative limit', { limit: -1 }, 'LIMIT_INVALID'],
    ['half a request', { limit: 1.5 }, 'LIMIT_INVALID'],
    ['a limit that is no number', { limit: Number.NaN }, 'LIMIT_INVALID'],
    ['an endless limit', { limit: Number.POSITIVE_INFINITY }, 'LIMIT_INVALID'],
    ['an expiry that has passed', { expiresAt: new Date(start) }, 'EXPIRY_INVALID'],
    ['no date', { expiresAt: new Date('x') }, 'EXPIRY_INVALID'],
  ])('refuses %s and stores nothing', async (_name, part, code) => {
    await expect(tokens.create({ ...draft, ...part })).rejects.toMatchObject({ name: 'TokenError', code });
    expect(await store.range('')).toEqual([]);
  });
});

describe('listing tokens', () => {
  it('lists all of them, the oldest first', async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      made.push((await tokens.create(draft)).record.id);
      nowMs += 1000;
    }
    await tokens.revoke(made[2] ?? '');
    expect((await tokens.list()).map(({ id }) => id)).toEqual(made);
  });
});

describe('changing a token', () => {
  it('changes the given fields and no other', async () => {
    const { record } = await tokens.create({ ...draft, limit: 5, expiresAt: new Date(start + 1000) });
    expect(await tokens.update(record.id, { description: 'Nightly CI' })).toEqual({
      ...record,
      description: 'Nightly CI',
    });
    expect(await tokens.update(record.id, { limit: null, expiresAt: null })).toEqual({
      ...record,
      description: 'Nightly CI',
      limit: null,
      expires_at: null,
    });
    expect((await events()).slice(1)).toMatchObject([
      { action: 'token.update', details: { description: 'Nightly CI' } },
      { action: 'token.update', details: { limit: null, expires_at: null } },
    ]);
  });

  it('refuses bad values, nothing at all, and a revoked token', async () => {
    const { record } = await tokens.create(draft);
    await expect(tokens.update(record.id, { limit: -1 })).rejects.toMatchObject({ code: 'LIMIT_INVALID' });
    await expect(tokens.update(record.id, {})).rejects.toMatchObject({ code: 'NOTHING_TO_CHANGE' });
    await tokens.revoke(record.id);
    await expect(tokens.update(record.id, { limit: 1 })).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
    expect(await events()).toHaveLength(2);
  });

  it('keeps both of two changes made at once', async () => {
    const { record } = await tokens.create(draft);
    await Promise.all([tokens.update(record.id, { limit: 7 }), tokens.update(record.id, { description: 'Other' })]);
    expect(await tokens.get(record.id)).toMatchObject({ limit: 7, description: 'Other' });
    expect(await events()).toHaveLength(3);
  });
});

describe('a repeated request', () => {
  it('with the id of a token makes no second token, and returns no secret', async () => {
    const id = tokens.newId();
    const { record } = await tokens.create({ ...draft, id });
    expect(record.id).toBe(id);
    await expect(tokens.create({ ...draft, id })).rejects.toMatchObject({ code: 'TOKEN_EXISTS' });
    expect(await tokens.list()).toEqual([record]);
    expect(await events()).toHaveLength(1);
  });

  it('to replace a secret that was replaced already changes nothing', async () => {
    const { record } = await tokens.create(draft);
    const rotated = await tokens.rotate(record.id, 0, record.hash);
    await expect(tokens.rotate(record.id, 0, record.hash)).rejects.toMatchObject({ code: 'TOKEN_ROTATED' });
    expect(await tokens.get(record.id)).toEqual(rotated.record);
  });
});

describe('revoking a token', () => {
  it('is final, and a second revocation changes nothing and reports that', async () => {
    const { record } = await tokens.create(draft);
    nowMs += 60_000;
    expect(await tokens.revoke(record.id)).toEqual({
      already: false,
      record: { ...record, revoked_at: '2026-03-01T12:01:00.000Z' },
    });
    nowMs += 60_000;
    expect(await tokens.revoke(record.id)).toMatchObject({
      already: true,
      record: { revoked_at: '2026-03-01T12:01:00.000Z' },
    });
    expect(await events()).toHaveLength(2);
  });

  it('is recorded once when done twice at once', async () => {
    const { record } = await tokens.create(draft);
    const results = await Promise.all([tokens.revoke(record.id), tokens.revoke(record.id)]);
    expect(results.map(({ already }) => already).sort()).toEqual([false, true]);
    expect(await verifyAudit(store)).toMatchObject({ sound: true, head: { seq: 2 } });
  });
});

describe('an unknown id', () => {
  it.each(['tok_0123456789abcdef', 'nonsense', '', '../x'])('%j is refused by every command', async (id) => {
    const refusal = { code: 'TOKEN_UNKNOWN', message: expect.stringContaining('There is no token') };
    await expect(tokens.get(id)).rejects.toMatchObject(refusal);
    await expect(tokens.update(id, { limit: 1 })).rejects.toMatchObject(refusal);
    await expect(tokens.revoke(id)).rejects.toMatchObject(refusal);
  });

  it('a message about an unknown id does not repeat a token that was given as id', async () => {
    const text = (await tokens.create(draft)).secret.reveal();
    await expect(tokens.revoke(text)).rejects.toMatchObject({
      message: expect.not.stringContaining(text.slice(6, 20)),
    });
  });
});
