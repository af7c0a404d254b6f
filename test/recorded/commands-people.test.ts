// Records the commands for tokens, users, keys, settings, the audit log and the whole data folder, each with a success
// and an error.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, it } from 'vitest';
import { describeFolder, contentsOf } from './recorder/data-folder.ts';
import { expectRecorded } from './recorder/recording.ts';
import { writeSources } from './recorder/sources.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';

const workspace = openWorkspace('real');
beforeAll(async () => {
  writeSources(workspace);
  await workspace.run(['build']);
});
afterAll(() => workspace[Symbol.asyncDispose]());

const idIn = (stdout: string): string => String((JSON.parse(stdout) as { readonly id: unknown }).id);

async function recordAll(
  name: string,
  commands: readonly string[],
  sentences: Readonly<Record<string, string>>,
): Promise<void> {
  const transcript = openTranscript(workspace);
  for (const command of commands) await transcript.run(command);
  transcript.expectSaid(sentences);
  expectRecorded(name, transcript.text());
}

it('the commands for tokens behave as recorded', async () => {
  const transcript = openTranscript(workspace);
  const { run } = transcript;
  await run('token list');
  const id = idIn((await run('token create --description CI --expires 90d --limit 5000 --json')).stdout);
  const limited = idIn(
    (
      await run(
        "token create --description 'Customer 17' --kind write --package acme/hello:^1.0 --package bought/* --stability beta --not-after 2024-01-31 --network 203.0.113.0/24 --json",
      )
    ).stdout,
  );
  await run('token create --description plain');
  for (const rest of [
    '',
    "--description ''",
    '--description x --kind admin',
    '--description x --limit -1',
    '--description x --expires yesterday',
    '--description x --package Acme --stability odd --network here',
  ])
    await run(`token create ${rest}`.trim());
  for (const command of [
    'list',
    'list --json',
    `show ${id}`,
    `show ${limited}`,
    `show ${limited} --json`,
    'show tok_none',
    `explain ${limited} acme/hello`,
    `explain ${limited} acme/hello 1.1.0 --from 203.0.113.7 --json`,
    `explain ${limited} acme/tool`,
    `explain ${limited} acme/shop 2.0.0-beta.1 --from 192.0.2.1`,
    'explain tok_none acme/tool',
  ])
    await run(`token ${command}`);
  for (const command of [
    `update ${id} --limit default --expires never --description changed`,
    `update ${limited} --clear networks --package acme/* --json`,
    `update ${id}`,
    'update tok_none --limit 1',
    `rotate ${id} --grace 7d`,
    `rotate ${limited} --grace 0 --json`,
    `rotate ${id} --grace long`,
    `rotate tok_none`,
    `revoke ${id}`,
    `revoke ${id} --json`,
    `rotate ${id}`,
    'revoke tok_none',
    'list',
    'list all',
  ])
    await run(`token ${command}`);
  transcript.expectSaid({
    'token create --description x --package Acme':
      '--stability: "odd" is not a stability; allowed: stable, RC, beta, alpha, dev.',
    'token explain': ['The token is limited to:', 'HIDDEN BY', '- it sees only versions released until 2024-01-31.'],
    'token rotate':
      '--grace is "long"; allowed: a span up to 30 days such as 30m, 12h or 7d, or 0 to end the former secret at once.',
  });
  expectRecorded('commands/tokens', transcript.text());
});

it('the commands for users and keys behave as recorded', async () => {
  const transcript = openTranscript(workspace);
  const { run } = transcript;
  await run('user list');
  const ada = idIn(
    (
      await run('user create --email ada@example.org --name Ada --admin --password-stdin --json', {
        input: 'correct horse battery staple\n',
      })
    ).stdout,
  );
  await run('user create --email short@example.org --password-stdin', { input: 'short\n' });
  for (const command of [
    'create --email bob@example.org --invite',
    'create --email carol@example.org --role maintainer --invite --json',
    'create --email nobody',
    'create --email nobody@example.org',
    'create --email ada@example.org --invite',
    'list',
    'list --json',
    `update ${ada} --name 'Ada Lovelace' --json`,
    'update bob@example.org --role maintainer',
    'update none@example.org --role viewer',
    'update bob@example.org',
    `update ${ada} --role viewer`,
    'update ada@example.org --reset-two-factor',
    'disable bob@example.org',
    'disable carol@example.org --json',
    `disable ${ada}`,
    'disable none@example.org',
    'update bob@example.org --enable',
    'list --all',
  ])
    await run(`user ${command}`);
  for (const command of [
    'list',
    'rotate signing',
    'rotate --json',
    'rotate sealing --end-sessions',
    'rotate other',
    'list --json',
    'list more',
  ])
    await run(`keys ${command}`);
  transcript.expectSaid({
    'user create --email short@example.org': 'The password has 5 characters; at least 12 are needed.',
    'user create --email nobody@example.org':
      'There is no terminal to ask for a password. Send it to standard input with --password-stdin, or use --invite to let the user choose one.',
    'user create --email ada@example.org --invite': 'A user with the email ada@example.org already exists.',
    'user list': 'ROLE        STATUS   TWO-FACTOR  LAST LOGIN  EMAIL',
    'user update bob@example.org': '\nlast login  never\n',
  });
  expectRecorded('commands/people', transcript.text());
});

