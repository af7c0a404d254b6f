// Tests the pages about the audit log: events in words, filters, pages, files, and the verification.

import { describe, expect, it } from 'vitest';
import { auditEventKey, createAuditedStore, type Actor } from '../../../proxy/state/audit.ts';
import { runConsole, type PageReply, type RunningConsole } from '../../util/running-console.ts';

/** Writes events about tokens as the service of tokens would. */
async function writeEvents(console: RunningConsole, count: number, actor: Actor = 'cli:ada'): Promise<void> {
  const store = createAuditedStore({ store: console.registry.state, now: Date.now });
  for (let at = 1; at <= count; at += 1)
    await store.commit(
      { conditions: [], puts: [], deletes: [] },
      { actor, action: 'token.create', subject: `tok_x${at}`, details: { description: `number ${at}` } },
    );
}

/** The text below the filters. */
function eventsIn({ text }: PageReply): string {
  return text.slice(text.indexOf('The files hold'));
}

describe('the audit log', () => {
  it('says in words who did what, and links to what it is about', async () => {
    await using console = await runConsole();
    const { browser, email, userId } = await console.signIn('admin');
    const { record } = await console.registry.services
      .tokensOf(`user:${userId}`)
      .create({ description: 'CI of the shop', kind: 'read' });
    await console.registry.services.settings.update({ 'limits.read': 2000, 'mirroring.fresh': 7200 }, 'cli:ada');
    const { text, html } = await browser.get('/audit');
    expect(text).toContain(`made the token CI of the shop`);
    expect(html).toContain(`href="tokens/${record.id}"`);
    expect(text).toMatch(/changed settings (?=.*limits\.read: 2000).*mirroring\.fresh: 2 hours.* ada \(command line\)/);
    expect(text).toContain(`signed in address: 127.0.0.1 ${email} just now`);
    expect(text).not.toContain('{"');
  });

  it('shows the details of other versions of Libretto, and escapes them', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const store = createAuditedStore({ store: console.registry.state, now: Date.now });
    const details = {
      deep: { note: '<script>alert(1)</script>' },
      list: ['a', 'b'],
      none: null,
      until: '2027-03-01T02:56:14.473Z',
      grace_seconds: 86_400,
    };
    await store.commit(
      { conditions: [], puts: [], deletes: [] },
      { actor: 'cli:<b>', action: 'comet.launch', subject: 'constructor', details },
    );
    const { text, html } = await browser.get('/audit');
    expect(text).toContain(
      'comet.launch constructor deep: note <script>alert(1)</script> · list: a, b · until: 2027-03-01 02:56 UTC · grace: 1 day <b> (command line)',
    );
    expect(html).not.toContain('<script>alert');
  });

  it('filters by person, action, subject and day', async () => {
    await using console = await runConsole();
    const { browser, email, userId } = await console.signIn('admin');
    await writeEvents(console, 2);
    const found = async (query: string): Promise<readonly string[]> =>
      eventsIn(await browser.get(`/audit?${query}`)).match(/made the (?:token|account)|signed in/g) ?? [];
    expect(await found(`who=${encodeURIComponent(email)}`)).toEqual(['signed in', 'signed in']);
    for (const who of [`user:${userId}`, userId]) expect(await found(`who=${who}`)).toEqual(['signed in', 'signed in']);
    expect(await found('who=nobody%40x.example')).toEqual([]);
    expect(await found('action=token.create&who=cli:ada')).toEqual(['made the token', 'made the token']);
    expect(await found(`subject=${encodeURIComponent(email)}`)).toContain('made the account');
    const one = await browser.get('/audit?subject=tok_x2');
    expect([one.text.includes('number 2'), one.text.includes('number 1')]).toEqual([true, false]);
    expect((await browser.get('/audit?to=2001-01-01')).text).toContain('No event fits');
    expect((await browser.get(`/audit?from=${new Date().toISOString().slice(0, 10)}`)).text).toContain('number 1');
  });

  it('has pages of fifty, newest first', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    await writeEvents(console, 60);
    const first = await browser.get('/audit?action=token.create');
    expect(first.text).toContain('number 60');
    expect(first.text).toContain('number 11');
    expect(first.text).not.toContain('number 10 ');
    const older = /href="(audit\?[^"]*before=\d+)"/.exec(first.html)?.[1]?.replaceAll('&amp;', '&');
    const second = await browser.get(`/${older}`);
    expect(second.text).toContain('number 10 ');
    expect(second.text).not.toContain('number 11');
    expect(second.text).toContain('Newest');
    expect(second.text).not.toContain('Older');
  });
});

describe('the audit log as a file', () => {
  it('has the filtered events, as CSV that no spreadsheet runs and as JSON lines', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    await writeEvents(console, 2, 'cli:=HYPERLINK("http://x.example")');
    const store = createAuditedStore({ store: console.registry.state, now: Date.now });
    await store.commit(
      { conditions: [], puts: [], deletes: [] },
      { actor: 'cli:ada', action: 'token.create', subject: '=1+1', details: {} },
    );
    const csv = await browser.get('/audit/export?as=csv&action=token.create');
    expect(csv.headers['content-disposition']).toBe('attachment; filename="audit.csv"');
    const lines = csv.html.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe('seq,time,actor,action,subject,details,hash');
    expect(lines[1]).toMatch(/^\d+,[^,]+,cli:ada,token\.create,'=1\+1,\{\},[0-9a-f]{64}$/);
    expect(lines[2]).toContain(',"cli:=HYPERLINK(""http://x.example"")",');
    const json = await browser.get('/audit/export?as=jsonl&action=token.create');
    const events = json.html
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.map(({ subject }) => subject)).toEqual(['=1+1', 'tok_x2', 'tok_x1']);
  });
});

describe('the verification of the audit log', () => {
  it('confirms a sound log and shows its head, which a later check accepts', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const sound = await browser.post('/audit/verify', {});
    expect([sound.status, sound.text]).toEqual([200, expect.stringMatching(/The audit log is sound: \d+ events\./)]);
    const head = />(\d+:[0-9a-f]{64})</.exec(sound.html)?.[1] ?? '';
    expect((await browser.post('/audit/verify', { head })).text).toContain('The audit log is sound');
    const other = head.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    expect((await browser.post('/audit/verify', { head: other })).text).toContain('The audit log is broken at event');
    const typo = await browser.post('/audit/verify', { head: '12' });
    expect([typo.status, typo.text]).toEqual([400, expect.stringContaining('Write the number, a colon and the hash.')]);
  });

  it('names the first event that was changed', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const { state } = console.registry;
    const row = await state.get(auditEventKey(2));
    if (row === undefined) throw new Error('the log has no second event');
    const change = (value: typeof row.value, revision: number) =>
      state.commit({
        conditions: [{ key: auditEventKey(2), revision }],
        puts: [{ key: auditEventKey(2), value }],
        deletes: [],
      });
    await change({ ...(row.value as object), actor: 'cli:mallory' }, row.revision);
    const broken = await browser.post('/audit/verify', {});
    expect(broken.text).toContain('The audit log is broken at event 2: the event was changed after it was written.');
    await change(row.value, (await state.get(auditEventKey(2)))?.revision ?? 0); // the state is checked at the end
  });
});
