// Tests `libretto config export` and `import`: the configuration of one registry is applied to another, without
// secrets, completely or not at all.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { verifyAudit } from '../../proxy/state/audit.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { describeInSeries } from '../util/series.ts';

type Json = Record<string, unknown>;

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('cli-config');
  for (const name of ['one', 'two']) mkdirSync(folder.at('roots', name), { recursive: true });
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ sourceRoots: [folder.at('roots')] }));
});
afterEach(() => folder.remove());

const run = (data: string, ...args: readonly string[]): Promise<CliOutcome> =>
  runCli([...args, '--data', data], { cwd: folder.path });
const json = async (data: string, ...args: readonly string[]): Promise<Json> => {
  const { stdout, stderr } = await run(data, ...args, '--json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Json;
};
const exported = async (data: string): Promise<string> => (await run(data, 'config', 'export')).stdout;
const writeConfig = (document: Json): void =>
  writeFileSync(folder.at('set-up.json'), JSON.stringify({ format: 1, ...document }));
const events = async (data: string): Promise<readonly unknown[]> => {
  const state = await openLmdbStore(folder.at(data, 'state'));
  expect(await verifyAudit(state)).toMatchObject({ sound: true });
  const found = (await state.range('audit/event/')).map(({ value }) => [
    (value as Json)['action'],
    (value as Json)['actor'],
  ]);
  await state.close();
  return found;
};

async function setUp(data: string): Promise<{ readonly token: string }> {
  await run(
    data,
    'repository',
    'add',
    'roots/two',
    '--type',
    'directory',
    '--only',
    'acme/*',
    '--minimum-stability',
    'beta',
    '--interval',
    '15m',
  );
  await run(data, 'repository', 'add', 'roots/one', '--type', 'directory');
  await run(data, 'user', 'create', '--email', 'bob@example.org', '--role', 'maintainer', '--name', 'Bob', '--invite');
  await run(data, 'user', 'create', '--email', 'ada@example.org', '--admin', '--invite');
  await run(data, 'user', 'create', '--email', 'eve@example.org', '--invite');
  await run(data, 'user', 'disable', 'eve@example.org');
  const { token } = await json(data, 'token', 'create', '--description', 'CI', '--limit', '50', '--expires', 'never');
  return { token: String(token) };
}

/** Sealed as the API does it; one row in the state is enough. */
async function setSetting(data: string, key: string, value: number): Promise<void> {
  const state = await openLmdbStore(folder.at(data, 'state'));
  await state.commit({ conditions: [], puts: [{ key: `setting/${key}`, value }], deletes: [] });
  await state.close();
}

describeInSeries('config export', () => {
  it('config export prints the same bytes for the same state, in a fixed order, without any credential', async () => {
    const { token } = await setUp('first');
    await setSetting('first', 'limits.read', 20);
    const text = await exported('first');
    expect(JSON.parse(text)).toEqual({
      format: 1,
      settings: { 'limits.read': 20 },
      repositories: [
        { type: 'directory', url: folder.at('roots/one'), filters: {}, interval: null, credentials: null },
        {
          type: 'directory',
          url: folder.at('roots/two'),
          filters: { only: ['acme/*'], 'minimum-stability': 'beta' },
          interval: 900,
          credentials: null,
        },
      ],
      users: [
        { email: 'ada@example.org', name: null, role: 'admin', disabled: false },
        { email: 'bob@example.org', name: 'Bob', role: 'maintainer', disabled: false },
        { email: 'eve@example.org', name: null, role: 'viewer', disabled: true },
      ],
      tokens: [
        {
          id: expect.stringMatching(/^tok_/) as string,
          description: 'CI',
          kind: 'read',
          limit: 50,
          created_at: expect.any(String) as string,
          created_by: expect.stringMatching(/^cli:/) as string,
          expires_at: null,
          revoked_at: null,
          packages: null,
          constraints: null,
          stability: null,
          not_after: null,
          networks: null,
        },
      ],
    });
    expect(text).not.toContain(token);
    expect(text).not.toMatch(/scrypt|hash|inv_/);
    const file = await run('first', 'config', 'export', '--out', 'set-up.json');
    expect([file.exitCode, file.stdout, `${text}\n`]).toEqual([0, '', readFileSync(folder.at('set-up.json'), 'utf8')]);
    const again = await run('first', 'config', 'export', '--out', 'set-up.json');
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('exists already') as string]);
  });
});

