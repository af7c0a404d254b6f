// Tests a token's limits on the command line: set, shown, changed, removed and explained. Backups and exports contain
// them.

import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { startRegistry } from '../util/registry.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('token-views');
});
afterEach(() => folder.remove());

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const json = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
  const { exitCode, stdout, stderr } = await run(...args, '--json');
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
};
const create = async (...flags: readonly string[]): Promise<string> =>
  String((await json('token', 'create', '--description', 'a customer', ...flags))['id']);
const given = [
  '--package',
  'Acme/*',
  '--package',
  'acme/shop:^1 || ^2',
  '--stability',
  'rc',
  '--not-after',
  '2027-01-31',
  '--network',
  '203.0.113.7/24',
  '--network',
  '2001:db8::/32',
];
const kept = {
  packages: ['acme/*', 'acme/shop'],
  constraints: { 'acme/shop': '^1 || ^2' },
  stability: 'RC',
  not_after: '2027-01-31T23:59:59.999Z',
  networks: ['2001:db8::/32', '203.0.113.0/24'],
};

describe('the limits of a token', () => {
  it('are stored in one form, and shown', async () => {
    const id = await create(...given);
    expect(await json('token', 'show', id)).toMatchObject(kept);
    const { stdout } = await run('token', 'show', id);
    for (const line of [
      'packages     acme/*, acme/shop',
      'versions     acme/shop: ^1 || ^2',
      'stability    RC or more stable',
      'released     until 2027-01-31',
      'networks     2001:db8::/32, 203.0.113.0/24',
    ])
      expect(stdout.split('\n')).toContain(line);
    expect((await run('token', 'list')).stdout).toContain('acme/* acme/shop:^1 || ^2; RC or more s…');
    expect(JSON.parse((await run('config', 'export')).stdout)).toMatchObject({ tokens: [kept] });
  });

  it('are replaced as a whole by --package, and removed by --clear', async () => {
    const id = await create(...given);
    expect(await json('token', 'update', id, '--package', 'tools/cli')).toMatchObject({
      ...kept,
      packages: ['tools/cli'],
      constraints: null,
    });
    expect(
      await json('token', 'update', id, '--clear', 'packages', '--clear', 'not-after', '--stability', 'stable'),
    ).toMatchObject({ ...kept, packages: null, constraints: null, not_after: null, stability: 'stable' });
    expect(await json('token', 'update', id, '--clear', 'networks', '--clear', 'stability')).toMatchObject({
      packages: null,
      constraints: null,
      stability: null,
      not_after: null,
      networks: null,
    });
  });

  it('are refused with every fault, and then no token is created', async () => {
    const { exitCode, stderr } = await run(
      'token',
      'create',
      '--description',
      'x',
      '--package',
      'acme',
      '--package',
      'a/b:frog',
      '--package',
      'a/c:^1',
      '--package',
      'a/c:^2',
      '--stability',
      'x',
      '--not-after',
      '2027-02-30',
      '--network',
      'home',
      '--limit',
      'many',
    );
    expect([
      exitCode,
      stderr.split('\n').map((line) =>
        line
          .replace(/^libretto: /, '')
          .split(/[: ]/, 2)
          .join(' ')
          .trim(),
      ),
    ]).toEqual([
      2,
      ['--limit is', '--package a/c', '--package', '--package a/b', '--stability', '--not-after', '--network'],
    ]);
    expect((await run('token', 'list')).stderr).toContain('There is no data folder');
    const id = await create();
    expect(await run('token', 'update', id, '--clear', 'everything')).toMatchObject({ exitCode: 2 });
    expect((await run('token', 'update', id, '--clear', 'packages', '--package', 'a/b')).stderr).toContain(
      '--clear packages removes the limit that --package sets',
    );
  });

  itInSeries('return with a backup', async () => {
    writeTree(folder.at('src'), below('shop', libraryTree('acme/shop', { version: '1.0.0' })));
    await run('build', 'src');
    const id = await create(...given);
    const backup = await run('backup', 'saved');
    expect(backup.exitCode, backup.stderr).toBe(0);
    const restored = await run('restore', 'saved', '--data', 'again');
    expect(restored.exitCode, restored.stderr).toBe(0);
    expect(await json('token', 'show', id, '--data', 'again')).toMatchObject(kept);
  });
});

