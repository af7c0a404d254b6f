// Tests what a command with --url says before it prints the link to a form: the person's teams, unknown ids, secrets and
// long values; and that each form names the terminal that filled it in.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminPassword, remoteTerminal, type RemoteTerminal } from '../util/remote-terminal.ts';
import { runCli, startCli, type CliOutcome } from '../util/run-cli.ts';
import { createBrowser } from '../util/running-console.ts';

let terminal: RemoteTerminal;
const ids: Record<string, string> = {};

beforeAll(async () => {
  terminal = await remoteTerminal('remote-links');
  const things: Readonly<Record<string, string>> = {
    token: 'token create --description CI',
    endpoint: 'notify add https://chat.example.org/T0 --name Here',
    repository: 'repository add https://git.example.org/acme/old.git --type git',
  };
  for (const [name, line] of Object.entries(things)) {
    const { id } = JSON.parse(await terminal.host(...line.split(' '), '--json')) as { id: string };
    ids[name] = id;
  }
  writeFileSync(terminal.folder.at('token'), 'hunter2\n');
});
afterAll(() => terminal[Symbol.asyncDispose]());

const words = (line: string): readonly string[] =>
  line.split(' ').map((word) => word.replace(/^\{(\w+)\}$/, (_, name: string) => ids[name] ?? ''));
const there = (line: string): Promise<CliOutcome> => terminal.there(...words(line));

describe('a form that a terminal filled in', () => {
  it.each([
    'token create --description Shop',
    'token update {token} --description Other',
    'token rotate {token} --grace 30m',
    'connection add github --owner acme --token-file token --forks',
    'package withdraw acme/lib 1.0.0',
  ])('names the terminal: %s', async (line) => {
    const asked = await there(line);
    expect(asked.exitCode).toBe(2);
    const { text } = await terminal.opened(asked);
    if (asked.stderr.includes('filled in')) expect(text).toContain('Your token “libretto login on laptop” filled in');
    else expect(text).toContain('Withdraw acme/lib 1.0.0?');
  });
});

describe('a change whose form is not filled in', () => {
  it.each([
    ['notify update {endpoint} --to https://chat.example.org/T0SECRET', 'Enter the url there: no link holds a secret'],
    ['repository update {repository} --token-file token', 'Enter the credentials there'],
  ])('names the secret that the person enters: %s', async (line, advice) => {
    const { exitCode, stdout, stderr } = await there(line);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(advice)]);
    expect(stdout + stderr).not.toMatch(/T0SECRET|hunter2/);
  });

  it.each(['notify update {endpoint} --rotate', 'notify remove {endpoint}'])('is not called so: %s', async (line) => {
    const { exitCode, stdout, stderr } = await there(line);
    expect([exitCode, stdout]).toEqual([2, expect.stringContaining(`/ui/notifications/${ids['endpoint']}/`)]);
    expect(stderr).not.toContain('filled in');
  });
});

describe('no link is printed', () => {
  it.each([
    ['token rotate tok_0123456789abcdef', 'not found'],
    ['connection update conn_0000000000000000 --forks', '`libretto connection list` shows all of them.'],
    ['package withdraw acme/nothing 1.0.0', 'acme/nothing'],
    ['notify add https://chat.example.org/x --form telegraph', 'slack'],
    ['user update root@example.org --role admin --policy-editor', 'Make one change after the other.'],
    ['user update root@example.org --name Root', 'run the same command on the host of the registry'],
  ])('for %s', async (line, reason) => {
    const { exitCode, stdout, stderr } = await there(line);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)]);
  });

  it('for more than a link can hold', async () => {
    const networks = Array.from({ length: 600 }, (_, at) => `--network 10.0.${Math.floor(at / 250)}.${at % 250}/32`);
    const { exitCode, stdout, stderr } = await there(`token create --description Shop ${networks.join(' ')}`);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining('this is too much for a link')]);
  });
});

describe('a maintainer who sees only the packages of teams', () => {
  const options = () => ({
    cwd: terminal.folder.path,
    environment: { XDG_CONFIG_HOME: terminal.folder.at('config-of-may') },
  });

  beforeAll(async () => {
    const person = 'may@example.org';
    await terminal.host('user', 'create', '--email', person, '--role', 'maintainer', '--password-stdin');
    await terminal.host('settings', 'set', 'people.packages', 'teams');
    const browser = createBrowser(terminal.agent, terminal.url);
    expect((await browser.post('/sign-in', { email: person, password: adminPassword })).status).toBe(303);
    const login = startCli(['login', terminal.url], options());
    const [, code = ''] = await login.shows(/The code is (\S+)/);
    await browser.post('/device/approve', { code, current_password: adminPassword });
    expect((await login.ended).exitCode).toBe(0);
  });

  it.each([
    ['package withdraw acme/lib 1.0.0', 'You see only the packages of your teams'],
    ['token create --description CI', 'You see only the packages of your teams'],
    ['repository update {repository} --interval 1h', 'You see only the packages of your teams'],
    ['policy feeds --accept osv', 'The role maintainer may not do that'],
  ])('is refused %s before a link is printed', async (line, reason) => {
    const refused = await runCli([...words(line), '--url', terminal.url], options());
    expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringContaining(reason)]);
  });
});

describe('a secret on the command line of the host', () => {
  const here = (...args: readonly string[]) => terminal.run(...args, '--data', terminal.folder.at('data'));

  it.each(['https://chat.example.org:99999/T0SECRET', 'https://chat.example.org:0/T0SECRET'])(
    'is not repeated where it is faulty: %s',
    async (address) => {
      writeFileSync(terminal.folder.at('address'), `${address}\n`);
      const refused = await here('notify', 'add', '--url-file', 'address');
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('must be an https address: it ')]);
      expect(refused.stderr).not.toContain('T0SECRET');
    },
  );

  it('is refused where the API would refuse it as too long', async () => {
    writeFileSync(terminal.folder.at('long'), 'x'.repeat(20_001));
    const refused = await here('repository', 'add', 'https://git.example.org/acme/long', '--token-file', 'long');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('the limit is 20000 bytes')]);
  });

  it('goes to no forge where a command of former versions names its address by --url', async () => {
    const line = 'connection add gitlab --url https://git.example.org --owner acme --token-file token';
    const refused = await here(...words(line));
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/names a registry\. .*--forge-url\./),
    ]);
  });
});
