// Tests `libretto package recover-purged`. A folder without a list is refused. Rows of an edited list without any
// other evidence are dropped and named. The audit log has the recovery.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withChecksum } from '../../build/contract/checksum.ts';
import { leakedSecret as secret, packageContaining } from '../util/leaked-version.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { registryCopy } from '../util/registry-copy.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';

const list = 'index/_purged.json';

const { at, data, libretto, succeeds, versions } = registryCopy(
  {
    ...packageContaining('src/one', '1.0.0', 'first'),
    ...packageContaining('src/two', '1.1.0', secret),
    ...packageContaining('src/three', '1.2.0', 'third'),
  },
  async () => {
    await succeeds('build', 'src');
    await succeeds('package', 'purge', 'acme/hello', '1.1.0', '--reason', 'secret', '--yes');
  },
);

const recover = (...args: readonly string[]): Promise<CliOutcome> => libretto('package', 'recover-purged', ...args);
const purged = async (): Promise<readonly string[]> => {
  const { stdout } = await libretto('package', 'list', '--purged', '--json');
  const { versions } = JSON.parse(stdout) as { readonly versions: readonly { readonly version: string }[] };
  return versions.map(({ version }) => version);
};

/** The list without its checksum, with a tombstone of a version that was never purged. */
function withFalseRow(given: { readonly reference: string } & Readonly<Record<string, unknown>>): string {
  const { format, versions } = JSON.parse(readFileSync(data(list), 'utf8')) as {
    readonly format: number;
    readonly versions: readonly Record<string, unknown>[];
  };
  const row = { ...versions[0], version: '1.2.0', version_normalized: '1.2.0.0' };
  const nothing = { sha1: null, sha256: null, content: null };
  return JSON.stringify({ format, versions: [...versions, { ...row, ...nothing, ...given }] });
}

const addFalseRow = (): void => writeFileSync(data(list), withFalseRow({ reference: 'a'.repeat(40) }));

