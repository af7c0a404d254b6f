// Tests `libretto notify` with the shipped program and a receiver on a real socket: the secret that is printed once,
// the selection, tests, deliveries, replays by a running server, and the findings of doctor.

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { assertNoSecretsBelow, rememberSecrets } from '../util/leaks.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { runCli, startCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { answering, startReceiver, type ReceivedRequest, type WebhookReceiver } from '../util/webhook-receiver.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

type Json = Record<string, unknown>;

let folder: TemporaryFolder;
let receiver: WebhookReceiver;
beforeAll(async () => {
  folder = temporaryFolder('cli-notify');
  writeTree(folder.at('packages/hello'), libraryTree('acme/hello', { version: '1.0.0' }));
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', egress: { allow: ['127.0.0.0/8'] } }));
  receiver = await startReceiver();
  expect((await run('build', 'packages/hello')).exitCode).toBe(0);
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  assertNoSecretsBelow(folder.at('data'));
  await folder.remove();
});

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const notify = (...args: readonly string[]): Promise<CliOutcome> => run('notify', ...args);
const document = async (...args: readonly string[]): Promise<Json> => {
  const { stdout, stderr } = await notify(...args, '--json');
  expect(stdout, stderr).not.toBe('');
  const json = JSON.parse(stdout) as Json;
  // a public key is no secret
  if (!String(json['secret']).startsWith('whpk_')) rememberSecrets(json);
  return json;
};
const add = async (path: string, ...args: readonly string[]): Promise<Json & { readonly id: string }> => {
  const made = await document('add', `${receiver.url}${path}`, ...args);
  return { ...made, id: String(made['id']) };
};
const at = (path: string): readonly ReceivedRequest[] => receiver.requests.filter((one) => one.path === path);
const deliveriesOf = async (id: string, ...args: readonly string[]): Promise<Json[]> =>
  (await document('deliveries', id, ...args))['deliveries'] as Json[];
const findings = async (): Promise<Json[]> => {
  const { checks } = JSON.parse((await run('doctor', '--json')).stdout) as { checks: Json[] };
  return checks.filter(({ check }) => check === 'notification');
};

/** A server runs until `check` does not throw any more. */
async function serveUntil(check: () => void | Promise<void>): Promise<void> {
  const serving = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
  await serving.shows(/http:\/\/127\.0\.0\.1:\d+/);
  await vi.waitFor(check, { timeout: 60_000, interval: 20 });
  serving.signal('SIGTERM');
  await serving.ended;
}

describe('libretto notify add', () => {
  it('prints the secret alone on standard output, with which the receiver verifies a test', async () => {
    const { stdout, stderr, exitCode } = await notify('add', `${receiver.url}/alone`, '--name', 'Deployment');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/)]);
    expect(stderr).toContain('Deployment');
    expect(stderr).toContain('Secret (shown only once');
    expect(stderr).toContain('Events travel unencrypted');
    expect(stderr).toContain('No server runs now.');
    const [id = ''] = /ntf_[0-9A-Za-z]{16}/.exec(stderr) ?? [];
    const shown = await notify('show', id);
    expect(shown.stdout).toContain('Nothing was sent yet.');
    expect(shown.stdout + shown.stderr).not.toContain(stdout);
    const tested = await notify('test', id);
    expect([tested.exitCode, tested.stdout]).toEqual([0, expect.stringMatching(/: delivered \(204, \d+ ms\)\.$/)]);
    const [request] = at('/alone');
    expect(new Webhook(stdout).verify(request!.body, { ...request!.headers })).toMatchObject({ type: 'endpoint.test' });
  });

  it('gives an endpoint its selection, and a public key in place of a secret', async () => {
    const { id: token } = JSON.parse((await run('token', 'create', '--description', 'x', '--json')).stdout) as Json;
    const selection = ['--package', 'acme/*', 'acme/hello', '--stability', 'beta', '--view', String(token)];
    const made = await add('/selection', '--signature', 'v1a', '--event', 'advisory.published', ...selection);
    expect(made).toMatchObject({
      signature: 'v1a',
      secret: expect.stringMatching(/^whpk_/) as string,
      events: ['advisory.published'],
      packages: ['acme/*', 'acme/hello'],
      stability: 'beta',
      view: token,
    });
    const cleared = await document('update', made.id, '--no-packages', '--no-stability', '--no-view', '--name', 'All');
    expect(cleared).toMatchObject({ name: 'All', packages: null, stability: null, view: null });
    expect((await notify('show', made.id)).stdout).toContain(String(made['secret']));
  });

  it('warns of a pattern without a package, and of the address of a chat service in the arguments', async () => {
    const warned = await notify('add', `${receiver.url}/chat`, '--form', 'slack', '--package', 'acme/helo');
    expect(warned.stderr).toContain('other users of this machine can see the arguments');
    expect(warned.stderr).toContain('No package of this registry matches acme/helo.');
    expect(warned.stdout).toContain('none: chat messages are not signed');
    expect(warned.stdout + warned.stderr).not.toContain('/chat');
  });

  itInSeries('reads the address of a chat service from a file and from standard input', async () => {
    writeFileSync(folder.at('address.txt'), `${receiver.url}/from-file\n`);
    const made = await document('add', '--form', 'mattermost', '--url-file', 'address.txt');
    const { exitCode, stderr } = await runCli(['notify', 'update', String(made['id']), '--url-stdin'], {
      cwd: folder.path,
      input: `${receiver.url}/from-input\n`,
      alone: true,
    });
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('arguments')]);
    expect((await notify('test', String(made['id']))).exitCode).toBe(0);
    expect(at('/from-input')).toHaveLength(1);
  });
});