describe('config import', () => {
  it('config import gives another registry the same configuration, invites its users, and changes nothing the second time', async () => {
    await setUp('first');
    await run('first', 'config', 'export', '--out', 'set-up.json');
    const dry = await run('second', 'config', 'import', 'set-up.json', '--dry-run');
    expect([dry.exitCode, dry.stdout]).toEqual([
      0,
      [
        '5 changes would be made:',
        ...['one', 'two'].map((name) => `  + repository ${folder.at('roots', name)}`),
        ...['ada', 'bob', 'eve'].map((name) => `  + user ${name}@example.org`),
      ].join('\n'),
    ]);
    expect(dry.stderr).toBe(
      `The file lists 1 token for information. Tokens cannot be imported: create new ones with \`libretto token create --data ${folder.at('second')}\`.`,
    );
    expect(existsSync(folder.at('second'))).toBe(false);

    const done = await json('second', 'config', 'import', 'set-up.json');
    expect(done).toMatchObject({
      dry_run: false,
      invitations: [
        { email: 'ada@example.org', token: expect.stringMatching(/^inv_/) as string },
        { email: 'bob@example.org' },
      ],
    });
    expect((done['invitations'] as readonly unknown[]).length).toBe(2);
    const { tokens: _tokens, ...first } = JSON.parse(await exported('first')) as Json;
    expect(JSON.parse(await exported('second'))).toEqual({ ...first, tokens: [] });
    const users = (await json('second', 'user', 'list'))['users'] as readonly { email: string; status: string }[];
    expect(users.map(({ email, status }) => `${email} ${status}`).toSorted()).toEqual([
      'ada@example.org invited',
      'bob@example.org invited',
      'eve@example.org disabled',
    ]);
    const made = await events('second');
    expect(made.map((event) => (event as readonly string[])[0])).toEqual([
      'repository.create',
      'repository.create',
      'user.create',
      'user.create',
      'user.create',
      'user.update',
    ]);
    expect(made.every((event) => (event as readonly string[])[1]?.startsWith('cli:'))).toBe(true);

    const again = await run('second', 'config', 'import', 'set-up.json');
    expect([again.exitCode, again.stdout]).toEqual([0, 'The registry already matches the file.']);
    expect(await events('second')).toEqual(made);
  });

  it('config import changes differing values and removes nothing', async () => {
    await setUp('data');
    await setSetting('data', 'retention.jobs', 7);
    await setSetting('data', 'limits.read', 20);
    writeConfig({
      settings: { 'limits.read': 30, 'limits.write': 40 },
      repositories: [{ type: 'directory', url: folder.at('roots/two'), filters: { only: ['acme/*'], versions: '^1' } }],
      users: [
        { email: 'Bob@example.org', name: 'Bob', role: 'viewer' },
        { email: 'eve@example.org', role: 'viewer' },
      ],
    });
    const { changes } = await json('data', 'config', 'import', 'set-up.json');
    expect(changes).toEqual([
      { what: 'setting', name: 'limits.read', change: 'update', fields: { value: 30 } },
      { what: 'setting', name: 'limits.write', change: 'create', fields: { value: 40 } },
      {
        what: 'repository',
        name: folder.at('roots/two'),
        change: 'update',
        fields: { filters: { only: ['acme/*'], versions: '^1' }, interval: null },
      },
      { what: 'user', name: 'bob@example.org', change: 'update', fields: { role: 'viewer' } },
      { what: 'user', name: 'eve@example.org', change: 'update', fields: { disabled: false } },
    ]);
    expect(JSON.parse(await exported('data'))).toMatchObject({
      settings: { 'limits.read': 30, 'limits.write': 40, 'retention.jobs': 7 },
      repositories: [
        { url: folder.at('roots/one') },
        { filters: { only: ['acme/*'], versions: '^1' }, interval: null },
      ],
      users: [{ role: 'admin' }, { role: 'viewer', name: 'Bob' }, { disabled: false }],
      tokens: [{ description: 'CI' }],
    });
  });

  it('config export and import carry the right to change the policy, and take it away', async () => {
    await setUp('data');
    const users = [
      { email: 'bob@example.org', name: 'Bob', role: 'maintainer', policy_editor: true },
      { email: 'new@example.org', role: 'viewer', policy_editor: true },
    ];
    writeConfig({ users });
    const { changes } = await json('data', 'config', 'import', 'set-up.json');
    expect(changes).toEqual([
      { what: 'user', name: 'bob@example.org', change: 'update', fields: { policy_editor: true } },
      {
        what: 'user',
        name: 'new@example.org',
        change: 'create',
        fields: { name: null, role: 'viewer', policy_editor: true, disabled: false },
      },
    ]);
    expect(JSON.parse(await exported('data'))['users']).toEqual(
      expect.arrayContaining(users.map((user) => expect.objectContaining(user))),
    );
    expect((await json('data', 'config', 'import', 'set-up.json'))['changes']).toEqual([]);
    writeConfig({ users: [{ email: 'bob@example.org', name: 'Bob', role: 'maintainer' }] });
    expect((await json('data', 'config', 'import', 'set-up.json'))['changes']).toMatchObject([
      { name: 'bob@example.org', fields: { policy_editor: false } },
    ]);
  });

  it('config import names the repositories without credentials', async () => {
    writeConfig({ repositories: [{ type: 'git', url: 'https://192.0.2.1/acme/tool.git', credentials: 'bearer' }] });
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['192.0.2.0/24'] } }));
    const { exitCode, stderr, stdout } = await run('data', 'config', 'import', 'set-up.json');
    expect([exitCode, stdout]).toEqual([0, '1 change made:\n  + repository https://192.0.2.1/acme/tool.git']);
    expect(stderr).toContain('https://192.0.2.1/acme/tool.git needs credentials, which the file never contains');
  });

  it('config import reports all refused entries at once, and then changes nothing', async () => {
    await setUp('data');
    const before = await events('data');
    writeConfig({
      settings: { 'limits.read': -1, nonsense: 1 },
      repositories: [
        { type: 'directory', url: '/etc' },
        { type: 'directory', url: folder.at('roots/two'), filters: { versions: 'not a constraint at all!' } },
        { type: 'git', url: 'ftp://example.org/x.git' },
      ],
      users: [
        { email: 'new@example.org', role: 'viewer' },
        { email: 'no address', role: 'viewer' },
      ],
    });
    const { exitCode, stdout, stderr } = await run('data', 'config', 'import', 'set-up.json');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^libretto: The file cannot be imported, and nothing was changed:\n {2}settings\.limits\.read: limits\.read must be .*\n {2}settings\.nonsense: There is no such setting\.\n {2}repositories\[0\]: .*\n {2}repositories\[1\]: versions .*\n {2}repositories\[2\]: .*\n {2}users\[1\]: email must be an address such as ada@example\.org, not "no address"$/,
    );
    expect(await events('data')).toEqual(before);
  });

  it.each<[string, string, RegExp]>([
    [
      'a newer format',
      '{"format": 2, "more": true}',
      /written by a newer version of Libretto \(format 2; Libretto [\d.]+ reads format 1\)/,
    ],
    ['no format', '{"users": []}', /is not a file from `config export`; nothing was changed:\n {2}format: /],
    [
      'an unknown field',
      '{"format": 1, "users": [{"email": "a@b.example", "role": "viewer", "password": "x"}]}',
      /users\[0\]: Unrecognized key: "password"/,
    ],
    ['a file that is no JSON', 'users:', /is not valid JSON \(line 1, column 1\)/],
    [
      'half of a surrogate pair',
      '{"format":1,"users":[{"email":"a@example.org","name":"\\ud800","role":"admin"}]}',
      /is not valid JSON \(line 1, column \d+\): a \\u escape is half of a surrogate pair/,
    ],
  ])('config import refuses %s', async (_what, text, message) => {
    writeFileSync(folder.at('set-up.json'), text);
    const { exitCode, stderr } = await run('data', 'config', 'import', 'set-up.json');
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message) as string]);
    expect(existsSync(folder.at('data'))).toBe(false);
  });
});
