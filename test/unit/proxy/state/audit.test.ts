// Tests the audit log: every change has its event (I8), and every altered event is found.

import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../build/contract/json.ts';
import {
  auditEventKey,
  auditHeadKey,
  createAuditedStore,
  verifyAudit,
  type AuditedStore,
  type AuditHead,
} from '../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../../../proxy/core/state/state-store.ts';

const noon = Date.parse('2026-03-01T12:00:00Z');
const draft = (subject: string, details: JsonObject = {}) =>
  ({ actor: 'cli:ada', action: 'thing.put', subject, details }) as const;
const put = (key: string, value: number) => ({ conditions: [], puts: [{ key, value }], deletes: [] });

let store: StateStore;
let audited: AuditedStore;

beforeEach(() => {
  store = createMemoryStore();
  audited = createAuditedStore({ store, now: () => noon });
});

async function event(seq: number): Promise<JsonObject> {
  return (await store.get(auditEventKey(seq)))?.value as JsonObject;
}

async function write(key: string, value: JsonObject | null): Promise<void> {
  await store.commit(
    value === null
      ? { conditions: [], puts: [], deletes: [key] }
      : { conditions: [], puts: [{ key, value }], deletes: [] },
  );
}

describe('an audited commit', () => {
  it('stores the change and its event together', async () => {
    expect(await audited.commit(put('thing/1', 7), draft('1', { size: 7 }))).toBe(true);
    expect((await store.get('thing/1'))?.value).toBe(7);
    expect(await event(1)).toMatchObject({
      seq: 1,
      time: '2026-03-01T12:00:00.000Z',
      actor: 'cli:ada',
      action: 'thing.put',
      subject: '1',
      details: { size: 7 },
    });
    expect(store.generation()).toBe(2);
  });

  it('stores neither when a condition of the change fails', async () => {
    const change = { ...put('thing/1', 7), conditions: [{ key: 'thing/1', revision: 5 }] };
    expect(await audited.commit(change, draft('1'))).toBe(false);
    expect(await store.range('')).toEqual([]);
  });

  it('distinguishes an event that came first from a failed condition', async () => {
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        audited.commit(
          { ...put('thing/1', index), conditions: [{ key: 'thing/1', revision: null }] },
          draft(String(index)),
        ),
      ),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await verifyAudit(store)).toMatchObject({ sound: true, head: { seq: 1 } });
  });

  it('chains all events of many simultaneous commits', async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => audited.commit(put(`thing/${index}`, index), draft(String(index)))),
    );
    expect(await verifyAudit(store)).toMatchObject({ sound: true, head: { seq: 30 } });
  });
});

describe('verifying the log', () => {
  beforeEach(async () => {
    for (let index = 1; index <= 5; index += 1)
      await audited.commit(put('thing/1', index), draft(String(index), { b: [1, { y: 2, x: 1 }], a: null }));
  });

  const verdict = (expected?: AuditHead) => verifyAudit(store, expected);

  it('accepts an untouched log, an empty one, and one longer than a page', async () => {
    expect(await verdict()).toMatchObject({ sound: true, head: { seq: 5 } });
    expect(await verifyAudit(createMemoryStore())).toMatchObject({ sound: true, head: { seq: 0 } });
    for (let index = 6; index <= 1100; index += 1) await audited.commit(put('thing/1', index), draft(String(index)));
    expect(await verdict()).toMatchObject({ sound: true, head: { seq: 1100 } });
  });

  it('does not depend on the order of keys', async () => {
    const { a, ...details } = (await event(2))['details'] as JsonObject;
    await write(auditEventKey(2), { ...(await event(2)), details: { a: a ?? null, ...details } });
    expect(await verdict()).toMatchObject({ sound: true });
  });

  it.each<[string, number, () => Promise<void>]>([
    ['edited', 3, async () => write(auditEventKey(3), { ...(await event(3)), actor: 'cli:eve' })],
    ['edited in its details', 3, async () => write(auditEventKey(3), { ...(await event(3)), details: {} })],
    ['added to', 3, async () => write(auditEventKey(3), { ...(await event(3)), note: 'x' })],
    ['removed', 3, () => write(auditEventKey(3), null)],
    ['removed at the start', 1, () => write(auditEventKey(1), null)],
    ['removed at the end', 5, () => write(auditEventKey(5), null)],
    ["put in another's place", 2, async () => write(auditEventKey(2), await event(4))],
    ['replaced by something else', 4, () => write(auditEventKey(4), { seq: 4 })],
  ])('names the first event that was %s', async (_name, seq, tamper) => {
    await tamper();
    expect(await verdict()).toMatchObject({ sound: false, seq });
  });

  it('notices a head that was set back or removed', async () => {
    const { hash } = await event(3);
    await write(auditHeadKey, { seq: 3, hash: hash ?? null });
    expect(await verdict()).toMatchObject({ sound: false, seq: 4 });
    await write(auditHeadKey, null);
    expect(await verdict()).toMatchObject({ sound: false, seq: 1 });
  });

  it('finds a log that was cut off with its head, by a copy of the head', async () => {
    const copy = (await store.get(auditHeadKey))?.value as unknown as AuditHead;
    const earlier = { seq: 4, hash: (await event(4))['hash'] as string };
    await write(auditEventKey(5), null);
    await write(auditHeadKey, { ...earlier });
    expect(await verdict()).toMatchObject({ sound: true });
    expect(await verdict(copy)).toMatchObject({ sound: false, seq: 5 });
    expect(await verdict(earlier)).toMatchObject({ sound: true });
    expect(await verdict({ seq: 4, hash: 'f'.repeat(64) })).toMatchObject({ sound: false, seq: 4 });
  });
});
