// Tests the audit log over HTTP: newest event first, in pages, with filters; a broken chain is reported.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  auditEventKey,
  auditHeadKey,
  verifyAudit,
  type AuditEvent,
  type AuditHead,
} from '../../../proxy/state/audit.ts';
import { readAuditHead, readAuditLog, startAuditCopies } from '../../../proxy/state/audit-log.ts';
import { createMemoryStore } from '../../../proxy/core/state/memory-store.ts';
import { runManagement, type RunningManagement, type SignedIn } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

let registry: RunningManagement;
let admin: SignedIn;
let nowMs = Date.parse('2026-11-21T09:00:00Z');
beforeAll(async () => {
  registry = await runManagement({ now: () => nowMs });
  admin = await registry.signIn('admin');
  for (let count = 0; count < 5; count += 1) {
    nowMs += 60_000;
    await registry.createToken('read');
  }
});
afterAll(() => registry[Symbol.asyncDispose]());

interface Page {
  readonly data: readonly AuditEvent[];
  readonly next_cursor: string | null;
}

const list = (query = '', as = admin.token): Promise<Reply> => registry.call('GET', `/api/audit${query}`, { as });
const page = async (query = ''): Promise<Page> => (await list(query)).json() as never;

describe('GET /api/audit', () => {
  it('events are listed newest first, in pages without repetition or gap', async () => {
    const all = (await page()).data;
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: all.length }, (_, at) => all.length - at));
    const found: AuditEvent[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { data, next_cursor }: Page = await page(`?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      found.push(...data);
      cursor = next_cursor;
    }
    expect(found).toEqual(all);
  });

  it('events are filtered by actor, action, subject and time', async () => {
    const made = (await page('?action=token.create&actor=cli:test')).data;
    expect(made).toHaveLength(5);
    expect((await page(`?subject=${made[1]?.subject}`)).data).toEqual([made[1]]);
    expect((await page(`?action=token.create&since=${made[2]?.time}&until=${made[0]?.time}`)).data).toEqual([
      made[1],
      made[2],
    ]);
    expect((await page('?actor=nobody')).data).toEqual([]);
  });

  it('refused logins are events, without the typed text', async () => {
    await registry.call('POST', '/api/auth/login', {
      body: { email: 'typed-password@example.org', password: 'hunter2hunter2' },
    });
    const { data } = await page('?action=login.refused');
    expect(data[0]).toMatchObject({
      actor: 'system:anonymous',
      subject: 'unknown',
      details: { reason: 'unknown user', address: '127.0.0.1' },
    });
    expect(JSON.stringify(data)).not.toMatch(/typed-password|hunter2/);
  });

  it('only admins may read the log', async () => {
    expect([
      (await registry.call('GET', '/api/audit')).status,
      (await list('', await registry.createToken('write'))).status,
      (await list('', (await registry.signIn('maintainer')).token)).status,
    ]).toEqual([401, 403, 403]);
  });

  it.each([
    '?since=yesterday',
    '?limit=0',
    '?who=me',
    '?cursor=x',
    `?cursor=${Buffer.from('-1').toString('base64url')}`,
  ])('the filter %s is refused', async (query) => {
    expect((await list(query)).json()).toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('row 86: an altered log', () => {
  it('row 86: names the edited event, and a rewritten chain does not contain the copied head', async () => {
    const copies: AuditHead[] = [];
    const audit = startAuditCopies({
      store: registry.state,
      copy: (head) => copies.push(head),
      onError: (error) => expect.unreachable(String(error)),
    });
    await registry.createToken('read');
    await audit.close();
    expect(copies).toHaveLength(2);
    expect(copies.at(-1)).toEqual(await readAuditHead(registry.state));
    for (const head of copies) expect(await verifyAudit(registry.state, head)).toMatchObject({ sound: true });
    expect(await verifyAudit(registry.state, { seq: 1, hash: 'f'.repeat(64) })).toMatchObject({ sound: false, seq: 1 });
    const event = (await registry.state.get(auditEventKey(3)))?.value as object;
    await registry.state.commit({
      conditions: [],
      puts: [{ key: auditEventKey(3), value: { ...event, actor: 'cli:somebody' } }],
      deletes: [],
    });
    expect(await verifyAudit(registry.state)).toEqual({
      sound: false,
      seq: 3,
      reason: 'the event was changed after it was written',
    });
    await registry.state.commit({
      conditions: [],
      puts: [{ key: auditEventKey(3), value: event as never }],
      deletes: [],
    });
  });

  it('an unchanged head is copied once, and the head of an empty log is not copied', async () => {
    const copies: AuditHead[] = [];
    await startAuditCopies({
      store: createMemoryStore(),
      copy: (head) => copies.push(head),
      onError: () => undefined,
    }).close();
    await startAuditCopies({
      store: registry.state,
      copy: (head) => copies.push(head),
      onError: () => undefined,
    }).close();
    expect(copies).toHaveLength(1);
    const broken = createMemoryStore();
    await broken.commit({ conditions: [], puts: [{ key: auditHeadKey, value: 'x' }], deletes: [] });
    const errors: unknown[] = [];
    await startAuditCopies({ store: broken, copy: () => undefined, onError: (error) => errors.push(error) }).close();
    expect(errors).toHaveLength(2);
  });
});

it('a rare filter on a long log gives an empty page with the cursor of the next page', async () => {
  const state = createMemoryStore();
  const event = (seq: number): object => ({
    seq,
    time: '2026-11-21T09:00:00.000Z',
    actor: 'cli:a',
    action: seq === 1 ? 'rare' : 'often',
    subject: 'x',
    details: {},
    previous: '',
    hash: '',
  });
  const rows = Array.from({ length: 20_600 }, (_, at) => ({
    key: auditEventKey(at + 1),
    value: event(at + 1) as never,
  }));
  await state.commit({ conditions: [], puts: rows, deletes: [] });
  const first = await readAuditLog(state, { action: 'rare' }, { limit: 10 });
  expect(first).toEqual({ events: [], before: 601 });
  expect(
    (await readAuditLog(state, { action: 'rare' }, { limit: 10, before: first.before })).events.map(({ seq }) => seq),
  ).toEqual([1]);
});
