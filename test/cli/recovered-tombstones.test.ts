// Tests `libretto package purged --recover`. A folder without a list is refused. Rows of an edited list without any
// other evidence are dropped and named. The audit log has the recovery.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withChecksum } from '../../build/contract/checksum.ts';
import { leakedSecret as secret, saying } from '../util/leaked-version.ts';
import { temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';

const list = 'index/_purged.json';
let origin: TemporaryTree;
let folder: string;

const libretto = (cwd: string, ...args: readonly string[]): Promise<CliOutcome> =>
  runCli([...args, '--data', 'data'], { cwd });
const succeeds = async (cwd: string, ...args: readonly string[]): Promise<void> =>
  expect(await libretto(cwd, ...args)).toMatchObject({ exitCode: 0 });
const recover = (...args: readonly string[]): Promise<CliOutcome> =>
  libretto(folder, 'package', 'purged', '--recover', ...args);
const now = (path: string): string => join(folder, 'data', path);
const purged = async (): Promise<readonly string[]> => {
  const { stdout } = await libretto(folder, 'package', 'purged', '--json');
  const { versions } = JSON.parse(stdout) as { readonly versions: readonly { readonly version: string }[] };
  return versions.map(({ version }) => version);
};

/** The list without its checksum, with a tombstone of a version that was never purged. */
function withFalseRow(given: { readonly reference: string } & Readonly<Record<string, unknown>>): string {
  const { format, versions } = JSON.parse(readFileSync(now(list), 'utf8')) as {
    readonly format: number;
    readonly versions: readonly Record<string, unknown>[];
  };
  const row = { ...versions[0], version: '1.2.0', version_normalized: '1.2.0.0' };
  const nothing = { sha1: null, sha256: null, content: null };
  return JSON.stringify({ format, versions: [...versions, { ...row, ...nothing, ...given }] });
}

const addFalseRow = (): void => writeFileSync(now(list), withFalseRow({ reference: 'a'.repeat(40) }));

beforeAll(async () => {
  origin = temporaryTree({
    ...saying('src/one', '1.0.0', 'first'),
    ...saying('src/two', '1.1.0', secret),
    ...saying('src/three', '1.2.0', 'third'),
  });
  await succeeds(origin.root, 'build', 'src');
  await succeeds(origin.root, 'package', 'purge', 'acme/hello', '1.1.0', '--reason', 'secret', '--yes');
}, 60_000);
afterAll(() => origin.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'libretto-recovered-tombstones-'));
  cpSync(origin.root, folder, { recursive: true, preserveTimestamps: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a recovery of the list of tombstones', () => {
  it('refuses a folder without a list, and leaves the list lost', async () => {
    rmSync(now(list));
    mkdirSync(join(folder, 'elsewhere'));
    expect(await recover('elsewhere')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('has no list of purged versions: it contains no index/_purged.json') as string,
    });
    expect(existsSync(now(list))).toBe(false);
  });

  it('drops and names rows of an edited list that nothing else proves', async () => {
    addFalseRow();
    const { exitCode, stdout } = await recover('--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        versions: [{ version: '1.1.0', reason: 'secret' }],
        recovery: {
          added: 0,
          replaced: [],
          dropped: [{ name: 'acme/hello', version: '1.2.0', reason: 'secret' }],
          doubtful: [{ name: 'acme/hello', version: '1.1.0' }],
        },
      },
    ]);
    await succeeds(folder, 'verify');
    await succeeds(folder, 'build', 'src');
    expect(Object.keys(publishedVersions(join(folder, 'data'))).toSorted()).toEqual([
      'acme/hello@1.0.0',
      'acme/hello@1.2.0',
    ]);
    addFalseRow();
    expect((await recover()).stdout).toContain('  acme/hello 1.2.0 (aaaaaaaaaaaa)');
  });

  it('keeps a row of an edited list whose purge is recorded, although an older version announced none', async () => {
    addFalseRow();
    for (const path of ['index/_publication.json', 'build/manifest.json']) {
      const { purged: _, sha256: __, ...kept } = JSON.parse(readFileSync(now(path), 'utf8')) as Record<string, unknown>;
      writeFileSync(now(path), withChecksum(JSON.stringify(kept)));
    }
    expect(await recover()).toMatchObject({ exitCode: 0 });
    expect(await purged()).toEqual(['1.1.0']);
  });

  it('refuses a file whose rows purge published versions, names the versions, and purges them with --yes', async () => {
    writeFileSync(join(folder, 'rows.json'), withFalseRow({ reference: '' }));
    const before = readFileSync(now(list), 'utf8');
    const { exitCode, stdout, stderr } = await recover('rows.json');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /purges versions that are on this registry[^]*\n {2}acme\/hello 1\.2\.0 \(.{12}\), published\n/,
    );
    expect(stderr).toMatch(
      /adds 1 tombstone:\n {2}acme\/hello 1\.2\.0\n[^]*Nothing was changed\.[^]*from the file[^]*--yes/,
    );
    expect(readFileSync(now(list), 'utf8')).toBe(before);
    await succeeds(folder, 'verify');
    expect(Object.keys(publishedVersions(join(folder, 'data')))).toContain('acme/hello@1.2.0');

    const row = { name: 'acme/hello', version: '1.2.0' };
    const recovered = await recover('rows.json', '--yes', '--json');
    expect([recovered.exitCode, JSON.parse(recovered.stdout)]).toMatchObject([
      0,
      { recovery: { added: 1, tombstones: [{ ...row, reference: '' }], purged: [{ ...row, state: 'published' }] } },
    ]);
    expect(Object.keys(publishedVersions(join(folder, 'data')))).toEqual(['acme/hello@1.0.0']);
    const events = await libretto(folder, 'audit', 'list', '--action', 'package.recover_purged', '--json');
    expect(JSON.parse(events.stdout)).toMatchObject({
      events: [{ details: { added: 1, tombstones: [row], purged: [{ ...row, state: 'published' }] } }],
    });
  });

  it('names and purges a version whose serving index is lost, and one with the bytes of a row', async () => {
    const index = now('index/acme/hello.json');
    const whole = readFileSync(index);
    const sha1 = publishedVersions(join(folder, 'data'))['acme/hello@1.2.0']?.shasum;
    const rows = {
      'label.json': withFalseRow({ reference: '' }),
      'bytes.json': withFalseRow({ version: '5.0.0', version_normalized: '5.0.0.0', reference: 'b'.repeat(40), sha1 }),
    };
    for (const [file, text] of Object.entries(rows)) writeFileSync(join(folder, file), text);
    const exported = JSON.parse((await libretto(folder, 'config', 'export')).stdout) as object;
    const { versions } = JSON.parse(rows['bytes.json']) as { readonly versions: unknown };
    writeFileSync(join(folder, 'imported.json'), JSON.stringify({ ...exported, purged: versions }));
    for (const file of Object.keys(rows))
      for (const isLost of [true, false]) {
        if (isLost) rmSync(index);
        const refused = await recover(file);
        expect([file, isLost, refused]).toMatchObject([
          file,
          isLost,
          { exitCode: 2, stderr: expect.stringMatching(/\n {2}acme\/hello 1\.2\.0 \(.{12}\), published\n/) as string },
        ]);
        expect(Object.keys(publishedVersions(join(folder, 'data')))).toContain('acme/hello@1.2.0');
        const plan = { tombstones: expect.any(Array) as unknown, purged_versions: [{ version: '1.2.0' }] };
        const refusedJson = await recover(file, '--json');
        expect([refusedJson.exitCode, JSON.parse(refusedJson.stdout)]).toMatchObject([
          2,
          { confirmed: false, ...plan },
        ]);
        const planned = await recover(file, '--json', '--dry-run');
        expect([planned.exitCode, JSON.parse(planned.stdout)]).toMatchObject([
          0,
          { dry_run: true, recovery: { purged: plan.purged_versions } },
        ]);
        expect((await recover(file, '--dry-run')).stdout).toMatch(/would purge for good:\n {2}acme\/hello 1\.2\.0 /);
        expect(await purged()).toEqual(['1.1.0']);
        writeFileSync(index, whole);
      }
    expect(await libretto(folder, 'config', 'import', 'imported.json')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('acme/hello 1.2.0') as string,
    });
    const tried = await libretto(folder, 'config', 'import', 'imported.json', '--dry-run');
    expect(tried.stdout).toMatch(/^The file would add 2 tombstones/);
    rmSync(index);
    await succeeds(folder, 'package', 'purged', '--recover', 'bytes.json', '--yes');
    await succeeds(folder, 'verify');
    expect([Object.keys(publishedVersions(join(folder, 'data'))), (await purged()).toSorted()]).toEqual([
      ['acme/hello@1.0.0'],
      ['1.1.0', '1.2.0', '5.0.0'],
    ]);
    expect(existsSync(now('public/dist/acme/hello/1.2.0.zip'))).toBe(false);
  });

  it('without a file asks for --yes alone, where no record lists the versions of the package', async () => {
    for (const path of [list, 'index/acme/hello.json', 'public/p2/acme/hello.json']) rmSync(now(path));
    const { exitCode, stderr } = await recover();
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('versions that may be on this registry')]);
    expect(stderr).toMatch(/acme\/hello 1\.1\.0 [^]*Nothing was changed\. To purge the versions, add --yes\.$/);
    await recover('--yes');
    expect(await purged()).toEqual(['1.1.0']);
  });

  it('names each tombstone that it adds', async () => {
    rmSync(now(list));
    const { exitCode, stdout } = await recover();
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/1 tombstone, 1 of them added now:\n {2}acme\/hello 1\.1\.0 \(.{12}\)\n/),
    ]);
  });

  it('works while the list of withdrawn versions is lost too, and so does the recovery of that list', async () => {
    await succeeds(folder, 'package', 'withdraw', 'acme/hello', '1.2.0');
    const lists = [list, 'index/_withheld.json'];
    const whole = lists.map((path) => readFileSync(now(path)));
    writeFileSync(join(folder, 'rows.json'), readFileSync(now(list)));
    writeFileSync(join(folder, 'exported.json'), (await libretto(folder, 'config', 'export')).stdout);
    const withdraw = ['package', 'withdraw', 'acme/hello', '1.2.0'];
    const recovery = ['package', 'purged', '--recover'];
    const isPublished = (): readonly string[] => Object.keys(publishedVersions(join(folder, 'data')));
    for (const [first, second] of [
      [recovery, withdraw],
      [withdraw, recovery],
      [[...recovery, 'rows.json'], withdraw],
      [['config', 'import', 'exported.json'], withdraw],
      [withdraw, ['config', 'import', 'exported.json']],
    ] as const) {
      for (const path of lists) rmSync(now(path));
      for (const other of ['1.0.0', '1.2.0'])
        expect(await libretto(folder, 'package', 'restore', 'acme/hello', other)).toMatchObject({ exitCode: 2 });
      expect(await libretto(folder, ...first)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(lists.filter((path) => existsSync(now(path)))).toHaveLength(1);
      expect(await libretto(folder, 'build', 'src')).toMatchObject({ exitCode: 2 });
      expect(await libretto(folder, 'package', 'withdraw', 'acme/hello', '1.0.0')).toMatchObject({ exitCode: 2 });
      expect(isPublished()).toEqual(['acme/hello@1.0.0']);
      expect(await libretto(folder, ...second)).toMatchObject({ exitCode: 0, stderr: '' });
      await succeeds(folder, 'build', 'src');
      await succeeds(folder, 'verify');
      expect(isPublished()).toEqual(['acme/hello@1.0.0']);
      for (const [at, path] of lists.entries()) writeFileSync(now(path), whole[at] ?? '');
    }
  });

  it('has an event in the audit log', async () => {
    addFalseRow();
    await recover();
    const { stdout } = await libretto(folder, 'audit', 'list', '--action', 'package.recover_purged', '--json');
    expect(stdout).toContain('"package.recover_purged"');
    expect(stdout).toContain('"1.2.0"');
    await succeeds(folder, 'audit', 'verify');
  });

  it('from a registry without purges restores nothing and is no error', async () => {
    await succeeds(folder, 'backup', 'kept');
    await runCli(['build', 'src', '--data', 'never'], { cwd: folder });
    mkdirSync(join(folder, 'empty'));
    expect(await runCli(['restore', 'kept', '--data', 'new', '--purged', 'empty'], { cwd: folder })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('has no list of purged versions') as string,
    });
    expect(await runCli(['restore', 'kept', '--data', 'new', '--purged', 'never'], { cwd: folder })).toMatchObject({
      exitCode: 0,
    });
  });
});
