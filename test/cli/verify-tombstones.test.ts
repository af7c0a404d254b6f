// Tests `libretto verify` on tombstones (I21): a damaged list is a fault, and so is a purged version that is in the
// tree again. The printed advice repairs each.

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withChecksum } from '../../build/contract/checksum.ts';
import { filesWithSecret, leakedSecret as secret, packageContaining } from '../util/leaked-version.ts';
import { below, temporaryTree, writeTree } from '../util/package-tree.ts';
import { registryCopy } from '../util/registry-copy.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

const { at, data, prepared, libretto, succeeds } = registryCopy(
  {
    ...packageContaining('src/one', '1.0.0', 'first'),
    ...packageContaining('src/two', '1.1.0', secret),
    ...packageContaining('src/three', '1.2.0', 'third'),
  },
  async () => {
    await succeeds('build', 'src');
    rmSync(at('src/three'), { recursive: true });
    await succeeds('build', '--keep', '1');
    writeTree(at(), below('src/other', whoLibrary('acme/other', '1.0.0')));
    await succeeds('build', '--keep', '1');
    await succeeds('prune', '--keep-for', '0');
    writeTree(at(), packageContaining('src/four', '1.3.0', 'fourth'));
    await succeeds('build');
    cpSync(data(), at('before'), { recursive: true, preserveTimestamps: true });
    await succeeds('package', 'purge', 'acme/hello', '1.1.0', '--reason', 'secret', '--yes');
  },
);

const before = (path: string): string => at('before', path);
/** Restores a file as it was before the purge. */
const bringBack = (path: string, as = path): void => cpSync(before(path), data(as), { recursive: true });
const change = (path: string, text: (before: string) => string): void =>
  writeFileSync(data(path), text(readFileSync(data(path), 'utf8')));

function withoutPurges(text: string): string {
  const { purged: _, sha256: __, ...kept } = JSON.parse(text) as Record<string, unknown>;
  return withChecksum(JSON.stringify(kept));
}

interface Fault {
  readonly code: string;
  readonly path: string;
  readonly name: string | null;
  readonly version: string | null;
  readonly message: string;
}

async function faults(...flags: readonly string[]): Promise<readonly Fault[]> {
  const { exitCode, stdout } = await libretto('verify', '--json', ...flags);
  const report = JSON.parse(stdout) as { readonly faults: readonly Fault[] };
  expect(exitCode).toBe(report.faults.length === 0 ? 0 : 1);
  return report.faults;
}

const [index, document, archive] = [
  'index/acme/hello.json',
  'public/p2/acme/hello.json',
  'public/dist/acme/hello/1.1.0.zip',
];

/** The document in history that contains the purged version. */
function formerDocument(): string {
  const found = filesWithSecret(before('build/history'))[0];
  if (found === undefined) throw new Error('no document of history has the version');
  return join('build/history', found);
}