describe('libretto notify list, update and remove', () => {
  it('lists the endpoints with their state', async () => {
    const { id } = await add('/listed', '--name', 'Listed');
    await notify('update', id, '--disable');
    const { stdout } = await notify('list');
    expect(stdout).toMatch(new RegExp(`^${id} +Listed +standard +disabled +0 +never`, 'm'));
    expect(await document('update', id, '--enable')).toMatchObject({ enabled: true, disabled_reason: null });
  });

  it('rotates: both secrets sign, or the new one alone', async () => {
    const { id } = await add('/rotated');
    const rotated = await notify('update', id, '--rotate');
    expect(rotated.stdout).toMatch(/^whsec_\S+$/);
    expect(await document('show', id)).toMatchObject({ secrets: [{ ends_at: null }, {}] });
    await notify('update', id, '--rotate', '--drop-old');
    expect((await document('show', id))['secrets']).toHaveLength(1);
  });

  it('removes an endpoint only with --yes', async () => {
    const { id } = await add('/removed');
    const refused = await notify('remove', id);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringMatching(/To remove ntf_\w+ .*, add --yes\./)]);
    expect(await document('remove', id, '--yes')).toEqual({ id });
    expect((await notify('show', id)).exitCode).toBe(2);
  });
});

describe('libretto notify test and deliveries', () => {
  it('ends with 1 for a test that the receiver refused, and lists it', async () => {
    receiver.answer(answering(500, {}, 'out of order'));
    const { id } = await add('/refusing');
    const { exitCode, stderr, stdout } = await notify('test', id);
    receiver.answer(answering(204));
    expect([exitCode, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringContaining('failed: The receiver answered with status 500: out of order'),
    ]);
    expect(await deliveriesOf(id)).toMatchObject([{ type: 'endpoint.test', state: 'failed' }]);
    expect((await notify('deliveries', id)).stdout).toMatch(/^evt_\w{22} .*This is a test +failed: /m);
  });

  itInSeries('replays by a running server: one event, and a range of time', async () => {
    const { id } = await add('/replayed');
    const [event = {}] = [await document('test', id)];
    const due = await notify('deliveries', id, '--replay', String(event['id']));
    expect([due.exitCode, due.stdout, due.stderr]).toEqual([
      0,
      '1 delivery is due now.',
      expect.stringContaining('No server runs now.'),
    ]);
    expect((await findings()).map(({ message }) => message)).toContain(
      'events wait to be sent, and no server of this registry runs',
    );
    let again = '';
    await serveUntil(async () => {
      expect(at('/replayed').length).toBeGreaterThanOrEqual(2);
      if (again === '') again = (await notify('deliveries', id, '--replay-since', '2020-01-01')).stderr;
      expect(at('/replayed')).toHaveLength(3);
    });
    expect(again).toContain('The running server sends deliveries within seconds.');
    expect(new Set(at('/replayed').map(({ headers }) => headers['webhook-id']))).toEqual(new Set([event['id']]));
    expect(
      await document('deliveries', id, '--replay-since', '2020-01-01', '--replay-until', '2020-01-02'),
    ).toMatchObject({ replayed: 0 });
  });
});

