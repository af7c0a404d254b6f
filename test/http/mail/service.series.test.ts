// Tests mails with the compiled service and a real mail server (rows 97 and 99): invitations, notices for those whom
// they concern, and the queue over a kill.

import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rememberSecrets } from '../../util/leaks.ts';
import { startMailServer, type MailServer, type ReceivedMail } from '../../util/mail-server.ts';
import { startManagedRegistry, type ManagedRegistry } from '../../util/managed-registry.ts';
import { libraryTree, writeTree } from '../../util/package-tree.ts';
import { temporaryFolder, type TemporaryFolder } from '../../util/temporary-folder.ts';

type Json = Record<string, unknown>;

let server: MailServer;
let roots: TemporaryFolder;
let registry: ManagedRegistry;
const password = 'another horse battery staple';
rememberSecrets({ password });

beforeAll(async () => {
  server = await startMailServer();
  roots = temporaryFolder('mailed-roots');
  registry = await startManagedRegistry({
    publicUrl: 'https://packages.test',
    mail: `smtp://127.0.0.1:${server.port}`,
    sourceRoots: [roots.path],
    advisories: 'advisories.json',
  });
  writeFileSync(registry.folder.at('advisories.json'), '[]');
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await roots.remove();
});

const eventually = <Value>(check: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(check, { timeout: 60_000, interval: 50 });
const mailsTo = (address: string): readonly ReceivedMail[] => server.mails.filter(({ to }) => to.includes(address));
const mailTo = (address: string, about: RegExp): Promise<ReceivedMail> =>
  eventually(() => {
    const found = mailsTo(address).find(({ subject }) => about.test(subject));
    expect(
      found,
      `mails to ${address}: ${mailsTo(address)
        .map(({ subject }) => subject)
        .join(', ')}`,
    ).toBeDefined();
    return found!;
  });

/** Invites a person, takes the link from the mail, and gives the person's session. */
async function invite(email: string, role: string, more: Json = {}): Promise<{ mail: ReceivedMail; session: string }> {
  const { status, json } = await registry.api('POST', '/api/users', { email, role, ...more });
  expect(status).toBe(201);
  const mail = await mailTo(email, /account/);
  const link = /https:\/\/packages\.test\/ui\/invitation\?code=(inv_\w+)/.exec(mail.text);
  expect(link?.[1]).toBe((json['invitation'] as Json)['token']);
  const accept = { token: link?.[1], password };
  expect((await registry.api('POST', '/api/auth/invitations/accept', accept, '')).status).toBe(200);
  expect((await registry.api('POST', '/api/auth/invitations/accept', accept, '')).json['code']).toBe(
    'INVITATION_INVALID',
  );
  const login = await registry.api('POST', '/api/auth/login', { email, password }, '');
  return { mail, session: String(login.json['token']) };
}

describe('an invitation', () => {
  it('reaches its person by mail, as text and as a page, and its link works once', async () => {
    const name = '<script>x</script> "Eve" & Bcc: y@example.org';
    const { mail } = await invite('eve@example.org', 'maintainer', { name });
    expect(mail.to).toEqual(['eve@example.org']);
    expect(mail.subject).toBe('Your account at packages.test');
    expect(mail.text).toContain(`Hello ${name},`);
    expect(mail.html).toContain('Hello &lt;script&gt;x&lt;/script&gt; &quot;Eve&quot; &amp; Bcc: y@example.org,');
    expect(mail.html).not.toContain('<script');
    expect(mail.html).toContain('<html lang="en">');
    expect(Object.keys(mail.headers)).not.toContain('bcc');
    for (const once of ['from', 'to', 'subject', 'date', 'message-id']) expect(mail.headers[once]).toHaveLength(1);
  });

  it('survives a kill of the server before it was sent', async () => {
    server.misbehave('hangs');
    const before = server.asked.length;
    const { json } = await registry.api('POST', '/api/users', { email: 'kim@example.org', role: 'viewer' });
    await eventually(() => expect(server.asked.length).toBeGreaterThan(before));
    await registry.stop('SIGKILL');
    expect(mailsTo('kim@example.org')).toEqual([]);
    server.misbehave('none');
    await registry.start();
    const mail = await mailTo('kim@example.org', /account/);
    expect(mail.text).toContain(String((json['invitation'] as Json)['token']));
    expect(mailsTo('kim@example.org')).toHaveLength(1);
  });
});

describe('notices', () => {
  it('about syncs go to those who keep packages, until a person turns them off', async () => {
    const vic = await invite('vic@example.org', 'viewer');
    const kay = await invite('kay@example.org', 'maintainer');
    writeTree(roots.at('r', 'tool'), libraryTree('acme/tool', { version: '1.0.0' }));
    const repository = await registry.api('POST', '/api/repositories', { type: 'directory', url: roots.at('r') });
    const sync = (): Promise<unknown> =>
      registry.api('POST', `/api/repositories/${String(repository.json['id'])}/sync`);
    rmSync(roots.at('r'), { recursive: true });
    await sync();
    const failed = /The sync of .* failed/;
    const recovered = /works again/;
    for (const email of ['ada@example.org', 'kay@example.org']) await mailTo(email, failed);
    expect((await mailTo('kay@example.org', failed)).text).toContain('Turn them off: https://packages.test/ui/account');
    const off = await registry.api('PATCH', '/api/auth/me', { mail_off: ['syncs'] }, kay.session);
    expect([off.status, off.json['mail_off']]).toEqual([200, ['syncs']]);
    writeTree(roots.at('r', 'tool'), libraryTree('acme/tool', { version: '1.0.0' }));
    await sync();
    await mailTo('ada@example.org', recovered);
    expect(mailsTo('kay@example.org').filter(({ subject }) => recovered.test(subject))).toEqual([]);
    expect(mailsTo('vic@example.org')).toEqual([vic.mail]);
  });

  it('about advisories name what they are about, and the texts of others are no markup and no headers', async () => {
    await eventually(async () =>
      expect((await registry.cli('package', 'list', '--json')).stdout).toContain('acme/tool'),
    );
    writeTree(registry.folder.at('src', 'own'), libraryTree('acme/own', { version: '1.0.0' }));
    const title = 'Remote <img src=x onerror=alert(1)>\r\nBcc: y@example.org\r\n\r\nbody';
    const advisory = {
      advisoryId: 'ACME-2026-1',
      packageName: 'acme/own',
      affectedVersions: '<2',
      title,
      reportedAt: '2026-11-01 00:00:00',
      sources: [{ name: 'acme', remoteId: '1' }],
      cve: 'CVE-2026-1',
      link: null,
      severity: 'high',
    };
    expect((await registry.cli('build', 'src/own')).exitCode).toBe(0);
    writeFileSync(registry.folder.at('advisories.json'), JSON.stringify([advisory]));
    const { exitCode, stderr } = await registry.cli('build', 'src/own');
    expect([exitCode, stderr]).toEqual([0, stderr]);
    const mail = await mailTo('ada@example.org', /Security advisory/);
    expect(mail.subject).toMatch(/^Security advisory for acme\/own: Remote <img .*Bcc: y@example.org body$/);
    expect(mail.headers).not.toHaveProperty('bcc');
    expect(mail.to).toEqual(['ada@example.org']);
    expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(mail.html).not.toContain('<img');
    expect(mail.text).toContain('Affected versions: <2');
    expect(mail.text).toContain('CVE: CVE-2026-1');
  });
});
