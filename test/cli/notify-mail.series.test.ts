// Tests `libretto notify mail` and `libretto notify test --mail` with the shipped program and a real mail server.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { assertNoSecretsBelow } from '../util/leaks.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { startSmtpReceiver, type SmtpReceiver } from '../util/smtp-receiver.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

type Json = Record<string, unknown>;

const password = 'a password of the mail server';

let folder: TemporaryFolder;
let receiver: SmtpReceiver;
beforeAll(async () => {
  folder = temporaryFolder('cli-notify-mail');
  receiver = await startSmtpReceiver({ user: 'packages', password });
  mkdirSync(folder.at('packages'));
  configure({});
  expect((await run('token', 'create', '--description', 'x')).exitCode).toBe(0);
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  assertNoSecretsBelow(folder.at('data'));
  await folder.remove();
});

const server = (): Json => ({ mail: `smtp://packages@${receiver.host}`, publicUrl: 'https://packages.example.org' });
const configure = (settings: Json): void =>
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', ...settings }));
const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const store = (input: string): Promise<CliOutcome> =>
  runCli(['notify', 'mail', '--password-stdin'], { cwd: folder.path, input });
const testMail = (...args: readonly string[]): Promise<CliOutcome> =>
  run('notify', 'test', '--mail', 'ada@example.org', ...args);
const mailDocument = async (): Promise<Json> => JSON.parse((await run('notify', 'mail', '--json')).stdout) as Json;
const findings = async (): Promise<Json[]> => {
  const { checks } = JSON.parse((await run('doctor', '--json')).stdout) as { checks: Json[] };
  return checks.filter(({ check }) => check === 'mail');
};

describe('without a mail server', () => {
  it('a password, and a test, are refused', async () => {
    configure({});
    for (const refused of [await store(password), await testMail()])
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('No mail server is configured.')]);
    expect((await run('notify', 'mail')).stdout).toContain('none: the registry sends no mail');
    expect(await findings()).toEqual([]);
  });

  itInSeries('a server without a user takes no password, and one without the feature sends nothing', async () => {
    configure({ ...server(), mail: `smtp://${receiver.host}` });
    expect((await store(password)).stderr).toContain('is configured without a user');
    configure({ ...server(), features: ['api'] });
    expect((await testMail()).stderr).toContain('leaves out the feature notifications');
    expect(await findings()).toMatchObject([{ verdict: 'warning' }, { verdict: 'warning' }]);
  });

  itInSeries('a server without the address of the registry is named by doctor', async () => {
    configure({ mail: `smtp://${receiver.host}` });
    expect((await testMail()).stderr).toContain('`mail` needs its address');
    expect(await findings()).toMatchObject([
      { verdict: 'failed', message: expect.stringContaining('not the address of the registry') as string },
    ]);
  });
});

describe('a mail server with a user', () => {
  it('gets a test mail with the stored password, after it has refused one without', async () => {
    configure(server());
    const refused = await testMail('--json');
    expect(refused.exitCode).toBe(1);
    expect(JSON.parse(refused.stdout)).toEqual({
      to: 'ada@example.org',
      sent: false,
      error: expect.stringContaining('`libretto notify mail --password-stdin`') as string,
    });
    expect(await findings()).toMatchObject([
      { message: expect.stringContaining('there is no password of packages') as string },
      { message: expect.stringContaining('the last mail failed') as string },
    ]);
    expect(await mailDocument()).toMatchObject({ password: null, last_sent_at: null });

    const stored = await store(`${password}\n`);
    expect([stored.exitCode, stored.stdout + stored.stderr]).toEqual([0, expect.not.stringContaining(password)]);
    const { exitCode, stdout } = await testMail();
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('took the test mail to ada@example.org.')]);
    const [mail] = receiver.mails;
    expect(mail).toMatchObject({ from: 'libretto@packages.example.org', to: ['ada@example.org'] });
    expect(mail?.source).toMatch(/^Subject: A test of packages\.example\.org\r?$/m);
    expect(await mailDocument()).toMatchObject({
      server: `smtp://packages@${receiver.host}`,
      from: 'Libretto <libretto@packages.example.org>',
      password: 'stored',
      last_sent_at: expect.any(String) as string,
      waiting: 0,
    });
    expect(await findings()).toMatchObject([{ verdict: 'ok' }]);
  });

  it('refuses an unknown recipient, and the command says so with exit code 1', async () => {
    configure(server());
    receiver.refuse(550);
    const { exitCode, stderr } = await testMail();
    receiver.refuse(undefined);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('No such mailbox')]);
    await testMail();
  });

  itInSeries('has a password whose key is gone: the command and doctor name the repair', async () => {
    renameSync(folder.at('data/keys'), folder.at('keys-elsewhere'));
    const [lost, shown] = [await findings(), await mailDocument()];
    rmSync(folder.at('data/keys'), { recursive: true, force: true });
    renameSync(folder.at('keys-elsewhere'), folder.at('data/keys'));
    expect(shown).toMatchObject({ password: 'unreadable' });
    expect(lost).toMatchObject([
      {
        verdict: 'warning',
        message: expect.stringContaining('cannot be opened') as string,
        advice: expect.stringContaining('`libretto notify mail --password-stdin`') as string,
      },
    ]);
  });

  it('loses its stored password with --remove-password, and a configured one goes before it', async () => {
    const address = `smtp://packages:${encodeURIComponent(password)}@${receiver.host}`;
    configure({ ...server(), mail: address });
    expect((await store(password)).stderr).toContain('holds a password too, which is used instead');
    const { stdout } = await run('notify', 'mail');
    expect(stdout).toMatch(/^password +from mail in \S+libretto\.json$/m);
    expect(stdout).not.toContain(encodeURIComponent(password));
    configure(server());
    expect((await run('notify', 'mail', '--remove-password')).stdout).toContain('Removed the stored password');
    expect((await run('notify', 'mail', '--remove-password')).stdout).toContain('No password');
    expect(await mailDocument()).toMatchObject({ password: null });
  });

  it.each([
    [['test', '--mail', 'ada'], '--mail is "ada"; allowed: an address such as ada@example.org.'],
    [['test', 'ntf_0000000000000000', '--mail', 'ada@example.org'], 'Name one thing to test'],
    [['mail', '--password-stdin', '--remove-password'], 'not both'],
    [['mail', '--password-stdin'], 'Standard input holds no password.'],
  ] as const)('%j is refused: %s', async (args, words) => {
    const refused = await run('notify', ...args);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});
