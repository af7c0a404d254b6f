// Tests `published-time`, the time when this registry first published a version. No operation on the registry or its
// folders changes it.

import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { gitHistory, type GitHistory } from '../util/git-history.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let repository: GitHistory;
beforeEach(() => {
  folder = temporaryFolder('published-time');
  repository = gitHistory();
  repository.commit(
    whoLibrary('acme/hello', undefined, { time: '2020-02-03', 'published-time': '2001-01-01T00:00:00+00:00' }),
  );
  for (const tag of ['1.0.0', '1.1.0']) repository.tag(tag);
});
afterEach(async () => {
  repository.remove();
  await folder.remove();
});

const run = async (...args: readonly string[]): Promise<void> => {
  const { exitCode, stderr } = await runCli(args, { cwd: folder.path });
  expect([exitCode, stderr], args.join(' ')).toEqual([0, expect.any(String)]);
};
const build = (data = 'data', ...more: readonly string[]): Promise<void> =>
  run('build', repository.root, '--data', data, ...more);

/** version → its published-time, of both documents */
function times(data = 'data'): Record<string, unknown> {
  const documents = ['', '~dev'].map(
    (kind) =>
      JSON.parse(readFileSync(folder.at(`${data}/public/p2/acme/hello${kind}.json`), 'utf8')) as {
        packages: Record<string, Record<string, Record<string, unknown>>>;
      },
  );
  return Object.fromEntries(
    documents.flatMap(({ packages }) =>
      Object.values(packages['acme/hello'] ?? {}).map((record) => [record['version'], record['published-time']]),
    ),
  );
}

/** Publishes everything with the clock of the process set to yesterday. */
async function publishedBefore(): Promise<Record<string, unknown>> {
  const clock = folder.at('clock.mjs');
  writeFileSync(
    clock,
    'const now = Date.now; Date.now = () => now() - 86_400_000; const Real = Date; globalThis.Date = class extends Real { constructor(...given) { super(...(given.length === 0 ? [Date.now()] : given)); } };',
  );
  const { exitCode } = await runCli(['build', repository.root, '--data', 'data'], {
    cwd: folder.path,
    environment: { NODE_OPTIONS: `--import ${clock}` },
  });
  expect(exitCode).toBe(0);
  return times();
}

itInSeries.skipIf(lacks('git'))(
  'published-time survives rebuilds, withdrawals, rollbacks, moves, lost folders, backups and receive',
  async () => {
    const before = await publishedBefore();
    expect(Object.keys(before).toSorted()).toEqual(['1.0.0', '1.1.0', 'dev-main']);
    for (const time of Object.values(before)) expect(time).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    for (const time of Object.values(before)) expect(Date.now() - Date.parse(String(time))).toBeGreaterThan(86_000_000);

    repository.git('tag', '-d', '1.0.0');
    await build('data', '--allow-withdraw');
    expect(Object.keys(times())).not.toContain('1.0.0');
    repository.tag('1.0.0');
    await build();
    expect(times(), 'a release that was withdrawn and came back').toEqual(before);

    rmSync(folder.at('data/build'), { recursive: true });
    await build();
    expect(times(), 'the folder build/ was lost').toEqual(before);

    for (const lost of ['data/index/acme/hello.json', 'data/build']) rmSync(folder.at(lost), { recursive: true });
    await build();
    expect(times(), 'the serving index was lost, too').toEqual(before);

    renameSync(folder.at('data'), folder.at('moved'));
    await build('moved');
    expect(times('moved'), 'the data folder moved').toEqual(before);

    await run('backup', 'backup', '--data', 'moved');
    await run('restore', 'backup', '--data', 'restored');
    await build('restored');
    expect(times('restored'), 'a backup was restored').toEqual(before);

    cpSync(folder.at('moved'), folder.at('ci'), { recursive: true });
    await run('receive', 'ci', '--data', 'receiving');
    expect(times('receiving'), 'the tree was received').toEqual(before);
    await run('receive', 'ci', '--data', 'receiving');
    expect(times('receiving'), 'and received again').toEqual(before);
  },
);

itInSeries.skipIf(lacks('git'))(
  'published-time of new content is later than that of the former content, and a rollback restores the former time',
  async () => {
    const before = await publishedBefore();
    repository.commit(whoLibrary('acme/hello', undefined, { description: 'moved' }));
    await build();
    const after = times();
    expect([after['1.0.0'], after['dev-main'] === before['dev-main']]).toEqual([before['1.0.0'], false]);
    await run('rollback', '1', '--data', 'data');
    expect(times()).toEqual(before);
  },
);

it.skipIf(lacks('git'))(
  'published-time is independent of the time in composer.json, which overrides the time of the commit',
  async () => {
    await build();
    const document = JSON.parse(readFileSync(folder.at('data/public/p2/acme/hello.json'), 'utf8')) as {
      packages: Record<string, Record<string, Record<string, unknown>>>;
    };
    expect(document.packages['acme/hello']?.['1.0.0']).toMatchObject({
      time: '2020-02-03T00:00:00+00:00',
      'published-time': expect.stringMatching(/^20[2-9]/),
    });
  },
);
