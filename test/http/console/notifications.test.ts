// Tests the pages about notifications over a socket, without JavaScript: an endpoint and its secret that is shown once,
// tests, deliveries that are sent again, and the removal. A receiver on a real socket gets what is sent.

import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventId, type RegistryEvent } from '../../../proxy/events/registry-event.ts';
import { waitingRows } from '../../../proxy/notifications/model/delivery.ts';
import { statusKey } from '../../../proxy/notifications/model/endpoint-status.ts';
import { endpointKey, parseEndpointId } from '../../../proxy/notifications/model/endpoint.ts';
import { deviceTerminal } from '../../util/device-terminal.ts';
import { runConsole, type PageReply, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';
import { answering, startReceiver, type WebhookReceiver } from '../../util/webhook-receiver.ts';

type Fields = Readonly<Record<string, string>>;

let console: RunningConsole;
let receiver: WebhookReceiver;
let admin: TestBrowser;

beforeAll(async () => {
  receiver = await startReceiver();
  console = await runConsole({ settings: { egress: { allow: ['127.0.0.0/8'] } }, allowsPlainHttp: true });
  ({ browser: admin } = await console.signIn('admin'));
});
afterEach(() => {
  receiver.answer(answering(204));
  receiver.forget();
});
afterAll(async () => {
  await console[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const secretsIn = ({ text }: PageReply): readonly string[] => text.match(/whsec_[0-9A-Za-z+/]{43}=/g) ?? [];
const locationOf = ({ headers }: PageReply): string => String(headers['location']);
const endpoints = () => console.registry.services.endpointsOf('cli:test');

/** The hidden fields of a form as it is shown. */
async function hiddenIn(path: string): Promise<Fields> {
  const { html } = await admin.get(path);
  return Object.fromEntries(
    [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** Sends the form of this page as it is shown, with these fields. */
async function submit(path: string, fields: Fields = {}): Promise<PageReply> {
  return admin.post(path, { ...(await hiddenIn(path)), ...fields });
}

const draft = (more: Fields = {}): Fields => ({
  name: 'Releases',
  form: 'standard',
  signature: 'v1',
  url: `${receiver.url}/hook`,
  events: 'package.version.published',
  packages: '',
  stability: '',
  view: '',
  ...more,
});

async function make(more: Fields = {}): Promise<{ path: string; secret: string; reply: PageReply }> {
  const reply = await submit('/notifications/new', draft(more));
  const [id = ''] = /ntf_\w{16}/.exec(reply.html + locationOf(reply)) ?? [];
  return { path: `/notifications/${id}`, secret: secretsIn(reply)[0] ?? '', reply };
}

const remove = (path: string): Promise<PageReply> => submit(`${path}/remove`);

/** Hands `count` events to the endpoint, as the server does after a build. */
async function handOver(path: string, count: number): Promise<readonly RegistryEvent[]> {
  const endpoint = parseEndpointId(path.slice('/notifications/'.length))!;
  const events = Array.from({ length: count }, (_, at): RegistryEvent => {
    const name = `acme/tool-${at}`;
    return {
      id: eventId(path, at),
      type: 'package.version.published',
      at: new Date(Date.UTC(2026, 0, 1, 12, at)).toISOString(),
      data: { package: name, version: '1.0.0', note: '<b>"bold"</b>' },
      subject: null,
    };
  });
  const puts = events.flatMap((event) => {
    const record = { endpoint, event, failures: 0, created_at: event.at, next_at: event.at };
    const failed = { at: event.at, status: 500, milliseconds: 1234, error: 'It answered <i>no</i>.' };
    return waitingRows({ ...record, state: 'pending', attempts: [failed, { ...failed, status: null }] }).puts;
  });
  await console.registry.state.commit({ conditions: [], puts, deletes: [], quiet: true });
  return events;
}

describe('a new endpoint', () => {
  it('shows its secret once, with which the receiver verifies the test; a reload makes no second endpoint', async () => {
    expect((await admin.get('/notifications')).text).toContain('No endpoint yet');
    const hidden = await hiddenIn('/notifications/new');
    const made = await admin.post('/notifications/new', { ...hidden, ...draft() });
    expect([made.status, secretsIn(made).length, made.text]).toEqual([200, 1, expect.stringContaining('webhook-id')]);
    expect(made.html).toContain('https://github.com/standard-webhooks/standard-webhooks');
    const again = await admin.post('/notifications/new', { ...hidden, ...draft() });
    const path = `/notifications/${hidden['id']}`;
    expect([again.status, locationOf(again)]).toEqual([303, expect.stringContaining(String(hidden['id']))]);
    expect(await endpoints().list()).toHaveLength(1);
    const list = await admin.get('/notifications');
    expect(list.text).toMatch(/Releases Webhook \(Standard Webhooks\) · http:\/\/127\.0\.0\.1:\d+\/hook on 0 none/);
    expect(secretsIn(await admin.get(path))).toEqual([]);

    const tested = await admin.post(`${path}/test`, {});
    expect([tested.status, locationOf(tested)]).toEqual([303, expect.stringContaining('?tested=evt_')]);
    const shown = await admin.get(`${path}?tested=${/evt_\w+/.exec(locationOf(tested))?.[0]}`);
    expect(shown.text).toMatch(/The test arrived: HTTP 204 after \d+ ms/);
    const [request] = receiver.requests;
    expect(() => new Webhook(secretsIn(made)[0]!).verify(request!.body, request!.headers)).not.toThrow();
    await remove(path);
  });

  it('with a public key shows it on its own page, too', async () => {
    const { path, reply } = await make({ signature: 'v1a' });
    const [key = 'none'] = /whpk_[0-9A-Za-z+/]{43}=/.exec(reply.text) ?? [];
    expect(reply.text).toContain('It is no secret');
    expect((await admin.get(path)).text).toContain(key);
    await remove(path);
  });

  it('of a chat service has no secret, and its address is not shown again', async () => {
    const { path, reply } = await make({ form: 'slack', url: `${receiver.url}/services/T0PSECRET` });
    expect(reply.status).toBe(303);
    const shown = [await admin.get(path), await admin.get(`${path}/edit`), await admin.get('/notifications')];
    expect(shown.map(({ html }) => [html.includes('T0PSECRET'), html.includes('Create secret')])).toEqual(
      shown.map(() => [false, false]),
    );
    expect((await admin.get(`${path}/secret`)).status).toBe(303);
    await remove(path);
  });

  it('is refused with the reason beside its field, and what was typed', async () => {
    const wrong = await submit('/notifications/new', draft({ url: 'ftp://x.example', packages: 'a b', name: 'Kept' }));
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Must be an https address')]);
    expect(wrong.text).toContain('is not a pattern such as acme/core');
    expect(wrong.html).toContain('value="Kept"');
    const guarded = await submit('/notifications/new', draft({ url: 'https://10.1.2.3/x' }));
    expect([guarded.status, guarded.html]).toEqual([400, expect.stringContaining('id="url-fault"')]);
    const { events: _, ...without } = draft();
    expect((await submit('/notifications/new', without)).text).toContain('Must name at least one event.');
    expect((await submit('/notifications/new', draft({ id: 'x' }))).text).toContain('This form is incomplete.');
    expect(await endpoints().list()).toEqual([]);
  });

  it('asks for the password when the last time is more than five minutes ago', async () => {
    const { browser, password } = await console.signIn('admin');
    for (const name of browser.cookies.keys()) if (name.includes('confirmed')) browser.cookies.delete(name);
    const { id = '' } = await hiddenIn('/notifications/new');
    const asked = await browser.post('/notifications/new', { id, ...draft() });
    expect([asked.status, asked.text]).toEqual([400, expect.stringContaining('Enter your password')]);
    const made = await browser.post('/notifications/new', { id, ...draft(), current_password: password });
    expect(secretsIn(made)).toHaveLength(1);
    await remove(`/notifications/${id}`);
  });
});

it('the view of an active token can be chosen; an ended one stays shown as it is', async () => {
  const tokens = console.registry.services.tokensOf('cli:test');
  const { record } = await tokens.create({ description: 'Customer <1>', kind: 'read' });
  const form = await admin.get('/notifications/new');
  expect(form.html).toContain(`<option value="${record.id}">what the token “Customer &lt;1&gt;” sees</option>`);
  const wrong = await submit('/notifications/new', draft({ view: record.id, events: 'audit.event' }));
  expect(wrong.text).toContain('is notified only of packages, not of audit.event');
  const { path } = await make({ view: record.id });
  expect((await admin.get(path)).html).toContain(`tokens/${record.id}"`);
  await tokens.revoke(record.id);
  expect((await admin.get('/notifications/new')).html).not.toContain(record.id);
  expect((await admin.get(`${path}/edit`)).html).toMatch(new RegExp(`value="${record.id}" selected[^>]*>as now`));
  const edited = await admin.post(`${path}/edit`, { ...draft({ view: record.id, url: '' }), name: 'Another' });
  expect(locationOf(edited)).toContain('notice=saved');
  await remove(path);
});

it('the token of a terminal is no view: it sees what its person sees at the moment', async () => {
  const terminal = deviceTerminal(console);
  const waiting = await terminal.begin();
  const { browser } = await console.signIn('viewer');
  await browser.post('/device/approve', { code: waiting.userCode });
  const { id } = await terminal.redeem(waiting);
  expect((await admin.get('/notifications/new')).html).not.toContain(id);
  const { text } = await submit('/notifications/new', draft({ view: id }));
  expect(text).toMatch(
    /token is of libretto login ?, and sees what its person sees at the moment\. Create a read token/,
  );
});

it('a view is chosen by the id of its token where there are many tokens', async () => {
  const tokens = console.registry.services.tokensOf('cli:test');
  const made = await Promise.all(
    Array.from({ length: 101 }, (_, at) => tokens.create({ description: `t${at}`, kind: 'read' })),
  );
  const { html } = await admin.get('/notifications/new');
  expect([html.includes('<select id="view"'), html.includes('<input id="view"')]).toEqual([false, true]);
  expect((await submit('/notifications/new', draft({ view: 'tok_x' }))).text).toContain('Must be the id of a token');
  const { path } = await make({ view: made[0]!.record.id });
  expect((await admin.get(`${path}/edit`)).html).toContain(`value="${made[0]!.record.id}"`);
  await remove(path);
  for (const { record } of made) await tokens.revoke(record.id);
});

it('the overview names endpoints that hear of nothing any more, for admins', async () => {
  const { path } = await make({ name: 'Chat <3>' });
  const id = parseEndpointId(path.slice('/notifications/'.length))!;
  const { state } = console.registry;
  const until = new Date(Date.now() + 60_000).toISOString();
  const paused = { delivered_at: null, failed_at: until, error: 'It is down.', failures: 3, paused_until: until };
  await state.commit({ conditions: [], puts: [{ key: statusKey(id), value: paused }], deletes: [], quiet: true });
  expect((await admin.get('/overview')).text).toContain('Chat <3> does not get its notifications It is down.');
  expect((await admin.get(path)).text).toMatch(
    /It is down\. The next one comes within a minute\..*paused after 3 failures/,
  );
  const key = endpointKey(id);
  const turnOff = async (disabled: string) => {
    const { value, revision } = (await state.get(key))!;
    const puts = [{ key, value: { ...(value as object), disabled } }];
    await state.commit({ conditions: [{ key, revision }], puts, deletes: [], quiet: true });
    return [
      (await admin.get('/overview')).text,
      (await admin.get(path)).text,
      (await admin.get('/notifications')).text,
    ];
  };
  const gone = await turnOff('gone');
  expect(gone[0]).toContain('Chat <3> wants no more notifications');
  expect([gone[1], gone[2]]).toEqual(
    ['answered 410', 'gone (410)'].map((text) => expect.stringContaining(text) as string),
  );
  const ended = await turnOff('token ended');
  expect(ended.map((text) => /its token ended/.test(text))).toEqual([true, true, true]);
  const { browser } = await console.signIn('maintainer');
  expect((await browser.get('/overview')).text).not.toContain('Chat <3>');
  await remove(path);
});

it('an endpoint is edited, turned off and on, and removed', async () => {
  const { path } = await make();
  const unchanged = await admin.post(`${path}/edit`, draft({ url: '' }));
  expect(locationOf(unchanged)).toContain('notice=same');
  const change = draft({ name: 'R <2>', url: `${receiver.url}/new`, packages: 'acme/*\nacme/*', stability: 'RC' });
  expect(locationOf(await admin.post(`${path}/edit`, change))).toContain('notice=saved');
  const { text } = await admin.get(path);
  expect(text).toMatch(/R <2> Webhook.*\/new.*Packages ?acme\/\* ?Stability ?RC and more stable/);
  expect((await admin.post(`${path}/edit`, { ...change, name: '' })).text).toContain('1 to 100 characters');
  expect((await admin.get(`${path}/off`)).text).toContain('Turn off R <2>?');
  expect(locationOf(await admin.post(`${path}/off`, {}))).toContain('notice=off');
  expect((await admin.get(path)).text).toContain('It is off: events of this time are not kept for it.');
  expect((await admin.get('/notifications')).text).toMatch(/R <2>.* off /);
  expect(locationOf(await admin.post(`${path}/on`, {}))).toContain('notice=on');
  expect((await remove(path)).status).toBe(303);
  expect((await admin.get(path)).status).toBe(404);
});

it('a new secret signs beside the former one, or ends it, and an old form changes nothing', async () => {
  const { path, secret } = await make();
  const hidden = await hiddenIn(`${path}/secret`);
  const second = await admin.post(`${path}/secret`, hidden);
  expect([second.status, second.text]).toEqual([200, expect.stringContaining('signs too, for a day')]);
  expect(secretsIn(second)).not.toContain(secret);
  expect((await admin.get(path)).text.match(/whs_\w{16}/g)).toHaveLength(2);
  expect(locationOf(await admin.post(`${path}/secret`, hidden))).toContain('notice=overtaken');
  const third = await submit(`${path}/secret`, { drop_old: 'on' });
  expect(third.text).toContain('The former one has ended.');
  expect((await admin.get(path)).text.match(/whs_\w{16}/g)).toHaveLength(1);
  await admin.post(`${path}/test`, {});
  const verify = (text: string) => () =>
    new Webhook(text).verify(receiver.requests[0]!.body, receiver.requests[0]!.headers);
  expect(verify(secretsIn(third)[0]!)).not.toThrow();
  expect(verify(secret)).toThrow();
  await remove(path);
});

describe('deliveries', () => {
  it('show how a test failed, in the words of the receiver, escaped', async () => {
    receiver.answer(answering(503, {}, '<script>alert(1)</script>'));
    const { path } = await make();
    const [event = ''] = /evt_\w+/.exec(locationOf(await admin.post(`${path}/test`, {}))) ?? [];
    const { text, html } = await admin.get(`${path}?tested=${event}`);
    expect(text).toMatch(/The test did not arrive: HTTP 503 after \d+ ms.*<script>/);
    expect(html).not.toContain('<script>alert');
    expect((await admin.get(`${path}?tested=evt_other`)).text).not.toContain('did not arrive');
    await remove(path);
  });

  it('are listed newest first, with their attempts and data, twenty a page', async () => {
    const { path } = await make();
    await handOver(path, 23);
    const first = await admin.get(path);
    expect(first.text.match(/was published/g)).toHaveLength(20);
    expect(first.text).toMatch(/acme\/tool-22 1\.0\.0 was published.*acme\/tool-3 1\.0\.0 was published/);
    expect(first.text).toContain('waiting');
    expect(first.text).toContain('2 attempts');
    expect(first.text).toMatch(/no answer after 1\s234 ms\. It answered <i>no<\/i>\./);
    expect(first.html).not.toMatch(/<[bi]>/);
    const [, older = ''] = /href="[^"]*(\?before=[^"]+)"/.exec(first.html) ?? [];
    const second = await admin.get(`${path}${older}`);
    expect(second.text.match(/acme\/tool-\d+ 1\.0\.0 was published/g)).toHaveLength(3);
    expect(second.text).toContain('Newest');
    await remove(path);
  });

  it('are sent again, one or all of a time', async () => {
    const { path } = await make();
    const events = await handOver(path, 3);
    const again = `${path}/deliveries/${events[0]!.id}/replay`;
    expect((await admin.get(path)).html).toContain(`deliveries/${events[0]!.id}/replay"`);
    expect((await admin.get(again)).text).toContain('Send this notification again?');
    expect(locationOf(await admin.post(again, {}))).toContain('notice=again');
    expect((await admin.post(`${path}/deliveries/evt_x/replay`, {})).status).toBe(404);
    const range = (since: string, until = '') => admin.post(`${path}/replay`, { since, until });
    expect((await range('2026-01-01T12:03')).text).toContain('No delivery of this time is kept.');
    expect((await range('soon')).text).toContain('Must be a day and a time');
    expect((await range('')).text).toContain('Enter a time.');
    expect(locationOf(await range('2026-01-01T12:01', '2026-01-01T12:01'))).toContain('notice=again');
    const rows = await console.registry.state.range(`notify-delivery${path.slice('/notifications'.length)}/`);
    const dues = rows.map(({ value }) => Date.parse((value as { next_at: string }).next_at) > Date.UTC(2026, 0, 2));
    expect(dues).toEqual([true, true, false]);
    await remove(path);
  });
});
