// Tests a draft of the state: it is stored as one change, or not at all.

import { describe, expect, it } from 'vitest';

import { createAuditedStore, verifyAudit, type AuditDraft } from '../../../../proxy/state/audit.ts';
import { createDraftStore } from '../../../../proxy/state/draft-store.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';

const event: AuditDraft = { actor: 'cli:test', action: 'test.change', subject: 'it', details: {} };
const put = (key: string, value: number, revision?: number | null) => ({
  conditions: revision === undefined ? [] : [{ key, revision }],
  puts: [{ key, value }],
  deletes: [],
});

describe('a draft of the state', () => {
  it('changes nothing until it is stored, and then everything at once, with one chain of events', async () => {
    const below = createMemoryStore();
    await createAuditedStore({ store: below, now: () => 0 }).commit(put('a/one', 1), event);
    await below.commit(put('a/gone', 1));
    const draft = createDraftStore(below);
    const audited = createAuditedStore({ store: draft, now: () => 0 });
    expect(await audited.commit(put('a/one', 2, (await draft.get('a/one'))?.revision), event)).toBe(true);
    expect(await audited.commit({ ...put('a/two', 2, null), deletes: ['a/gone'] }, event)).toBe(true);
    expect((await draft.range('a/')).map(({ key, value }) => [key, value])).toEqual([
      ['a/one', 2],
      ['a/two', 2],
    ]);
    expect((await below.range('a/')).map(({ key, value }) => [key, value])).toEqual([
      ['a/gone', 1],
      ['a/one', 1],
    ]);
    const generation = below.generation();
    expect(await draft.keep()).toBe(true);
    expect((await below.range('a/')).map(({ key, value }) => [key, value])).toEqual([
      ['a/one', 2],
      ['a/two', 2],
    ]);
    expect(below.generation()).toBe(generation + 1);
    expect(await verifyAudit(below)).toMatchObject({ sound: true, head: { seq: 3 } });
  });

  it.each([
    ['a row that a condition was about', put('a/one', 9)],
    ['a row that was not there', put('a/two', 9)],
  ])('is not stored when another process changed %s', async (_what, theirs) => {
    const below = createMemoryStore();
    await below.commit(put('a/one', 1));
    const draft = createDraftStore(below);
    await draft.commit(put('a/one', 2, (await draft.get('a/one'))?.revision));
    await draft.commit(put('a/two', 2, null));
    await below.commit(theirs);
    expect(await draft.keep()).toBe(false);
    expect((await below.range('a/')).map(({ value }) => value)).not.toContain(2);
  });
});