it('the commands for settings and the audit log behave as recorded', async () => {
  await recordAll(
    'commands/settings',
    [
      'settings list',
      'settings list --json',
      'settings list more',
      'settings set limits.read 200',
      'settings set limits.read many',
      'settings set nothing 1',
      'settings set name other',
      `settings set infos '[{"message": "Hello", "versions": "*"}]'`,
      'settings set metadata_url /p2/%package%.json --json',
      'settings set dist_url /relative',
      'settings set mirroring.enabled true',
      'settings unset mirroring.enabled',
      'settings unset nothing',
      'settings unset limits.read --json',
      'settings list',
      'audit list',
      'audit list --json --limit 3',
      'audit list --action settings.update --since 2024-01-01 --until 2024-12-31',
      'audit list --since soon',
      'audit list --limit 0',
      'audit verify',
      'audit verify --json',
      `audit verify --head 1:${'0'.repeat(64)}`,
      'audit verify --head nonsense',
    ],
    {
      'audit verify --head':
        'Earlier events are intact. Compare the log with a backup of the state to find the change.',
    },
  );
});

it('the commands that show the state and the health of a data folder behave as recorded', async () => {
  await recordAll(
    'commands/state',
    [
      'restore --empty',
      'restore --empty --data fresh',
      'restore --empty --data fresh --json',
      'status',
      'status --json',
      'status --data nowhere',
      'doctor',
      'doctor --json',
      'doctor --data nowhere',
      'status --listen',
      'config export',
      'config export --out exported.json',
      'config export --out exported.json',
      'config import exported.json --dry-run',
      'config import exported.json --data fresh --json',
      'config import libretto.json',
      'config import nowhere.json',
    ],
    {
      'config export --out exported.json': '3 users, 3 tokens for information, repositories: 0.',
    },
  );
});

it('the commands that copy and restore a data folder behave as recorded', async () => {
  const transcript = openTranscript(workspace);
  const { run } = transcript;
  for (const command of [
    'backup copies/one',
    'backup copies/one',
    'backup copies/two --json',
    'backup data/below',
    'restore copies/one --dry-run',
    'restore copies/one --data restored',
    'restore copies/one --data restored',
    'restore copies/two --data restored-2 --json',
    'restore nowhere --data restored-3',
    'restore copies/one --state-only --data restored --json',
    'verify --data restored --json',
    'token list --data restored --json',
  ])
    await run(command);
  writeFileSync(workspace.at('copies/one/public/packages.json'), 'damaged');
  await run('restore copies/one --data restored-3');
  rmSync(workspace.at('copies/one/backup.json'));
  await run('restore copies/one --data restored-3');
  const restored = await describeFolder(workspace.at('restored-2'), workspace.root);
  transcript.note(contentsOf(restored.filter(({ path }) => path === 'state/data.mdb')));
  transcript.expectSaid({
    'backup copies/one': 'The backup contains the keys: keep it safe.',
    'restore copies/one --dry-run': 'The backup is whole: ',
    'restore copies/one --data restored': [
      'Restored to ',
      'Or use --state-only: it restores only the state and keeps all other files.',
    ],
    'restore copies/one --data restored-3': 'Take another backup.',
  });
  expectRecorded('commands/backup', transcript.text());
});

it('the first configuration is written as recorded', async () => {
  const transcript = openTranscript(workspace);
  for (const command of [
    'init',
    'init --out made.json',
    'init --out made.json --source nowhere --source git://git.example.org/a.git --yes',
    'init --out made.json --source packages --public-url https://packages.example.org --nginx made.conf --yes',
    'init --out made.json --yes',
  ])
    await transcript.run(command);
  transcript.note(readFileSync(workspace.at('made.json'), 'utf8'));
  expectRecorded('commands/init', transcript.text());
});

it('the import of tokens behaves as recorded', async () => {
  const foreign = { data: [{ name: 'Repman', value: '0123456789abcdef'.repeat(4) }] };
  writeFileSync(workspace.at('tokens.json'), JSON.stringify(foreign));
  writeFileSync(workspace.at('.htpasswd'), 'ann:$apr1$x\n');
  const files = ['tokens.json --dry-run --json', 'tokens.json', 'tokens.json', '.htpasswd --json', 'missing.json'];
  await recordAll(
    'commands/token-import',
    files.map((file) => `token import ${file}`),
    { 'token import': 'missing.json cannot be read: there is no such file.' },
  );
});