describe('libretto verify', () => {
  itInSeries('finds a list of tombstones that was changed or cut off', async () => {
    expect(await faults()).toEqual([]);
    const lists = ['index/_purged.json', 'index/_pruned/acme/hello.json'];
    for (const damage of [(text: string) => text.replace('1.', '3.'), (text: string) => text.slice(0, -60)]) {
      for (const path of lists) change(path, damage);
      expect((await faults()).map(({ code, path }) => `${code} ${path}`).toSorted()).toEqual(
        lists.map((path) => `MALFORMED_INDEX ${path}`).toSorted(),
      );
      for (const { message } of await faults('--fast'))
        expect(message).toMatch(/Restore it from (?:a|the newest) backup/);
      for (const path of lists) cpSync(prepared('data', path), data(path));
    }
    expect(await faults()).toEqual([]);
  });

  itInSeries(
    'knows, like a build, the purges of an older version after an upgrade, even without any other change',
    async () => {
      // the announcement and the manifest of a release that did not list purged versions
      change('index/_publication.json', withoutPurges);
      change('build/manifest.json', withoutPurges);
      await succeeds('build');
      rmSync(data('index/_purged.json'));
      expect(await faults()).toMatchObject([{ code: 'MISSING_FILE', path: 'index/_purged.json' }]);
      expect(await libretto('build')).toMatchObject({ exitCode: 2 });
    },
  );

  it('refuses, like a build, a lost, truncated or edited list until it is recovered', async () => {
    const list = 'index/_purged.json';
    await succeeds('package', 'purge', 'acme/hello', '1.0.0', '--reason', 'mistake', '--yes');
    const whole = readFileSync(data(list), 'utf8');
    const damages: readonly [string, () => void, string][] = [
      ['lost', () => rmSync(data(list)), 'MISSING_FILE'],
      ['that of an earlier purge', () => cpSync(prepared('data', list), data(list)), 'MALFORMED_INDEX'],
      [
        'edited',
        () => change(list, (text) => text.replace('"reason": "secret"', '"reason": "legal"')),
        'MALFORMED_INDEX',
      ],
    ];
    for (const [what, damage, code] of damages) {
      damage();
      for (const flags of [[], ['--fast']])
        expect(
          (await faults(...flags)).map((fault) => [fault.code, fault.path]),
          what,
        ).toEqual([[code, list]]);
      for (const args of [
        ['build'],
        ['package', 'withdraw', 'acme/hello', '1.3.0'],
        ['package', 'purge', 'acme/hello', '1.3.0', '--reason', 'legal', '--yes'],
        ['rollback', '5'],
      ]) {
        const { exitCode, stderr } = await libretto(...args);
        expect([args[0], exitCode, stderr], what).toEqual([
          args[0],
          2,
          expect.stringContaining('libretto package recover-purged') as string,
        ]);
      }
      expect(filesWithSecret(data('.')), what).toEqual([]);
      writeFileSync(data(list), whole);
      expect(await faults(), what).toEqual([]);
    }
  });

  itInSeries(
    'names the entries that a list lost, and after the recovery their labels and references stay blocked',
    async () => {
      const list = 'index/_purged.json';
      writeFileSync(at('elsewhere.json'), (await libretto('package', 'list', '--purged', '--json')).stdout);
      const whole = readFileSync(data(list), 'utf8');
      rmSync(data(list));
      expect((await libretto('build')).stderr).toContain('acme/hello 1.1.0');
      expect(await libretto('package', 'recover-purged', 'elsewhere.json')).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('1 tombstone') as string,
      });
      expect([await faults(), readFileSync(data(list), 'utf8')]).toEqual([[], whole]);
      // with the announcement lost as well, the builder's manifest knows
      for (const path of [list, 'index/_publication.json']) rmSync(data(path));
      expect(await libretto('build', 'src')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('acme/hello 1.1.0') as string,
      });
      expect(await libretto('package', 'recover-purged')).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('acme/hello 1.1.0') as string,
      });
      await succeeds('build', 'src');
      expect([await faults(), filesWithSecret(data('.'))]).toEqual([[], []]);
      expect(JSON.parse((await libretto('package', 'list', '--purged', '--json')).stdout)).toMatchObject({
        versions: [{ name: 'acme/hello', version: '1.1.0', reason: 'secret', sha1: null }],
      });
    },
  );

  itInSeries('names a version with the files of a purged one, and how to purge it', async () => {
    const twins = temporaryTree({
      ...packageContaining('src/one', '1.0.0', secret),
      ...packageContaining('src/two', '1.1.0', secret),
    });
    const inTwins = (...args: readonly string[]): Promise<CliOutcome> =>
      runCli([...args, '--data', 'data'], { cwd: twins.root });
    try {
      await inTwins('build', 'src');
      await inTwins('package', 'purge', 'acme/hello', '1.1.0', '--reason', 'secret', '--yes');
      const { exitCode, stdout } = await inTwins('verify', '--json');
      expect([exitCode, JSON.parse(stdout)]).toMatchObject([
        0,
        {
          ok: true,
          faults: [],
          same_files: [
            {
              path: 'public/dist/acme/hello/1.0.0.zip',
              name: 'acme/hello',
              version: '1.0.0',
              message: expect.stringContaining('libretto package purge acme/hello 1.0.0 --reason secret') as string,
            },
          ],
        },
      ]);
      expect(await inTwins('verify')).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('has the files of acme/hello 1.1.0') as string,
      });
      cpSync(twins.path('data/public/dist/acme/hello/1.0.0.zip'), twins.path('data/public/dist/acme/hello/7.0.0.zip'));
      expect(JSON.parse((await inTwins('verify', '--json')).stdout)).toMatchObject({
        faults: [{ code: 'PURGED_CONTENT', path: 'public/dist/acme/hello/7.0.0.zip' }],
      });
    } finally {
      twins.remove();
    }
  });

  itInSeries('finds an edited list of withdrawn versions, and reads one of an older version', async () => {
    const list = 'index/_withheld.json';
    await succeeds('package', 'withdraw', 'acme/hello', '1.0.0');
    expect(await faults()).toEqual([]);
    change(list, (text) => text.replace('"1.0.0.0"', '"1.0.9.0"'));
    expect((await faults()).map(({ code, path }) => `${code} ${path}`)).toEqual([`MALFORMED_INDEX ${list}`]);
    expect(await libretto('build')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${list} was changed`) as string,
    });
    writeFileSync(
      data(list),
      '{"format": 1, "versions": [{"name": "acme/hello", "version": "1.0.0", "version_normalized": "1.0.0.0", "since": "2027-01-31T00:00:00.000Z"}]}\n',
    );
    expect(await faults()).toEqual([]);
    await succeeds('build');
    // the list was lost before any build: the advice of verify, to withdraw again, works for an unpublished version
    rmSync(data(list));
    await succeeds('package', 'withdraw', 'acme/hello', '1.0.0');
    rmSync(data('build/manifest.json'));
    await succeeds('build');
    expect([await faults(), await libretto('why', 'acme/hello', '1.0.0')]).toMatchObject([
      [],
      { exitCode: 1, stdout: expect.stringContaining('withdrawn by hand') as string },
    ]);
  });

  itInSeries('finds a damaged list of withdrawn or of quarantined versions', async () => {
    for (const list of ['index/_withheld.json', 'index/_quarantined.json']) {
      writeFileSync(data(list), '{"format": 1, "versions": [{"name": 7}]}\n');
      expect((await faults()).map(({ code, path }) => `${code} ${path}`)).toEqual([`MALFORMED_INDEX ${list}`]);
      rmSync(data(list));
    }
  });

  itInSeries('finds archives of a purged version, also under another name', async () => {
    bringBack(archive);
    bringBack(archive, 'public/dist/acme/hello/9.0.0.zip');
    const found = await faults();
    expect(found.map(({ code, path }) => `${code} ${path}`).toSorted()).toEqual(
      [archive, 'public/dist/acme/hello/9.0.0.zip'].map((path) => `PURGED_CONTENT ${path}`),
    );
    for (const { version, message } of found)
      expect([version, message]).toEqual([
        '1.1.0',
        expect.stringMatching(
          /archive of acme\/hello 1\.1\.0, which was purged on \d{4}-\d\d-\d\d \(secret\)\. Remove it\.$/,
        ),
      ]);
    expect(await faults('--fast')).toContainEqual(expect.objectContaining({ code: 'PURGED_CONTENT', path: archive }));
    for (const { path } of found) rmSync(data(path));
    expect(await faults()).toEqual([]);
  });

  it('finds a purged version in a document, and a build that compares everything repairs it', async () => {
    bringBack(document);
    expect(await faults()).toContainEqual({
      code: 'PURGED_CONTENT',
      path: document,
      name: 'acme/hello',
      version: '1.1.0',
      message: expect.stringContaining('Remove build/manifest.json and run `libretto build`') as string,
    });
    rmSync(data('build/manifest.json'));
    await succeeds('build');
    expect([await faults(), filesWithSecret(data('public'))]).toEqual([[], []]);
  });

  itInSeries(
    'finds a purged version in history and in the serving index, and the named purge repairs both',
    async () => {
      const former = formerDocument();
      for (const path of [index, archive, dirname(former)]) bringBack(path);
      for (const digest of readdirSync(before('index/_texts/acme/hello')))
        bringBack(`index/_texts/acme/hello/${digest}`);
      const found = (await faults()).filter(({ code }) => code === 'PURGED_CONTENT');
      expect(found.map(({ path, version }) => [path, version])).toEqual([
        [index, '1.1.0'],
        [former, '1.1.0'],
      ]);
      for (const { message } of found)
        expect(message).toContain('Run `libretto package purge acme/hello 1.1.0 --reason secret --yes`');
      await succeeds('package', 'purge', 'acme/hello', '1.1.0', '--reason', 'secret', '--yes');
      expect([await faults(), filesWithSecret(data('.'))]).toEqual([[], []]);
    },
  );
});