describe('a recovery of the list of tombstones', () => {
  it('refuses a folder without a list, and leaves the list lost', async () => {
    rmSync(data(list));
    mkdirSync(at('elsewhere'));
    expect(await recover('elsewhere')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('has no list of purged versions: it contains no index/_purged.json') as string,
    });
    expect(existsSync(data(list))).toBe(false);
  });

  itInSeries('drops and names rows of an edited list that nothing else proves', async () => {
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
    await succeeds('verify');
    await succeeds('build', 'src');
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.2.0']);
    addFalseRow();
    expect((await recover()).stdout).toContain('  acme/hello 1.2.0 (aaaaaaaaaaaa)');
  });

  itInSeries(
    'keeps a row of an edited list whose purge is recorded, although an older version announced none',
    async () => {
      addFalseRow();
      for (const path of ['index/_publication.json', 'build/manifest.json']) {
        const {
          purged: _,
          sha256: __,
          ...kept
        } = JSON.parse(readFileSync(data(path), 'utf8')) as Record<string, unknown>;
        writeFileSync(data(path), withChecksum(JSON.stringify(kept)));
      }
      expect(await recover()).toMatchObject({ exitCode: 0 });
      expect(await purged()).toEqual(['1.1.0']);
    },
  );

  it('refuses a file whose rows purge published versions, names the versions, and purges them with --yes', async () => {
    writeFileSync(at('rows.json'), withFalseRow({ reference: '' }));
    const before = readFileSync(data(list), 'utf8');
    const { exitCode, stdout, stderr } = await recover('rows.json');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /purges versions that are on this registry[^]*\n {2}acme\/hello 1\.2\.0 \(.{12}\), published\n/,
    );
    expect(stderr).toMatch(
      /adds 1 tombstone:\n {2}acme\/hello 1\.2\.0\n[^]*Nothing was changed\.[^]*from the file[^]*--yes/,
    );
    expect(readFileSync(data(list), 'utf8')).toBe(before);
    await succeeds('verify');
    expect(Object.keys(publishedVersions(data()))).toContain('acme/hello@1.2.0');

    const row = { name: 'acme/hello', version: '1.2.0' };
    const recovered = await recover('rows.json', '--yes', '--json');
    expect([recovered.exitCode, JSON.parse(recovered.stdout)]).toMatchObject([
      0,
      { recovery: { added: 1, tombstones: [{ ...row, reference: '' }], purged: [{ ...row, state: 'published' }] } },
    ]);
    expect(Object.keys(publishedVersions(data()))).toEqual(['acme/hello@1.0.0']);
    const events = await libretto('audit', 'list', '--action', 'package.recover_purged', '--json');
    expect(JSON.parse(events.stdout)).toMatchObject({
      events: [{ details: { added: 1, tombstones: [row], purged: [{ ...row, state: 'published' }] } }],
    });
  });

  itInSeries('names and purges a version whose serving index is lost, and one with the bytes of a row', async () => {
    const index = data('index/acme/hello.json');
    const whole = readFileSync(index);
    const sha1 = publishedVersions(data())['acme/hello@1.2.0']?.shasum;
    const rows = {
      'label.json': withFalseRow({ reference: '' }),
      'bytes.json': withFalseRow({ version: '5.0.0', version_normalized: '5.0.0.0', reference: 'b'.repeat(40), sha1 }),
    };
    for (const [file, text] of Object.entries(rows)) writeFileSync(at(file), text);
    const exported = JSON.parse((await libretto('config', 'export')).stdout) as object;
    const { versions } = JSON.parse(rows['bytes.json']) as { readonly versions: unknown };
    writeFileSync(at('imported.json'), JSON.stringify({ ...exported, purged: versions }));
    for (const file of Object.keys(rows))
      for (const isLost of [true, false]) {
        if (isLost) rmSync(index);
        const refused = await recover(file);
        expect([file, isLost, refused]).toMatchObject([
          file,
          isLost,
          { exitCode: 2, stderr: expect.stringMatching(/\n {2}acme\/hello 1\.2\.0 \(.{12}\), published\n/) as string },
        ]);
        expect(Object.keys(publishedVersions(data()))).toContain('acme/hello@1.2.0');
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
        expect((await recover(file, '--dry-run')).stdout).toMatch(/would purge permanently:\n {2}acme\/hello 1\.2\.0 /);
        expect(await purged()).toEqual(['1.1.0']);
        writeFileSync(index, whole);
      }
    expect(await libretto('config', 'import', 'imported.json')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('acme/hello 1.2.0') as string,
    });
    const tried = await libretto('config', 'import', 'imported.json', '--dry-run');
    expect(tried.stdout).toMatch(/^The file would add 2 tombstones/);
    rmSync(index);
    await succeeds('package', 'recover-purged', 'bytes.json', '--yes');
    await succeeds('verify');
    expect([Object.keys(publishedVersions(data())), (await purged()).toSorted()]).toEqual([
      ['acme/hello@1.0.0'],
      ['1.1.0', '1.2.0', '5.0.0'],
    ]);
    expect(existsSync(data('public/dist/acme/hello/1.2.0.zip'))).toBe(false);
  });

  itInSeries('without a file asks for --yes alone, where no record lists the versions of the package', async () => {
    for (const path of [list, 'index/acme/hello.json', 'public/p2/acme/hello.json']) rmSync(data(path));
    const { exitCode, stderr } = await recover();
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('versions that may be on this registry')]);
    expect(stderr).toMatch(/acme\/hello 1\.1\.0 [^]*Nothing was changed\. To purge the versions, add --yes\.$/);
    await recover('--yes');
    expect(await purged()).toEqual(['1.1.0']);
  });

  itInSeries('names each tombstone that it adds', async () => {
    rmSync(data(list));
    const { exitCode, stdout } = await recover();
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/1 tombstone, 1 of them added now:\n {2}acme\/hello 1\.1\.0 \(.{12}\)\n/),
    ]);
  });

  itInSeries(
    'works while the list of withdrawn versions is lost too, and so does the recovery of that list',
    async () => {
      await succeeds('package', 'withdraw', 'acme/hello', '1.2.0');
      const lists = [list, 'index/_withheld.json'];
      const whole = lists.map((path) => readFileSync(data(path)));
      writeFileSync(at('rows.json'), readFileSync(data(list)));
      writeFileSync(at('exported.json'), (await libretto('config', 'export')).stdout);
      const withdraw = ['package', 'withdraw', 'acme/hello', '1.2.0'];
      const recovery = ['package', 'recover-purged'];
      const isPublished = (): readonly string[] => Object.keys(publishedVersions(data()));
      for (const [first, second] of [
        [recovery, withdraw],
        [withdraw, recovery],
        [[...recovery, 'rows.json'], withdraw],
        [['config', 'import', 'exported.json'], withdraw],
        [withdraw, ['config', 'import', 'exported.json']],
      ] as const) {
        for (const path of lists) rmSync(data(path));
        for (const other of ['1.0.0', '1.2.0'])
          expect(await libretto('package', 'restore', 'acme/hello', other)).toMatchObject({ exitCode: 2 });
        expect(await libretto(...first)).toMatchObject({ exitCode: 0, stderr: '' });
        expect(lists.filter((path) => existsSync(data(path)))).toHaveLength(1);
        expect(await libretto('build', 'src')).toMatchObject({ exitCode: 2 });
        expect(await libretto('package', 'withdraw', 'acme/hello', '1.0.0')).toMatchObject({ exitCode: 2 });
        expect(isPublished()).toEqual(['acme/hello@1.0.0']);
        expect(await libretto(...second)).toMatchObject({ exitCode: 0, stderr: '' });
        await succeeds('build', 'src');
        await succeeds('verify');
        expect(isPublished()).toEqual(['acme/hello@1.0.0']);
        for (const [at, path] of lists.entries()) writeFileSync(data(path), whole[at] ?? '');
      }
    },
  );

  itInSeries('has an event in the audit log', async () => {
    addFalseRow();
    await recover();
    const { stdout } = await libretto('audit', 'list', '--action', 'package.recover_purged', '--json');
    expect(stdout).toContain('"package.recover_purged"');
    expect(stdout).toContain('"1.2.0"');
    await succeeds('audit', 'verify');
  });

  itInSeries('from a registry without purges restores nothing and is no error', async () => {
    await succeeds('backup', 'kept');
    await runCli(['build', 'src', '--data', 'never'], { cwd: at() });
    mkdirSync(at('empty'));
    expect(await runCli(['restore', 'kept', '--data', 'new', '--purged', 'empty'], { cwd: at() })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('has no list of purged versions') as string,
    });
    expect(await runCli(['restore', 'kept', '--data', 'new', '--purged', 'never'], { cwd: at() })).toMatchObject({
      exitCode: 0,
    });
  });
});
