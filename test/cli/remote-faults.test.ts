// Tests commands with --url against a server that answers wrongly, and sign-ins that do not fit: each ends soon, with
// one sentence.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

const folder = temporaryFolder('remote-faults');
const token = 'lib_r_no';
let server: Server;
let url = '';
interface FakeAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** in place of the body */
  readonly raw?: string;
  readonly isEndless?: true;
}
let answer: FakeAnswer = { status: 200, body: {} };

function* endless(begin: string): Generator<string> {
  yield begin;
  for (;;) yield 'a'.repeat(1_000_000);
}

beforeAll(async () => {
  server = createServer((_request, response) => {
    const { status, body, raw } = answer;
    if (raw?.startsWith('HTTP') === true) return void response.socket?.end(raw);
    response.writeHead(status, { 'content-type': 'application/json' });
    if (answer.isEndless === true) pipeline(Readable.from(endless(raw ?? '')), response, () => undefined);
    else response.end(raw ?? JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await folder.remove();
});

const there = (...args: readonly string[]): Promise<CliOutcome> =>
  runCli([...args, '--url', url, '--token', token], { cwd: folder.path });

describe('an answer of a server', () => {
  it.each([
    ['{}', {}],
    ['no list', { data: {}, next_cursor: null }],
    ['rows of another kind', { data: [null], next_cursor: null }],
    ['a cursor of another kind', { data: [], next_cursor: 7 }],
  ])('that is not as expected (%s) is named, without a stack', async (_name, body) => {
    answer = { status: 200, body };
    const { exitCode, stderr } = await there('team', 'list');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('not as this version of Libretto expects')]);
    expect(stderr).not.toMatch(/unexpected error|\n {4}at /);
  });

  it.each([
    ['team list', ['team', 'list']],
    ['api', ['api', 'GET', '/api/teams', '--all']],
    ['audit list', ['audit', 'list']],
  ])('that gives the same page for ever ends %s', async (_name, args) => {
    answer = { status: 200, body: { data: [], next_cursor: 'again' } };
    const { exitCode, stderr } = await there(...args);
    expect([exitCode === 0, stderr]).toEqual([false, expect.stringContaining('has no end')]);
  });

  it.each(['toString', '__proto__'])('with the code %s is no success', async (code) => {
    answer = { status: 400, body: { error: 'no', code } };
    for (const args of [
      ['team', 'list'],
      ['repository', 'list'],
    ])
      expect((await there(...args)).exitCode).toBe(1);
  });

  it('that refuses with odd issues is a refusal', async () => {
    answer = { status: 400, body: { error: 'no', code: 'INVALID_INPUT', details: { issues: [null, 3] } } };
    expect(await there('team', 'list')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no') as string });
  });

  itInSeries.each([
    ['team list', ['team', 'list']],
    ['api', ['api', 'GET', '/api/teams']],
  ])('that does not end is left, by %s', async (_name, args) => {
    answer = { status: 200, raw: '{"data":["', isEndless: true };
    const { exitCode, stderr } = await there(...args);
    expect([exitCode, stderr]).toEqual([1, `libretto: The answer of ${url} has no end. Check the address.`]);
  });

  it.each([
    ['deep', `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'not like a Libretto registry'],
    ['of another protocol', 'HTTP/9 nonsense\r\n\r\n', 'cannot be reached, or is no registry'],
  ])('that is %s is named', async (_name, raw, sentence) => {
    answer = { status: 200, raw };
    for (const args of [
      ['team', 'list'],
      ['api', 'GET', '/api/teams'],
    ]) {
      const { exitCode, stderr } = await there(...args);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(sentence)]);
      expect(stderr).not.toContain('unexpected error');
    }
  });

  it('begins no line of its own in a table or a refusal', async () => {
    const times = {
      created_at: '2026-01-01T00:00:00.000Z',
      created_by: 'cli:ada',
      updated_at: '2026-01-01T00:00:00.000Z',
    };
    const team = { id: 'tea_0123456789abcdef', name: 'a\nlibretto: b', packages: ['*'], members: [], ...times };
    answer = { status: 200, body: { data: [team], next_cursor: null } };
    expect((await there('team', 'list')).stdout).toContain(String.raw`a\u000alibretto: b`);
    const issues = [{ path: 'x\ny', message: 'c\nlibretto: d' }];
    answer = { status: 400, body: { error: 'a\nlibretto: b', code: 'INVALID_INPUT', details: { issues } } };
    for (const args of [['team', 'list'], ['status']])
      expect((await there(...args)).stderr).not.toMatch(/\nlibretto:|\ny/);
  });

  it('shows no control characters of a terminal in JSON', async () => {
    answer = { status: 200, body: { name: 'a\u009b31m\u202eb' } };
    const { stdout } = await there('api', 'GET', '/api/teams');
    expect(stdout).toContain(String.raw`a\u009b31m\u202eb`);
    expect(JSON.parse(stdout)).toEqual({ name: 'a\u009b31m\u202eb' });
  });
});

describe('the registry of a sign-in', () => {
  const signedIn = (expires: string, folderName: string): Promise<CliOutcome> => {
    mkdirSync(folder.at('config/libretto'), { recursive: true });
    const row = { url, token_id: 'tok_1', email: 'a@b', expires_at: expires, kept_in: 'file', token };
    writeFileSync(folder.at('config/libretto/sign-ins.json'), JSON.stringify({ sign_ins: [row] }), { mode: 0o600 });
    mkdirSync(folder.at(folderName), { recursive: true });
    const environment = { XDG_CONFIG_HOME: folder.at('config') };
    return runCli(['team', 'create', 'Web', '--package', '*'], { cwd: folder.at(folderName), environment });
  };

  it('that has expired is named, and no data folder is made in its place', async () => {
    const { exitCode, stderr } = await signedIn('2020-01-01T00:00:00.000Z', 'expired');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`Your sign-in at ${url} has expired`)]);
  });

  it('is not used beside a configuration file', async () => {
    mkdirSync(folder.at('configured'));
    writeFileSync(folder.at('configured/libretto.json'), '{}');
    const { exitCode, stdout } = await signedIn('2999-01-01T00:00:00.000Z', 'configured');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Web')]);
  });
});