describeInSeries('libretto doctor', () => {
  it('names endpoints that fail, that have ended, and whose address or secret cannot be opened', async () => {
    const { id } = await add('/gone');
    const { id: event } = await document('test', id);
    receiver.answer((response, request) => answering(request.path === '/gone' ? 410 : 503)(response, request));
    const { id: failing } = await add('/failing', '--name', 'Failing');
    const { id: other } = await document('test', failing);
    await notify('deliveries', id, '--replay', String(event));
    await notify('deliveries', failing, '--replay', String(other));
    await serveUntil(async () => {
      expect(await document('show', id)).toMatchObject({ enabled: false, disabled_reason: 'gone' });
      expect(await document('show', failing)).toMatchObject({ failures: 1 });
    });
    receiver.answer(answering(204));
    const messages = (await findings()).map(({ message, advice }) => `${String(message)} → ${String(advice)}`);
    expect(messages).toContainEqual(
      expect.stringMatching(/it answered 410 \(Gone\) → .*notify update ntf_\w+ --enable/),
    );
    expect(messages).toContainEqual(
      expect.stringMatching(/^Failing .* fails: 1 failed attempt.*status 503.*notify test/),
    );
    expect((await notify('show', id)).stdout).toContain('ended: the receiver answered 410 (Gone)');

    renameSync(folder.at('data/keys'), folder.at('keys-elsewhere'));
    const lost = await findings();
    rmSync(folder.at('data/keys'), { recursive: true, force: true });
    renameSync(folder.at('keys-elsewhere'), folder.at('data/keys'));
    const text = JSON.stringify(lost);
    expect(text).toContain('the address of');
    expect(text).toContain('--url-stdin');
    expect(text).toContain('--rotate --drop-old');
  });

  it('names endpoints without the feature that sends', async () => {
    const options = { cwd: folder.path, environment: { LIBRETTO_FEATURES: 'api,console' } };
    const made = await runCli(['notify', 'add', `${receiver.url}/unserved`, '--quiet'], options);
    expect([made.exitCode, made.stdout, made.stderr]).toEqual([0, expect.stringMatching(/^whsec_\S+$/), '']);
    const { checks } = JSON.parse((await runCli(['doctor', '--json'], options)).stdout) as { checks: Json[] };
    expect(JSON.stringify(checks)).toContain('the configuration leaves out the feature notifications');
  });
});

describe('a mistake', () => {
  it.each([
    [['add'], 'The address is missing. Write it before the options'],
    [['add', 'https://example.org/', '--event', 'package.publish'], '--event: "package.publish" is no event; allowed:'],
    [['add', 'https://example.org/', '--package', 'acme'], '--package: "acme" is not a pattern such as acme/core'],
    [['add', 'https://example.org/', '--form', 'irc'], '--form is "irc"; allowed: standard, slack,'],
    [['add', 'https://example.org/', '--view', 'tok_0000000000000000'], 'view: there is no such token'],
    [['add', 'https://example.org/', '--stability', 'good'], 'stability: must be one of stable, RC'],
    [['add', 'https://example.org/', '--stability', ''], 'stability: must be one of stable, RC'],
    [['add', 'https://example.org/', '--view', ''], 'view: must be the id of a token'],
    [['add', 'https://u:p@example.org/'], 'the address: must not contain a user and a password'],
    [['add', 'http://chat.example.org/', '--form', 'teams'], 'the address: must begin with https://'],
    [['add', 'https://10.0.0.1/'], 'egress.allow'],
    [['add', 'https://example.org/', '--url-stdin'], 'Give the address once'],
    [
      ['add', 'https://example.org/', '--form', 'slack', '--signature', 'v1'],
      '--signature belongs to the form standard',
    ],
    [['update', 'ntf_0000000000000000'], 'Nothing to change was given.'],
    [['update', 'ntf_0000000000000000', '--drop-old'], '--drop-old belongs to --rotate'],
    [['update', 'ntf_0000000000000000', '--rotate', '--name', 'x'], '--rotate makes a new secret'],
    [['update', 'ntf_0000000000000000', '--enable', '--disable'], 'not both'],
    [['update', 'ntf_0000000000000000', '--name', 'x'], '`libretto notify list` shows all of them.'],
    [['remove', 'ntf_0000000000000000'], 'There is no notification endpoint with the id'],
    [['update', 'ntf_0000000000000000', '--url', 'https://example.org/'], 'use --to'],
    [['test'], 'Name one thing to test'],
    [['deliveries', 'ntf_0000000000000000', '--limit', '0'], '--limit is "0"; allowed: a whole number'],
    [
      ['deliveries', 'ntf_0000000000000000', '--replay-until', '2026-01-01'],
      '--replay-until belongs to --replay-since',
    ],
    [['deliveries', 'ntf_0000000000000000', '--replay-since', 'monday'], '--replay-since is "monday"; allowed: a day'],
  ] as const)('%j is refused: %s', async (args, words) => {
    const refused = await notify(...args);
    expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringContaining(words)]);
  });

  it('in an event id names the command that lists the deliveries', async () => {
    const { id } = await add('/unknown-event');
    const { exitCode, stderr } = await notify('deliveries', id, '--replay', 'evt_0000000000000000000000');
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`\`libretto notify deliveries ${id}\` lists them.`),
    ]);
  });

  it('in the view names the events that an endpoint with a view must not be notified of', async () => {
    const { id: token } = JSON.parse((await run('token', 'create', '--description', 'y', '--json')).stdout) as Json;
    const { stderr } = await notify('add', 'https://example.org/', '--view', String(token), '--event', 'audit.event');
    expect(stderr).toContain(
      '--event: an endpoint with the view of a token is notified only of packages, not of audit.event',
    );
  });
});