describeInSeries('libretto publish with a limited token', () => {
  it('publishes packages that the token sees, and no others', async () => {
    await using registry = await startRegistry();
    const { token } = await registry.createToken('--kind', 'write', '--package', 'acme/*:<2');
    writeTree(folder.at('src'), {
      ...below('one', libraryTree('acme/shop', { version: '1.0.0' })),
      ...below('two', libraryTree('acme/shop', { version: '2.0.0' })),
      ...below('other', libraryTree('other/tool', { version: '1.0.0' })),
    });
    const publish = (path: string): Promise<CliOutcome> =>
      runCli(['publish', `src/${path}`, '--url', registry.direct()], {
        cwd: folder.path,
        environment: { LIBRETTO_TOKEN: token },
      });
    const one = await publish('one');
    expect([one.exitCode, one.stderr]).toEqual([0, '']);
    for (const path of ['two', 'other']) {
      const refused = await publish(path);
      expect([refused.exitCode === 0, refused.stderr]).toEqual([
        false,
        expect.stringContaining('does not see') as string,
      ]);
    }
    // a package under a false name is refused by its real name
    await runCli(['build', 'src', '--data', 'elsewhere'], { cwd: folder.path });
    const zip = readFileSync(folder.at('elsewhere/public/dist/other/tool/1.0.0.zip'));
    const smuggled = await fetch(`${registry.direct()}/api/artifacts?name=acme/tool&version=1.0.0`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
      body: zip,
    });
    expect([smuggled.status, ((await smuggled.json()) as { code: string }).code]).toEqual([400, 'ARTIFACT_MISMATCH']);
    expect((await registry.cli('why', 'other/tool')).exitCode).toBe(1);
  });
});

describe('token explain', () => {
  it('names the packages that the token sees, and the limit that hides each other one', async () => {
    writeTree(folder.at('src'), {
      ...below('one', libraryTree('acme/shop', { version: '1.0.0' })),
      ...below('two', libraryTree('acme/shop', { version: '2.0.0' })),
      ...below('other', libraryTree('other/tool', { version: '1.0.0' })),
    });
    await run('build', 'src');
    const id = await create('--package', 'acme/*:^1', '--network', '203.0.113.0/24');
    const whole = await run('token', 'explain', id, 'acme/shop');
    expect([whole.exitCode, whole.stdout.split('\n')[0]]).toEqual([0, `${id} sees acme/shop.`]);
    expect(whole.stdout).toMatch(/^2\.0\.0 +published +20\S+Z +no +constraints$/m);
    const hidden = await run('token', 'explain', id, 'acme/shop', '2.0.0', '--from', '198.51.100.1');
    expect([hidden.exitCode, hidden.stdout.split('\n').slice(0, 3)]).toEqual([
      1,
      [
        `${id} does not see acme/shop 2.0.0:`,
        '- it may be used from 203.0.113.0/24 only.',
        '- its constraints leave it out: acme/*: ^1.',
      ],
    ]);
    expect((await run('token', 'explain', id, 'other/tool')).stdout).toContain('none of its packages matches: acme/*');
    expect((await run('token', 'explain', id, 'acme/shop', '1.7.0')).stdout).toContain(
      'nothing like that is published',
    );
    await run('token', 'revoke', id);
    const revoked = await run('token', 'explain', id, 'acme/shop', '--json');
    expect([revoked.exitCode, JSON.parse(revoked.stdout)]).toMatchObject([
      1,
      { token_id: id, seen: false, reasons: [{ code: 'revoked' }] },
    ]);
    expect(await run('token', 'explain', id, 'nonsense')).toMatchObject({
      exitCode: 2,
      stderr: 'libretto: "nonsense" is not a package name such as acme/hello.',
    });
  });
});
