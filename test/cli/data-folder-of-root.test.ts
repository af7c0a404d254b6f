// Tests that no command of root leaves a file in the data folder of another user, whose service could not use it.

import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { changes, making, reading } from '../util/data-folder-commands.ts';
import { runCli, type CliOptions, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries, sampleOf } from '../util/series.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = temporaryFolder('data-folder-of-root');
  chmodSync(folder.path, 0o755);
  mkdirSync(folder.at('packages/hello'), { recursive: true });
  writeFileSync(folder.at('packages/hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
  writeFileSync(folder.at('packages/composer.lock'), JSON.stringify({ packages: [], 'packages-dev': [] }));
  writeFileSync(folder.at('users.htpasswd'), 'ada:$2y$10$x\n');
  await libretto(['build', 'packages', '--data', 'foreign']);
  await libretto(['token', 'create', '--description', 'CI', '--data', 'foreign']);
});
afterAll(() => folder.remove());

const libretto = (args: readonly string[], options: Partial<CliOptions> = {}): Promise<CliOutcome> =>
  runCli(args, { cwd: folder.path, heading: true, ...options });

describe.runIf(process.getuid?.() === 0)('root in a data folder of another user', () => {
  const nobody = 65_534;
  const all = (): readonly string[] => [
    'foreign',
    ...readdirSync(folder.at('foreign'), { recursive: true, encoding: 'utf8' }).map((path) => `foreign/${path}`),
  ];
  const ownersOfParts = (): unknown => [...new Set(all().map((path) => lstatSync(folder.at(path)).uid))];
  beforeAll(() => {
    for (const path of all()) chownSync(folder.at(path), nobody, nobody);
  });

  const run = (args: readonly string[]): Promise<CliOutcome> =>
    libretto([...args.filter(Boolean), '--data', '../foreign'], { cwd: folder.at('packages') });
  const refusal =
    /foreign belongs to (\S+), and root would leave files .* with "sudo -u \1" before it, or .* docs\/how-to\/deploy\.md\.$/;

  it.each(sampleOf([...reading.filter(changes), ...making, ['serve', '--listen', '127.0.0.1:0'], ['start']], 4))(
    'is refused by %s %s with the name of the owner',
    async (...args) => {
      const { exitCode, stdout, stderr } = await run(args);
      expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(refusal)]);
      expect(ownersOfParts()).toEqual([nobody]);
    },
  );

  it.each(
    sampleOf(
      reading.filter((args) => !changes(args)),
      4,
    ),
  )('leaves nothing behind with %s %s', async (...args) => {
    expect((await run(args)).stderr).not.toMatch(refusal);
    expect(ownersOfParts()).toEqual([nobody]);
  });

  it('may preview a change', async () => {
    const { exitCode, stderr } = await run(['prune', '--dry-run']);
    expect([exitCode, stderr, ownersOfParts()]).toEqual([0, expect.stringMatching(/^Data folder: /), [nobody]]);
  });

  it('may not make the lock file of the database', async () => {
    cpSync(folder.at('foreign/state/lock.mdb'), folder.at('lock.mdb'));
    rmSync(folder.at('foreign/state/lock.mdb'));
    const { exitCode, stderr } = await run(['token', 'list']);
    expect([exitCode, stderr, existsSync(folder.at('foreign/state/lock.mdb'))]).toEqual([
      2,
      expect.stringMatching(refusal),
      false,
    ]);
    cpSync(folder.at('lock.mdb'), folder.at('foreign/state/lock.mdb'));
    chownSync(folder.at('foreign/state/lock.mdb'), nobody, nobody);
  });

  itInSeries('has left files, which doctor and the owner find with the way to give them back', async () => {
    mkdirSync(folder.at('foreign/artifacts'), { recursive: true });
    chownSync(folder.at('foreign/artifacts'), 0, 0);
    chmodSync(folder.at('foreign/artifacts'), 0o755);
    const options = { asOther: true, cwd: folder.at('packages') };
    const found = await run(['doctor']);
    const owners = await libretto(['publish', 'hello', '--data', '../foreign'], options);
    const asOwner = await libretto(['doctor', '--data', '../foreign'], options);
    const repair = new RegExp(`artifacts belongs to root, and .*: chown -R \\S+ ${folder.at('foreign')}\\.`);
    const ofPart = new RegExp(`it belongs to root, and .*: chown -R \\S+ ${folder.at('foreign')}\\.`);
    expect([found.exitCode, found.stdout]).toEqual([1, expect.stringMatching(repair)]);
    expect([owners.exitCode, owners.stderr]).toEqual([2, expect.stringMatching(ofPart)]);
    expect([asOwner.exitCode, asOwner.stdout]).toEqual([1, expect.stringMatching(ofPart)]);
    expect(owners.stderr).not.toContain('sudo');
  });
});
