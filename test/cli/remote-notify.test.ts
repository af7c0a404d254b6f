// Tests `libretto notify --url`: it reads, tests and sends again with a person's token. What needs a session becomes a
// link to the console's form, and no link holds the address of a receiver, which may be a secret.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { remoteTerminal, type RemoteTerminal } from '../util/remote-terminal.ts';
import { startReceiver, type WebhookReceiver } from '../util/webhook-receiver.ts';

let terminal: RemoteTerminal;
let receiver: WebhookReceiver;
let id: string;

const json = (stdout: string) => JSON.parse(stdout) as Record<string, unknown>;

beforeAll(async () => {
  receiver = await startReceiver();
  terminal = await remoteTerminal('remote-notify', { egress: { allow: ['127.0.0.0/8'] } });
  id = String(json(await terminal.host('notify', 'add', `${receiver.url}/here`, '--name', 'Here', '--json'))['id']);
});
afterAll(async () => {
  await terminal[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

describe('libretto notify --url', () => {
  it('sends a test, and lists and shows what the host does', async () => {
    const { host, there } = terminal;
    const tested = await there('notify', 'test', id);
    expect([tested.exitCode, tested.stdout]).toEqual([0, expect.stringMatching(/^The test of Here .*delivered \(204/)]);
    expect(receiver.requests).toHaveLength(1);
    for (const args of [['list'], ['list', '--json'], ['show', id], ['show', id, '--json'], ['deliveries', id]])
      expect((await there('notify', ...args)).stdout).toBe(await host('notify', ...args));
  });

  it('sends one event again, and knows when there is none', async () => {
    const [event] = json((await terminal.there('notify', 'deliveries', id, '--json')).stdout)['deliveries'] as {
      id: string;
    }[];
    const again = await terminal.there('notify', 'deliveries', id, '--replay', event!.id);
    expect([again.exitCode, again.stdout]).toEqual([0, '1 delivery is due now.']);
    const unknown = await terminal.there('notify', 'deliveries', id, '--replay', 'evt_0000000000000000000000');
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining(`deliveries ${id}\` lists them.`)]);
  });

  it('fills in the form of a new endpoint, but for its address', async () => {
    const args = ['--name', 'Chat', '--form', 'slack', '--event', 'advisory.published', '--package', 'acme/*'];
    const asked = await terminal.there('notify', 'add', 'https://chat.example.org/T0SECRET', ...args);
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('but for url: no link holds a secret')]);
    expect(asked.stdout + asked.stderr).not.toContain('T0SECRET');
    const { html } = await terminal.opened(asked);
    expect(html).toMatch(/name="name"[^>]*value="Chat"/);
    expect(html).toMatch(/<option value="slack" selected/);
    expect(html.match(/<input[^>]*name="events"[^>]* checked/g)).toEqual([
      expect.stringContaining('value="advisory.published"'),
    ]);
    // the signature of the link is no value of the field `signature`
    expect(html).not.toContain('not possible here');
    expect((await terminal.there('notify', 'add')).exitCode).toBe(2);
    const wrong = await terminal.there('notify', 'add', 'https://chat.example.org/x', '--form', 'telegraph');
    expect([wrong.exitCode, wrong.stdout, wrong.stderr]).toEqual([2, '', expect.stringContaining('slack')]);
    expect(html).toMatch(/type="hidden" name="id" value="ntf_\w{16}"/);
  });

  it('fills in only what changes, and never an address from a link', async () => {
    const asked = await terminal.there('notify', 'update', id, '--package', 'acme/web');
    const { html } = await terminal.opened(asked);
    const forged = await terminal.opened({ ...asked, stdout: `${asked.stdout}&url=https://evil.example.org` });
    expect(forged.html).not.toMatch(/evil|acme\/web/);
    expect(html).toMatch(/name="name"[^>]*value="Here"/);
    expect(html).toMatch(/<textarea[^>]*name="packages"[^>]*>acme\/web</);
    expect(html.match(/<input[^>]*name="events"[^>]* checked/g)).toHaveLength(2);
    const off = await terminal.there('notify', 'update', id, '--disable');
    expect((await terminal.opened(off)).text).toContain('Turn off Here?');
    const rotated = await terminal.there('notify', 'update', id, '--rotate', '--drop-old');
    expect((await terminal.opened(rotated)).html).toMatch(/name="drop_old"[^>]* checked/);
    const both = await terminal.there('notify', 'update', id, '--enable', '--name', 'There');
    expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining('without other changes')]);
  });

  it('says what a form that is not filled in asks for, and leads to the question of a removal', async () => {
    const moved = await terminal.there('notify', 'update', id, '--to', 'https://chat.example.org/T0SECRET');
    const advice = 'Confirm it in the console. Enter the url there: no link holds a secret:';
    expect([moved.exitCode, moved.stdout, moved.stderr]).toEqual([
      2,
      `${terminal.url}/ui/notifications/${id}/edit`,
      expect.stringContaining(advice),
    ]);
    const removed = await terminal.there('notify', 'remove', id);
    expect([removed.exitCode, removed.stdout]).toEqual([2, `${terminal.url}/ui/notifications/${id}/remove`]);
    const rotated = await terminal.there('notify', 'update', id, '--rotate');
    expect(rotated.stderr).not.toContain('filled in');
  });

  it('repeats no faulty address', async () => {
    for (const address of ['https://chat.example.org:99999/T0SECRET', 'https://chat.example.org:0/T0SECRET']) {
      const file = terminal.folder.at('address');
      writeFileSync(file, `${address}\n`);
      const data = ['--data', terminal.folder.at('data')];
      const refused = await terminal.run('notify', 'add', '--url-file', file, ...data);
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('must be an https address: it ')]);
      expect(refused.stderr).not.toContain('T0SECRET');
    }
  });

  it('names the new option of an address that was --url before, and sends no mail', async () => {
    const { url } = receiver;
    const before = receiver.requests.length;
    const former = await terminal.run('notify', 'update', id, '--name', 'x', '--url', url, '--insecure-http');
    expect([former.exitCode, former.stderr]).toEqual([2, expect.stringContaining('of the endpoint, use --to.')]);
    expect(receiver.requests).toHaveLength(before);
    const mail = await terminal.there('notify', 'test', '--mail', 'ada@example.org');
    expect([mail.exitCode, mail.stderr]).toEqual([2, expect.stringContaining('configuration of this machine')]);
  });
});
